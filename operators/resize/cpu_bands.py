"""The banded matrix that resamples one axis, cut so that one `np.matmul` applies it.

Each output sample weighs a short run of input samples, and the run moves on by the scale. So a
block of consecutive output lines reads one window of the input. If the windows start at equal
strides, they are one strided view of the input, and one call without the GIL multiplies all
blocks. The true step from block to block is seldom a whole number: strides drift from it, and
the windows must be longer by the drift. Two strides, one from block to block and one from group
to group of blocks, keep the drift within a few samples.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...engine.arrays import Array
from .axes import ResampledAxis, taps

# Candidates for the cut. One line would be a matrix-vector product, which is slower.
_LINES, _GROUP = (
    grid.ravel() for grid in np.meshgrid([2, 4, 6, 8, 12, 16], np.arange(1, 17), indexing="ij")
)
_GROUP_LINES = _LINES * _GROUP
# The cost of a block beside its products, measured with OpenBLAS: packing the window costs as much
# as 4 more lines (6 where the lines do not fill OpenBLAS's own blocks). Writing adds to this cost.
_PACKING = np.where(_LINES % 4 == 0, 4, 6) + _LINES
_WRITING = 3 * _LINES


class Band(NamedTuple):
    """Weights for windows over the input samples `first` to `first + used`.

    Block (g, b) reads the window that starts at `first + offset + g * group_stride +
    b * stride`.

    Attributes:
        weights: float32 or float64, of shape (groups, blocks, lines, window); zero for lines
            beyond `out_size`, which the last blocks have.
        out_size: number of output samples.
        out_lines: lines that the blocks make together, at least `out_size`.
        first, used: the first input sample with a weight, and the number of samples up to the
            last one.
        offset, group_stride, stride: where the windows start.
        pad_before, pad_after: how far windows reach past the used samples. Their weights there
            are zero, and the caller's values there must be finite.
    """

    weights: Array
    out_size: int
    out_lines: int
    first: int
    used: int
    offset: int
    group_stride: int
    stride: int
    pad_before: int
    pad_after: int


def build_band(axis: ResampledAxis, dtype: DTypeLike) -> Band:
    """Return the band of an axis, with weights of `dtype`."""
    first, weights = taps(axis)
    if dtype == np.float64:  # the weights' own rounding would show
        weights = weights / weights.sum(axis=1, keepdims=True, dtype=np.float64)
    return band_of_taps(axis, first, weights, dtype)


def band_of_taps(
    axis: ResampledAxis, first: NDArray[np.intp], weights: Array, dtype: DTypeLike
) -> Band:
    """Return the band of these weights, of `dtype`.

    Args:
        axis: sizes and region of the axis.
        first: the first input sample of each output sample: (out_size,). Samples beyond the input
            repeat its border.
        weights: (out_size, taps).
        dtype: of the band's weights.
    """
    low = _clamped(first, axis.in_size)
    high = _clamped(first + (weights.shape[1] - 1), axis.in_size)
    start = int(min(low[0], low[-1]))
    used = int(max(high[0], high[-1])) + 1 - start
    cut = _cut(axis, weights.shape[1], low - start, high - start, used)
    return Band(
        weights=_dense(axis, first, weights, cut, start).astype(dtype),
        out_size=axis.out_size,
        out_lines=cut.starts.size * cut.lines,
        first=start,
        used=used,
        offset=cut.offset,
        group_stride=cut.group_stride,
        stride=cut.stride,
        pad_before=max(0, -int(cut.starts.min())),
        pad_after=max(0, int(cut.starts.max()) + cut.window - used),
    )


class _Cut(NamedTuple):
    """A band's blocks: `group` blocks of `lines` lines in each group, and their windows."""

    lines: int
    group: int
    offset: int
    group_stride: int
    stride: int
    window: int
    starts: NDArray[np.intp]


def _cut(
    axis: ResampledAxis, support: int, low: NDArray[np.intp], high: NDArray[np.intp], used: int
) -> _Cut:
    """Return the cut of a band, whose output lines read the samples from `low` to `high`."""
    lines, group, strides = _choose_cut(axis, support)
    groups = -(-axis.out_size // (lines * group))
    starts = _window_starts(groups, group, strides)
    offset, window = _fit_windows(low, high, lines, starts, axis.start > axis.end)
    if starts.size * lines * window < axis.out_size * used:
        return _Cut(lines, group, offset, *strides, window, starts + offset)
    # A full matrix is no larger.
    return _Cut(max(2, axis.out_size), 1, 0, 0, 0, used, np.zeros(1, np.intp))


def _dense(
    axis: ResampledAxis,
    first: NDArray[np.intp],
    weights: Array,
    cut: _Cut,
    start: int,
) -> Array:
    """Return the weights of all blocks, each in the columns of its window."""
    # Taps beyond the border fall on the border sample, where weights must add up.
    columns = _clamped(first[:, None] + np.arange(weights.shape[1]), axis.in_size)
    line = np.arange(axis.out_size)
    columns += (line * cut.window - cut.starts[line // cut.lines] - start)[:, None]
    elements = cut.starts.size * cut.lines * cut.window
    dense = np.bincount(columns.ravel(), weights.ravel(), elements)
    return dense.reshape(-1, cut.group, cut.lines, cut.window)


def _clamped(indices: NDArray[np.intp], size: int) -> NDArray[np.intp]:
    # np.clip takes twice as long on arrays as short as these.
    return np.maximum(np.minimum(indices, size - 1), 0)


def _choose_cut(axis: ResampledAxis, support: int) -> tuple[int, int, tuple[int, int]]:
    """Return lines a block, blocks a group, and strides of groups and blocks: the least work."""
    scale = float(axis.scale)
    groups = -(-axis.out_size // _GROUP_LINES)
    steps, group_steps = _LINES * scale, _GROUP_LINES * scale
    strides, group_strides = np.rint(steps), np.rint(group_steps)
    windows = np.abs(steps - strides) * (_GROUP - 1)
    windows += np.abs(group_steps - group_strides) * (groups - 1)
    windows += (_LINES - 1) * abs(scale) + support
    best = int(np.argmin(groups * _GROUP * (windows * _PACKING + _WRITING)))
    return int(_LINES[best]), int(_GROUP[best]), (int(group_strides[best]), int(strides[best]))


def _window_starts(groups: int, group: int, strides: tuple[int, int]) -> NDArray[np.intp]:
    starts = np.add.outer(np.arange(groups) * strides[0], np.arange(group) * strides[1])
    return starts.reshape(-1)


def _fit_windows(
    low: NDArray[np.intp],
    high: NDArray[np.intp],
    lines: int,
    starts: NDArray[np.intp],
    mirrored: bool,
) -> tuple[int, int]:
    """Return the shift of the windows and the length with which they hold every block's samples."""
    if mirrored:  # the last line of a block starts first
        low = np.append(low[lines - 1 :: lines], low[-1])
        high = high[::lines]
    else:
        low = low[::lines]
        high = np.append(high[lines - 1 :: lines], high[-1])
    blocks = min(len(low), len(high))  # the last group may have more, without lines
    offset = int((low[:blocks] - starts[:blocks]).min())
    return offset, int((high[:blocks] - starts[:blocks]).max()) + 1 - offset
