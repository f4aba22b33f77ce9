"""The plan of an image's resampling on the CPU: checked once, then taken from a cache."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...engine.arrays import DType
from ..elementwise.promotion import exact_type
from .axes import ResampledAxis, plan_axis
from .filters import Filter

DTYPES = frozenset(
    np.dtype(name)
    for name in (
        np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32,
        np.float16, np.float32, np.float64,
    )
)  # fmt: skip
"""The element types that can be resampled."""

_NON_NEGATIVE = frozenset((Filter.NEAREST, Filter.LINEAR, Filter.GAUSSIAN))
_CV2_CHANNELS = 4


class ImagePlan(NamedTuple):
    """How an image is resampled.

    Attributes:
        shape, dtype: of the result.
        vertical, horizontal: how the axes are resampled.
        copies_rows, copies_columns: whether every sample of an axis is a sample of the input.
        work: the floating-point type of the sums; float32 where it holds all values of the input.
        overshoots: whether sums may lie below an unsigned range although the input does not.
        suits_opencv: whether OpenCV's bilinear resize does all of it.
    """

    shape: tuple[int, int, int]
    dtype: DType
    vertical: ResampledAxis
    horizontal: ResampledAxis
    copies_rows: bool
    copies_columns: bool
    work: DType
    overshoots: bool
    suits_opencv: bool


@lru_cache(maxsize=4096)
def plan_image(
    shape: tuple[int, ...],
    dtype: DType,
    size: tuple[int, int],
    roi: tuple[float, ...] | None,
    filters: tuple[Filter, Filter],
    antialias: bool,
    result_dtype: DType,
) -> ImagePlan:
    """Return how an image of this shape and type is resampled; the arguments of `resample`."""
    _check(shape, dtype, size, result_dtype)
    region = (0.0, 0.0, *map(float, shape[:2])) if roi is None else _checked_roi(roi)
    vertical, horizontal = (
        plan_axis(shape[i], size[i], region[i], region[i + 2], filters, antialias) for i in (0, 1)
    )
    return ImagePlan(
        shape=(*size, shape[2]),
        dtype=result_dtype,
        vertical=vertical,
        horizontal=horizontal,
        copies_rows=vertical.copies,
        copies_columns=horizontal.copies,
        work=exact_type(dtype),
        overshoots=dtype.kind != "u" or not {vertical.filter, horizontal.filter} <= _NON_NEGATIVE,
        suits_opencv=(dtype == result_dtype == np.uint8)
        and shape[2] <= _CV2_CHANNELS
        and all(map(_is_plain, (vertical, horizontal))),
    )


def _is_plain(axis: ResampledAxis) -> bool:
    """Return whether the whole axis is interpolated linearly, without antialiasing."""
    whole = (axis.start, axis.end) == (0, axis.in_size)
    return whole and axis.filter is Filter.LINEAR and not axis.stretched


def _check(shape: tuple[int, ...], dtype: DType, size: tuple[int, int], result: DType) -> None:
    if len(shape) != 3 or 0 in shape:
        raise ValueError(
            f"expected an image of shape (height, width, channels), none of them 0, "
            f"got shape {shape}"
        )
    if dtype not in DTYPES:
        raise TypeError(unsupported(dtype))
    if result not in (dtype, np.float32):
        raise TypeError(
            f"the result must be {dtype} like the image, or float32, not {result}; "
            "convert it afterwards"
        )
    if min(size) < 1:
        raise ValueError(f"height and width must be at least 1, got size {size}")


def unsupported(dtype: DType) -> str:
    """Return a message that `dtype` cannot be resampled, and which types can."""
    return f"cannot resample {dtype}; supported are {', '.join(sorted(map(str, DTYPES)))}"


def _checked_roi(roi: tuple[float, ...]) -> tuple[float, float, float, float]:
    y0, x0, y1, x1 = map(float, roi)
    if not all(map(math.isfinite, (y0, x0, y1, x1))) or y0 == y1 or x0 == x1:
        raise ValueError(
            f"roi must be finite (y0, x0, y1, x1) with y0 != y1 and x0 != x1, got {roi}"
        )
    return y0, x0, y1, x1
