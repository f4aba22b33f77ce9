"""Images under perspective maps, on the CPU, by OpenCV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Float64s
from ...engine.graph.operator import Array
from ...engine.tensors.dtypes import DALIInterpType
from ..common.opencv_images import BORDERS

_TOGETHER = 4  # channels that OpenCV moves together
_FAR = 1e5  # pixels outside, from which on OpenCV's reflections take long
_FARTHEST = 1e6  # pixels; positions further outside are as good as this one
FILTERS = {
    DALIInterpType.INTERP_NN: cv2.INTER_NEAREST,
    DALIInterpType.INTERP_LINEAR: cv2.INTER_LINEAR,
    DALIInterpType.INTERP_CUBIC: cv2.INTER_CUBIC,
}


class PerspectiveSampling(NamedTuple):
    """How the pixel at a position is made of the pixels around it.

    Attributes:
        filter: one of `FILTERS`.
        border: one of `BORDERS`.
    """

    filter: DALIInterpType
    border: str


def move_pixels(
    image: Array,
    out: Array,
    matrix: Float64s,
    sampling: PerspectiveSampling,
    fills: Sequence[float],
) -> None:
    """Write the pixels of an image that a perspective map chooses.

    Args:
        image: (height, width) or (height, width, channels).
        out: the result, with the same channels.
        matrix: (3, 3), from pixel indices (x, y, 1) of the result to those of the image.
        sampling: how pixels are made.
        fills: the constant around the image: one a channel.
    """
    groups: list[Any] = [...]
    if image.ndim == 3:
        starts = range(0, image.shape[2], _TOGETHER)
        groups = [(..., slice(first, first + _TOGETHER)) for first in starts]
    for i, group in enumerate(groups):
        some = [*fills[i * _TOGETHER : (i + 1) * _TOGETHER], 0, 0, 0][:_TOGETHER]
        pixels = np.ascontiguousarray(image[group])
        moved = _moved(pixels, out.shape[:2], matrix, sampling, some)
        out[group] = moved.reshape(out[group].shape)


def _moved(
    image: Array,
    canvas: tuple[int, ...],
    matrix: Float64s,
    sampling: PerspectiveSampling,
    fills: Sequence[float],
) -> Array:
    border, filtering = BORDERS[sampling.border], FILTERS[sampling.filter]
    options: dict[str, Any] = {"borderMode": border, "borderValue": fills}
    if border in _MIRRORS and _goes_far(matrix, canvas):
        # For each position OpenCV counts the reflections, which may take minutes.
        lines, columns = np.indices(canvas)
        with np.errstate(all="ignore"):
            u, v, w = np.tensordot(matrix, [columns, lines, np.ones(canvas)], 1)
            x, y = _MIRRORS[border](u / w, image.shape[1]), _MIRRORS[border](v / w, len(image))
        return np.asarray(cv2.remap(image, x, y, filtering, **options))
    size, flags = (canvas[1], canvas[0]), filtering | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpPerspective(image, matrix, size, flags=flags, **options))


def _goes_far(matrix: Float64s, canvas: tuple[int, ...]) -> bool:
    """Return whether a map may take a pixel further than `_FAR`."""
    height, width = canvas[0] - 1, canvas[1] - 1
    corners = np.array([[0, 0, width, width], [0, height, 0, height], [1, 1, 1, 1]])
    with np.errstate(all="ignore"):
        u, v, w = matrix @ corners
        near = np.abs([u / w, v / w]).max() < _FAR  # False for NaN
    return not (near and ((w > 0).all() or (w < 0).all()))


def _reflected(positions: Float64s, extent: int) -> NDArray[np.float32]:
    """Return the positions inside of an axis for positions that edges of pixels reflect."""
    distance = np.remainder(positions.clip(-_FARTHEST, _FARTHEST) + 0.5, 2 * extent)
    return np.asarray(np.minimum(distance, 2 * extent - distance) - 0.5, np.float32)


def _reflected_101(positions: Float64s, extent: int) -> NDArray[np.float32]:
    """Return the same for positions that the centers of the outermost pixels reflect."""
    period = max(1, 2 * extent - 2)
    distance = np.remainder(positions.clip(-_FARTHEST, _FARTHEST), period)
    return np.asarray(np.minimum(distance, 2 * extent - 2 - distance).clip(0), np.float32)


_MIRRORS = {cv2.BORDER_REFLECT: _reflected, cv2.BORDER_REFLECT_101: _reflected_101}
