"""How the effects of augmentations move pixels, and the corners of boxes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..transforms.matrices import affine, plane_rotations, shears
from ..warp.index_maps import index_maps
from ..warp.rotation import sources_of_pixels
from .effects import EFFECTS, Floats, Ints

_SHEAR, _SHIFT, _RELATIVE, _TURN = (
    EFFECTS[name].number for name in ("shear", "translate", "translate_relative", "rotate")
)


def point_maps(
    effects: Ints, values: Floats, extents: Ints, reference: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the maps of points of images to points of results, in coordinates: (count, 2, 3).

    Args:
        effects: numbers of effects: (count,). Those that do not move pixels get the identity.
        values: their parameters: (count, at least 2).
        extents: height and width of the images: (count, 2).
        reference: height and width that relative translations refer to: (count, 2).
    """
    shear = np.where((effects == _SHEAR)[:, np.newaxis], values[:, :2], 0.0)
    shift = np.where((effects == _SHIFT)[:, np.newaxis], values[:, :2], np.float32(0))
    relative = values[:, :2] * reference[:, ::-1].astype(np.float32)
    shift = np.where((effects == _RELATIVE)[:, np.newaxis], relative, shift)
    maps = affine(shears(shear), shift.astype(np.float64))
    turned = np.flatnonzero(effects == _TURN)
    if turned.size:
        # Seen from above, y points down, so a counter-clockwise turn goes from x to -y.
        linear = plane_rotations(-values[turned, 0].astype(np.float64))
        center = extents[turned, ::-1] / 2
        maps[turned, :, :2] = linear
        maps[turned, :, 2] = center - (linear @ center[..., np.newaxis])[..., 0]
    return maps


def pixel_maps(
    effects: Ints, values: Floats, extents: Ints, reference: NDArray[np.float64], *, nearest: bool
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the maps of pixel indices of results to those of images, and which exist.

    Args:
        effects, values, extents, reference: see `point_maps`.
        nearest: whether the nearest pixel is wanted.

    Returns:
        (count, 6); (count,). A shear may have no inverse.
    """
    turned = np.flatnonzero(effects == _TURN)
    others = np.where(effects == _TURN, 0, effects)
    forward = point_maps(others, values, extents, reference).reshape(-1, 6)
    maps, good = index_maps(forward, inverse_map=False, nearest=nearest)
    if turned.size:
        chosen = extents[turned]
        maps[turned] = sources_of_pixels(chosen, chosen, values[turned, 0].astype(np.float64))
    return maps, good
