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
    shear, shift = _shears_and_shifts(effects, values, reference)
    maps = affine(shears(shear), shift)
    turned = np.flatnonzero(effects == _TURN)
    if turned.size:
        # Seen from above, y points down, so a counter-clockwise turn goes from x to -y.
        linear = plane_rotations(-values[turned, 0].astype(np.float64))
        center = extents[turned, ::-1] / 2
        maps[turned, :, :2] = linear
        maps[turned, :, 2] = center - (linear @ center[..., np.newaxis])[..., 0]
    return maps


def _shears_and_shifts(
    effects: Ints, values: Floats, reference: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the factors of shears, and translations: (count, 2) each. Other effects have zeros."""
    given = values[:, :2]
    shear = np.where((effects == _SHEAR)[:, np.newaxis], given, 0.0)
    relative = given * reference[:, ::-1].astype(np.float32)
    shift = np.where((effects == _RELATIVE)[:, np.newaxis], relative, np.float32(0))
    shift = np.where((effects == _SHIFT)[:, np.newaxis], given, shift)
    return shear, shift.astype(np.float64)


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
    shear, shift = _shears_and_shifts(effects, values, reference)
    inverses = np.ones((len(effects), 2, 3))
    inverses[:, 0, 1], inverses[:, 1, 0] = -shear.T
    with np.errstate(all="ignore"):  # if there is no inverse
        inverses /= (1 - shear.prod(axis=1))[:, np.newaxis, np.newaxis]
    inverses[..., 2] = -shift  # nothing is both sheared and shifted
    maps, good = index_maps(inverses.reshape(-1, 6), inverse_map=True, nearest=nearest)
    turned = np.flatnonzero(effects == _TURN)
    if turned.size:
        chosen = extents[turned]
        maps[turned] = sources_of_pixels(chosen, chosen, values[turned, 0].astype(np.float64))
    return maps, good
