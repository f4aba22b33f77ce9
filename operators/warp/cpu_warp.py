"""Images under affine maps, on the CPU.

OpenCV's `warpAffine` computes positions in float32 for images of bytes and of float32. That is
exact enough for these. For most other dtypes it rounds positions to 1/32 of a pixel. So this module
computes positions in float64 for these dtypes, and calls OpenCV's `remap` only to fetch pixels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import DType
from ...engine.graph.operator import Array
from ..common.opencv_images import OPENCV_DTYPES
from ..elementwise.promotion import exact_type
from ..elementwise.saturation import saturate

_WARP_DTYPES = frozenset(map(np.dtype, ("u1", "f4")))
_OPENCV_CHANNELS = 4  # as many values has the color of OpenCV's border
_remap: Any = cv2.remap  # whose declaration knows no maps of 16 bits
MOST_EXTENT = 32766
"""Maximum extent of images, because OpenCV's `remap` has indices of 16 bits."""
FAR = 1e6
"""Positions further outside are as good as this one. Integers of 32 bits need not hold them."""

STRIP_PIXELS = 16384
"""Pixels of the lines that are computed together; their positions should stay in the cache of a
core."""


class Sampling(NamedTuple):
    """How the pixel at a position is made of the pixels around it.

    Attributes:
        nearest: whether it is the nearest one; else the four around it are weighed.
        fill: the value of pixels outside of the image; None repeats its border.
    """

    nearest: bool
    fill: float | None


class PixelArithmetic(NamedTuple):
    """How pixels of one dtype are weighed to make pixels of another.

    Attributes:
        work: dtype in which pixels are weighed.
        direct: whether OpenCV converts the results itself; it rounds halves to even.
        exact: whether positions are computed in float64.
    """

    work: DType
    direct: bool
    exact: bool


def pixel_arithmetic(source: DType, target: DType) -> PixelArithmetic:
    """Return the arithmetic for images of a dtype and results of another."""
    if source in _WARP_DTYPES and source == target:
        return PixelArithmetic(source, direct=True, exact=False)
    work = exact_type(source)
    exact = work == np.float64 or (source.kind in "iu" and source.itemsize == 2)
    return PixelArithmetic(work, direct=False, exact=exact)


def _goes_far(matrix: NDArray[np.float64], canvas: tuple[int, ...]) -> bool:
    """Return whether a map may take pixels of a canvas (height, width) further than `FAR`."""
    height, width = canvas
    return any(abs(a) * width + abs(b) * height + abs(c) > FAR for a, b, c in matrix.tolist())


