"""`resample`: an image, or a region of it, to another size, with DALI's pixel rules.

The two axes are resampled one after the other, in the cheaper order.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any

import cv2
import numpy as np
from numpy.typing import DTypeLike

from ...engine.arrays import Array
from .axes import ResampledAxis
from .cpu_bands import Band, build_band
from .cpu_copies import copy_both, pick_columns, pick_rows
from .cpu_passes import store, store_transposed, transposed, weighed, weighed_twice
from .cpu_plan import ImagePlan, plan_image
from .filters import Filter

# The cost of moving one element in a transpose, in multiply-adds: bytes, and floats.
_MOVE_PIXEL = 2
_MOVE_FLOAT = 5

_BANDS_BYTES = 16 << 20


class BandCache:
    """Bands by axis and dtype, at most `max_bytes` of weights. Thread-safe.

    The cache drops the least recently used bands.
    """

    def __init__(self, max_bytes: int = _BANDS_BYTES) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._bands: OrderedDict[tuple[ResampledAxis, Any], Band] = OrderedDict()
        self._lock = threading.Lock()

    def band_of(self, axis: ResampledAxis, dtype: DTypeLike) -> Band:
        """Return the band of the axis, built at need."""
        key = (axis, dtype)
        with self._lock:
            band = self._bands.get(key)
            if band is not None:
                self._bands.move_to_end(key)
                return band
        band = build_band(axis, dtype)
        self._keep(key, band)
        return band

    def _keep(self, key: tuple[ResampledAxis, object], band: Band) -> None:
        with self._lock:
            if key in self._bands:  # another thread was faster
                return
            self._bands[key] = band
            self._bytes += band.weights.nbytes
            while self._bytes > self._max_bytes:
                self._bytes -= self._bands.popitem(last=False)[1].weights.nbytes

    @property
    def nbytes(self) -> int:
        """Bytes of weights in the cache."""
        return self._bytes


_BANDS = BandCache()


def resample(
    image: Array,
    size: tuple[int, int],
    *,
    roi: tuple[float, float, float, float] | None = None,
    min_filter: Filter = Filter.LINEAR,
    mag_filter: Filter = Filter.LINEAR,
    antialias: bool = True,
    out: Array | None = None,
    dtype: DTypeLike | None = None,
) -> Array:
    """Resample an image of layout HWC to `size`.

    The filters' shapes, their positions and the rule by which an axis takes `min_filter` or
    `mag_filter` are those of DALI's CPU `fn.resize`. Differences:

    - Integers round half to even throughout; DALI rounds some halves away from zero.
    - With NEAREST, samples beyond the right border repeat it; DALI reads elsewhere.
    - In a region, NEAREST may choose the other pixel for a point exactly between two pixels.
      GAUSSIAN, which does not end at zero, may weigh one pixel more or less.
    - More dtypes are accepted; those that float32 cannot hold are computed in float64.

    A NaN or infinity in the image makes NaNs of all results near it, up to some rows or
    columns further than the filter reaches.

    Args:
        image: Pixels, shape (height, width, channels), at least one of each; uint8, int8,
            uint16, int16, uint32, int32, float16, float32 or float64.
        size: Height and width of the result, each at least 1.
        roi: (y0, x0, y1, x1), edges of the region in pixels of the image. They may be
            fractional and lie outside the image, whose border is then repeated;
            start > end mirrors the axis. None means the whole image. Pixels just outside
            the region, but inside the image, count for results near the region's edge.
        min_filter: Filter for an axis that shrinks.
        mag_filter: Filter for an axis that does not shrink.
        antialias: Widen the filter of a shrinking axis by the reduction factor. NEAREST is
            never widened; TRIANGULAR without it is LINEAR.
        out: Array to write into, of the result's shape and dtype, apart from `image`'s memory.
        dtype: dtype of the result, either that of `image` (the default) or float32.

    Returns:
        The result, shape (*size, channels): `out` if given, else a new C-contiguous array.

    Raises:
        ValueError: A shape, size, region or `out` that does not fit.
        TypeError: A dtype that is not supported.

    >>> import numpy as np
    >>> ramp = np.arange(4, dtype=np.float32).reshape(1, 4, 1)
    >>> resample(ramp, (1, 2), antialias=False).ravel().tolist()
    [0.5, 2.5]
    >>> resample(ramp, (1, 2), roi=(0, 4, 1, 0), min_filter=Filter.NEAREST).ravel().tolist()
    [3.0, 1.0]
    """
    result_dtype = image.dtype if dtype is None else np.dtype(dtype)
    filters = min_filter, mag_filter
    plan = plan_image(image.shape, image.dtype, size, roi, filters, antialias, result_dtype)
    out = _checked_out(image, out, plan)
    target = out if out.flags.c_contiguous else np.empty(out.shape, out.dtype)
    if plan.suits_opencv:
        cv2.resize(image, size[::-1], target, interpolation=cv2.INTER_LINEAR)
    elif plan.copies_rows and plan.copies_columns:
        copy_both(image, target, plan.vertical, plan.horizontal)
    else:
        _weigh(image, target, plan)
    if target is not out:
        np.copyto(out, target)
    return out


def _checked_out(image: Array, out: Array | None, plan: ImagePlan) -> Array:
    """Return the array to write into."""
    if out is None:
        return np.empty(plan.shape, plan.dtype)
    if out.shape != plan.shape or out.dtype != plan.dtype:
        raise ValueError(
            f"out must have shape {plan.shape} and dtype {plan.dtype}, "
            f"got shape {out.shape} and dtype {out.dtype}"
        )
    if np.may_share_memory(image, out):
        raise ValueError("out must not share memory with the image")
    return out


def resample_rows(image: Array, out: Array, axis: ResampledAxis) -> None:
    """Resample the first axis of `image`, of at least one row, into C-contiguous floats."""
    if axis.copies:
        np.copyto(out, pick_rows(image, axis))
    else:
        _weigh_rows(image, out, _BANDS.band_of(axis, out.dtype), True)


def _weigh(image: Array, out: Array, plan: ImagePlan) -> None:
    """Resample an image of which at least one axis is weighed into C-contiguous `out`.

    An axis whose samples are copies goes first, in the image's own dtype. The others are weighed
    in floating point and rounded once, at the end.
    """
    if plan.copies_rows:
        columns = _BANDS.band_of(plan.horizontal, plan.work)
        _weigh_columns(pick_rows(image, plan.vertical), out, columns, plan.overshoots)
    elif plan.copies_columns:
        rows = _BANDS.band_of(plan.vertical, plan.work)
        _weigh_rows(pick_columns(image, plan.horizontal), out, rows, plan.overshoots)
    else:
        rows = _BANDS.band_of(plan.vertical, plan.work)
        columns = _BANDS.band_of(plan.horizontal, plan.work)
        _weigh_both(image, out, rows, columns, plan.overshoots)


def _weigh_rows(image: Array, out: Array, band: Band, overshoots: bool) -> None:
    image = image[band.first : band.first + band.used]
    store(weighed(image, band), out, overshoots=overshoots)


def _weigh_columns(image: Array, out: Array, band: Band, overshoots: bool) -> None:
    image = image[:, band.first : band.first + band.used]
    store_transposed(weighed(transposed(image), band), out, overshoots)


def _weigh_both(image: Array, out: Array, rows: Band, columns: Band, overshoots: bool) -> None:
    image = image[rows.first : rows.first + rows.used, columns.first : columns.first + columns.used]
    if _rows_first_is_cheaper(rows, columns):
        store_transposed(weighed_twice(image, rows, columns), out, overshoots)
    else:
        result = weighed_twice(transposed(image), columns, rows)
        store(result, out, overshoots=overshoots)


def _rows_first_is_cheaper(rows: Band, columns: Band) -> bool:
    """Compare the multiply-adds and moves of both orders, for one channel."""
    rows_first = (
        rows.weights.size * columns.used
        + columns.weights.size * rows.out_size
        + _MOVE_FLOAT * rows.out_size * columns.used
        + _MOVE_PIXEL * rows.out_size * columns.out_size
    )
    columns_first = (
        columns.weights.size * rows.used
        + rows.weights.size * columns.out_size
        + _MOVE_FLOAT * rows.used * columns.out_size
        + _MOVE_PIXEL * rows.used * columns.used
    )
    return rows_first < columns_first
