"""The banded matrix that resamples one axis, cut so that one `np.matmul` applies it.

Each output sample weighs a short run of input samples, and the run moves on by the scale.
So some consecutive output rows, a block, read one window of the input. If the windows
begin at equal strides they are one strided view of the input, and all blocks are one call
that holds no GIL. The true step from block to block is seldom a whole number, and windows
must be long enough for what a whole one drifts from it. Two strides, one from block to
block and one from group to group of blocks, keep that drift within a few samples.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .filters import Axis, taps

# Candidates for the cut. One row would be a matrix-vector product, which is slower.
_ROWS, _GROUP = (
    grid.ravel() for grid in np.meshgrid([2, 4, 6, 8, 12, 16], np.arange(1, 17), indexing="ij")
)
_GROUP_ROWS = _ROWS * _GROUP
# What a block costs besides its products, as measured with OpenBLAS: packing the window,
# as much as 4 more rows (6 where the rows do not fill the kernel's), and writing.
_PACKING = np.where(_ROWS % 4 == 0, 4, 6) + _ROWS
_WRITING = 3 * _ROWS
_CACHE_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class Band:
    """Weights for windows over the input samples `first` to `first + used`.

    Block (g, b) reads the window that begins at `first + offset + g * group_stride +
    b * stride`. Windows may reach past the used samples by `pad_before` and `pad_after`:
    their weights there are zero, and what the caller puts there must be finite.
    """

    weights: NDArray[Any]
    """Shape (groups, blocks, rows, window), float32 or float64; rows beyond `out_size`,
    in the last blocks, are zero."""
    out_size: int
    first: int
    used: int
    offset: int
    group_stride: int
    stride: int
    pad_before: int
    pad_after: int

    @property
    def out_rows(self) -> int:
        """Rows that the blocks make together, at least `out_size`."""
        groups, blocks, rows, _ = map(int, self.weights.shape)
        return groups * blocks * rows


def build_band(axis: Axis, dtype: DTypeLike) -> Band:
    """The band of an axis, with weights of `dtype`."""
    first, weights = taps(axis)
    if dtype == np.float64:  # the weights' own rounding would show
        weights = weights / weights.sum(axis=1, keepdims=True, dtype=np.float64)
    low = _clamped(first, axis.in_size)
    high = _clamped(first + (weights.shape[1] - 1), axis.in_size)
    begin = int(min(low[0], low[-1]))
    used = int(max(high[0], high[-1])) + 1 - begin
    rows, group, strides = _choose_cut(axis, weights.shape[1])
    groups = -(-axis.out_size // (rows * group))
    begins = _window_begins(groups, group, strides)
    mirrored = axis.start > axis.end
    offset, window = _fit_windows(low - begin, high - begin, rows, begins, mirrored)
    if begins.size * rows * window >= axis.out_size * used:  # a full matrix is no larger
        rows, group, strides = max(2, axis.out_size), 1, (0, 0)
        groups, begins, offset, window = 1, np.zeros(1, np.intp), 0, used
    begins += offset

    # Taps beyond the border fall on the border sample, where weights must add up.
    places = _clamped(first[:, None] + np.arange(weights.shape[1]), axis.in_size)
    row = np.arange(axis.out_size)
    places += (row * window - begins[row // rows] - begin)[:, None]
    dense = np.bincount(places.ravel(), weights.ravel(), begins.size * rows * window)
    return Band(
        weights=dense.reshape(groups, group, rows, window).astype(dtype),
        out_size=axis.out_size,
        first=begin,
        used=used,
        offset=offset,
        group_stride=strides[0],
        stride=strides[1],
        pad_before=max(0, -int(begins.min())),
        pad_after=max(0, int(begins.max()) + window - used),
    )


def _clamped(indices: NDArray[np.intp], size: int) -> NDArray[np.intp]:
    # np.clip takes twice as long on arrays as short as these.
    return np.maximum(np.minimum(indices, size - 1), 0)


def _choose_cut(axis: Axis, support: int) -> tuple[int, int, tuple[int, int]]:
    """Rows a block, blocks a group, and the strides of groups and blocks: the least work."""
    scale = float(axis.scale)
    groups = -(-axis.out_size // _GROUP_ROWS)
    steps, group_steps = _ROWS * scale, _GROUP_ROWS * scale
    strides, group_strides = np.rint(steps), np.rint(group_steps)
    windows = np.abs(steps - strides) * (_GROUP - 1)
    windows += np.abs(group_steps - group_strides) * (groups - 1)
    windows += (_ROWS - 1) * abs(scale) + support
    best = int(np.argmin(groups * _GROUP * (windows * _PACKING + _WRITING)))
    return int(_ROWS[best]), int(_GROUP[best]), (int(group_strides[best]), int(strides[best]))


def _window_begins(groups: int, group: int, strides: tuple[int, int]) -> NDArray[np.intp]:
    begins = np.add.outer(np.arange(groups) * strides[0], np.arange(group) * strides[1])
    return begins.reshape(-1)


def _fit_windows(
    low: NDArray[np.intp],
    high: NDArray[np.intp],
    rows: int,
    begins: NDArray[np.intp],
    mirrored: bool,
) -> tuple[int, int]:
    """Shift of the windows and the length with which they hold every block's samples."""
    if mirrored:  # the last row of a block begins first
        low = np.append(low[rows - 1 :: rows], low[-1])
        high = high[::rows]
    else:
        low = low[::rows]
        high = np.append(high[rows - 1 :: rows], high[-1])
    blocks = min(len(low), len(high))  # the last group may have more, without rows
    offset = int((low[:blocks] - begins[:blocks]).min())
    return offset, int((high[:blocks] - begins[:blocks]).max()) + 1 - offset


class BandCache:
    """Bands by axis and dtype; the least used go when `max_bytes` is passed. Thread-safe."""

    def __init__(self, max_bytes: int = _CACHE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._bands: OrderedDict[tuple[Axis, Any], Band] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, axis: Axis, dtype: DTypeLike) -> Band:
        """The band of the axis, built at need."""
        key = (axis, dtype)
        with self._lock:
            band = self._bands.get(key)
            if band is not None:
                self._bands.move_to_end(key)
                return band
        band = build_band(axis, dtype)
        self._keep(key, band)
        return band

    def _keep(self, key: tuple[Axis, Any], band: Band) -> None:
        with self._lock:
            if key in self._bands:  # another thread was faster
                return
            self._bands[key] = band
            self._bytes += band.weights.nbytes
            while self._bytes > self._max_bytes:
                self._bytes -= self._bands.popitem(last=False)[1].weights.nbytes

    @property
    def nbytes(self) -> int:
        """Bytes of weights that are kept."""
        return self._bytes