def go_far(matrices: NDArray[np.float64], canvas: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return the same for each of the maps (count, 6) and canvases (count, 2)."""
    corners = np.concatenate([canvas[:, ::-1], np.ones_like(canvas[:, :1])], axis=1)
    positions = np.abs(matrices).reshape(-1, 2, 3) * corners[:, np.newaxis]
    return np.asarray(positions.sum(axis=2).max(axis=1) > FAR)


def warp(image: Array, out: Array, matrix: NDArray[np.float64], sampling: Sampling) -> None:
    """Write the pixels of an image that an affine map chooses.

    Args:
        image: (height, width) or (height, width, channels).
        out: the result, with the same channels.
        matrix: (2, 3), from pixel indices (x, y, 1) of the result to those of the image.
        sampling: how pixels are made.
    """
    arithmetic = pixel_arithmetic(image.dtype, out.dtype)
    if not arithmetic.exact and _goes_far(matrix, out.shape[:2]):
        arithmetic = PixelArithmetic(np.dtype(np.float32), direct=False, exact=True)
    write = _warp_exactly if arithmetic.exact else _warp_by_opencv
    if image.ndim == 2:
        write(image, out, matrix, sampling, arithmetic)
        return
    for some in _channel_groups(image.shape[2], arithmetic.exact):
        write(image[..., some], out[..., some], matrix, sampling, arithmetic)


def _channel_groups(channels: int, exact: bool) -> Iterator[slice | int]:
    """Yield the channels that are computed together.

    Two are not: for them `warpAffine` rounds positions to 1/32 of a pixel.
    """
    for first in range(0, channels, _OPENCV_CHANNELS):
        count = min(_OPENCV_CHANNELS, channels - first)
        if count == 1 or (count == 2 and not exact):
            yield from range(first, first + count)
        else:
            yield slice(first, first + count)


def _warp_by_opencv(
    image: Array,
    out: Array,
    matrix: NDArray[np.float64],
    sampling: Sampling,
    arithmetic: PixelArithmetic,
) -> None:
    source = image if arithmetic.direct else image.astype(arithmetic.work)
    mode = cv2.INTER_NEAREST if sampling.nearest else cv2.INTER_LINEAR
    options: dict[str, Any] = {"flags": mode | cv2.WARP_INVERSE_MAP, **_border(sampling)}
    if source.dtype == out.dtype and out.flags.c_contiguous:
        options["dst"] = out
    height, width = out.shape[:2]
    result = cv2.warpAffine(source, matrix, (width, height), **options)
    if result is not out:
        saturate(result.reshape(out.shape), out)


def _border(sampling: Sampling) -> dict[str, object]:
    """Return OpenCV's arguments for pixels outside of the image."""
    if sampling.fill is None:
        return {"borderMode": cv2.BORDER_REPLICATE}
    values = (sampling.fill,) * _OPENCV_CHANNELS
    return {"borderMode": cv2.BORDER_CONSTANT, "borderValue": values}


def _warp_exactly(
    image: Array,
    out: Array,
    matrix: NDArray[np.float64],
    sampling: Sampling,
    arithmetic: PixelArithmetic,
) -> None:
    height, width = out.shape[:2]
    across = matrix[:, :1] * np.arange(width)
    down = matrix[:, 1:2] * np.arange(height) + matrix[:, 2:]

    def positions(strip: slice) -> NDArray[np.float64]:
        return across[:, np.newaxis] + down[:, strip, np.newaxis]

    _sample_strips(image, out, positions, sampling, arithmetic.work)


def sample_at(
    image: Array, out: Array, positions: NDArray[np.floating[Any]], sampling: Sampling
) -> None:
    """Write the pixels of an image at positions, which are exact.

    Args:
        image: (height, width, channels).
        out: the result, with the same channels and dtype.
        positions: x and y, in pixel indices: (2, height, width). NaN is far outside.
        sampling: how pixels are made.
    """
    copied = sampling.nearest and image.dtype in OPENCV_DTYPES
    work = image.dtype if copied else exact_type(image.dtype)
    known = np.nan_to_num(positions, nan=-FAR)
    for some in _channel_groups(image.shape[2], exact=True):
        _sample_strips(image[..., some], out[..., some], lambda s: known[:, s], sampling, work)


def _sample_strips(
    image: Array,
    out: Array,
    positions: Callable[[slice], NDArray[Any]],
    sampling: Sampling,
    work: DType,
) -> None:
    """Write the pixels at the positions of each strip of lines."""
    source = np.ascontiguousarray(image, work)
    height, width = out.shape[:2]
    lines = max(1, STRIP_PIXELS // width)
    for top in range(0, height, lines):
        strip = slice(top, top + lines)
        places = positions(strip).astype(np.float64).clip(-FAR, FAR)
        saturate(_sampled(source, places, sampling), out[strip])


def _sampled(source: Array, positions: NDArray[np.float64], sampling: Sampling) -> Array:
    """Return the pixels at positions (x and y, height, width), in the dtype of the source."""
    whole = np.rint(positions) if sampling.nearest else np.floor(positions)
    pixel_map = np.empty((*positions.shape[1:], 2), np.int16)
    for axis in (0, 1):  # further outside than two pixels all positions are alike
        pixel_map[..., axis] = whole[axis].clip(-2, source.shape[1 - axis])

    border = _border(sampling)

    def fetch() -> Array:
        pixels: Array = _remap(source, pixel_map, None, cv2.INTER_NEAREST, **border)
        return pixels

    if sampling.nearest:
        return fetch()
    right, below = (positions - whole).astype(source.dtype)[
        (..., *(np.newaxis,) * (source.ndim - 2))
    ]
    upper = fetch()
    pixel_map[..., 0] += 1
    upper = between(upper, fetch(), right)
    pixel_map[..., 1] += 1
    lower_right = fetch()
    pixel_map[..., 0] -= 1
    return between(upper, between(fetch(), lower_right, right), below)


def between(first: Array, second: Array, weight: Array) -> Array:
    """Return `first` plus `weight` times the way to `second`, in the memory of `second`."""
    second -= first
    second *= weight
    second += first
    return second
