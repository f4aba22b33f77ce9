"""How an axis of an image is resampled: its filter, and the input samples that each output weighs.

Each rule exists twice, because a batch of one costs several times as much as the plain form. The
CPU plans one axis at a time (`ResampledAxis`), the GPU the axes of a batch (`AXES`). Both
forms give the same numbers.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Float32s, Float64s, Int64s
from .filters import CURVES, Filter, curve_tables

MAX_TAPS = 1 << 23
"""Maximum number of weights for one axis: more means a region far larger than any image."""

WEIGH, COPY, COPY_STEPWISE = range(3)
"""How output samples are computed. The GPU finds input samples that are copied by multiplying, or
step by step: see `nearest_indices`."""

# NumPy is slow with members of an enumeration.
_NEAREST, _LINEAR, _CUBIC, _LANCZOS3, _TRIANGULAR, _GAUSSIAN = map(int, Filter)


class ResampledAxis(NamedTuple):
    """How one axis is resampled; hashable, so that it is a key of the cache of weights.

    Attributes:
        in_size, out_size: number of samples before and after.
        start, end: edges of the region, in pixels of the input: pixel i covers i to i + 1. A
            region with start > end mirrors the axis. Samples outside the input repeat its border.
        filter: the filter.
        stretched: whether the filter widens by the reduction factor, which is antialiasing.
    """

    in_size: int
    out_size: int
    start: float
    end: float
    filter: Filter
    stretched: bool

    @property
    def scale(self) -> np.float32:
        """Input pixels per output pixel, negative where the axis is mirrored."""
        return (np.float32(self.end) - np.float32(self.start)) / np.float32(self.out_size)

    @property
    def copies(self) -> bool:
        """Whether every output sample is exactly one input sample."""
        if self.filter is Filter.NEAREST:
            return True
        return (
            self.filter is not Filter.GAUSSIAN
            and abs(self.end - self.start) == self.out_size
            and self.start == math.floor(self.start)
            and min(self.start, self.end) >= 0
            and max(self.start, self.end) <= self.in_size
        )


FIELDS_OF_KERNELS = [
    ("inputs", np.int32),
    ("outputs", np.int32),
    ("support", np.int32),
    ("taps", np.int32),
    ("way", np.int32),
    ("curve", np.int32),
    ("last", np.float32),
    ("step", np.float32),
    ("scale", np.float32),
    ("start", np.float32),
]
"""The first fields of `AXES`, which the kernels read as the struct Axis."""

AXES = np.dtype(
    [
        *FIELDS_OF_KERNELS,
        ("beyond", np.float64),
        ("spacing", np.float64),
        ("negative", np.bool_),
        ("possible", np.bool_),
    ],
    align=True,
)
"""The axes of a batch: a record of each, with what follows from its `ResampledAxis`.

- inputs, outputs: number of samples before and after.
- support: number of samples that the filter reaches.
- taps: number of input samples that each output sample weighs.
- way: WEIGH, or COPY or COPY_STEPWISE if every output sample is exactly one input sample.
- curve, last: start of the filter's table (see `curve_tables`), and its last step.
- step: table steps an input pixel.
- scale: input pixels an output pixel, negative where an axis is mirrored.
- start: position of the first output sample, or of its filter's start, in pixels of the input.
- beyond: how far results lie beyond the border, in pixels of the input.
- spacing: from one result to the next, in pixels of the input; positive.
- negative: whether weights may be negative.
- possible: whether `taps` does not raise.
"""

Axes = NDArray[np.void]
"""Records of `AXES`: (count,)."""


def choose_filter(
    extent: float, out_size: int, min_filter: Filter, mag_filter: Filter, antialias: bool
) -> tuple[Filter, bool]:
    """Return the filter for an axis, and whether it is stretched, by DALI's rules.

    An axis that shrinks takes `min_filter`, any other `mag_filter`. TRIANGULAR is LINEAR with
    antialiasing: without antialiasing, or on an axis that grows, it is LINEAR.
    """
    shrinks = out_size < extent
    chosen = min_filter if shrinks else mag_filter
    if chosen is Filter.TRIANGULAR:
        chosen = Filter.LINEAR
    return chosen, shrinks and antialias and chosen is not Filter.NEAREST


def plan_axis(
    in_size: int,
    out_size: int,
    start: float,
    end: float,
    filters: tuple[Filter, Filter],
    antialias: bool,
) -> ResampledAxis:
    """Return how an axis is resampled to `out_size`, showing `start` to `end`.

    `filters` are the one for shrinking and the other one.
    """
    chosen, stretched = choose_filter(abs(end - start), out_size, *filters, antialias)
    return ResampledAxis(in_size, out_size, start, end, chosen, stretched)


def plan_axes(
    in_size: Int64s,
    out_size: Int64s,
    start: Float64s,
    end: Float64s,
    filters: tuple[Int64s, Int64s],
    antialias: bool,
) -> Axes:
    """Return what follows from `plan_axis` of each axis of a batch."""
    shrinks = out_size < np.abs(end - start)
    chosen = np.where(shrinks, *filters)
    chosen = np.where(chosen == _TRIANGULAR, _LINEAR, chosen)
    stretched = shrinks & (chosen != _NEAREST) & antialias
    scale = _all_scales(start, end, out_size)
    step, anchor, support = _fit_all(chosen, stretched, scale)
    copies = _all_copies(in_size, out_size, start, end, chosen)
    taps = np.where(copies, 1, np.minimum(support, in_size))
    curves, edge, half = curve_tables(), start.astype(np.float32), np.float32(0.5)
    spacing = np.maximum(np.abs(scale).astype(np.float64), 1e-9)
    first = np.minimum(start, end) + spacing / 2 - 1 - anchor
    last = np.maximum(start, end) - spacing / 2 - anchor
    axes = np.empty(len(scale), AXES)
    axes["inputs"] = in_size
    axes["outputs"] = out_size
    axes["support"] = support
    axes["taps"] = taps
    axes["way"] = np.where(copies, COPY, WEIGH)
    axes["curve"] = curves.starts[chosen]
    axes["last"] = curves.lasts[chosen]
    axes["step"] = step
    axes["scale"] = scale
    axes["start"] = np.where(copies, edge, edge + (half * scale - half - anchor))
    axes["beyond"] = np.maximum(-first, 0) + np.maximum(last - (in_size - taps), 0)
    axes["spacing"] = spacing
    axes["negative"] = (chosen == _CUBIC) | (chosen == _LANCZOS3)
    axes["possible"] = copies | (support * out_size <= MAX_TAPS)
    return axes


def find_stepwise(axes: Axes) -> None:
    """Have the GPU find the samples of axes step by step."""
    axes["way"] = np.where(axes["way"] == WEIGH, WEIGH, COPY_STEPWISE)


def unchanged_axes(size: Int64s) -> Axes:
    """Return axes that keep their size, and all their samples."""
    nearest = np.full_like(size, _NEAREST)
    ends = size.astype(np.float64)
    return plan_axes(size, size, np.zeros_like(ends), ends, (nearest, nearest), False)


@lru_cache(maxsize=32)
def whole_axes(longest: int, out_size: int, filters: tuple[int, int], antialias: bool) -> Axes:
    """Plan axes the whole of which becomes `out_size`, by their size from 0 to `longest`.

    0 is taken for 1.
    """
    sizes = np.maximum(np.arange(longest + 1), 1)
    chosen = np.full_like(sizes, filters[0]), np.full_like(sizes, filters[1])
    ends = sizes.astype(np.float64)
    outputs = np.full_like(sizes, out_size)
    return plan_axes(sizes, outputs, np.zeros_like(ends), ends, chosen, antialias)


def _all_scales(start: Float64s, end: Float64s, out_size: Int64s) -> Float32s:
    """Return `ResampledAxis.scale` of each axis."""
    extent = end.astype(np.float32) - start.astype(np.float32)
    return np.asarray(extent / out_size.astype(np.float32), np.float32)


def _all_copies(
    in_size: Int64s, out_size: Int64s, start: Float64s, end: Float64s, chosen: Int64s
) -> NDArray[np.bool_]:
    """Return `ResampledAxis.copies` of each axis."""
    plain = (
        (chosen != _GAUSSIAN)
        & (np.abs(end - start) == out_size)
        & (start == np.floor(start))
        & (np.minimum(start, end) >= 0)
        & (np.maximum(start, end) <= in_size)
    )
    copied: NDArray[np.bool_] = plain | (chosen == _NEAREST)
    return copied


def nearest_indices(axis: ResampledAxis, *, stepwise: bool) -> NDArray[np.intp]:
    """Return the input index of every output sample, clamped into the input.

    DALI finds rows by adding the scale again and again in float32 (`stepwise`), columns by
    multiplying.
    """
    scale, start = axis.scale, np.float32(axis.start)
    if stepwise:
        steps = np.full(axis.out_size, scale, np.float32)
        steps[0] = start + np.float32(0.5) * scale
        positions = np.add.accumulate(steps)
    else:
        centers = np.arange(axis.out_size, dtype=np.float32) + np.float32(0.5)
        positions = centers * scale + start
    indices: NDArray[np.intp] = np.floor(positions).astype(np.intp)
    return np.clip(indices, 0, axis.in_size - 1, out=indices)


def taps(axis: ResampledAxis) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Return the first input index of every output sample, and its normalized weights.

    Positions are computed in float32, as DALI does.

    Returns:
        Indices of shape (out_size,), not clamped into the input, and weights of shape
        (out_size, support).

    Raises:
        ValueError: the region is so large that the weights would not fit into memory.
    """
    scale = axis.scale
    step, anchor, support = _fit(axis)
    if support * axis.out_size > MAX_TAPS:
        raise ValueError(
            f"cannot resample the region {axis.start} to {axis.end} of {axis.in_size} pixels to "
            f"{axis.out_size}: each output sample would weigh {support} input samples; "
            "choose a region nearer to the size of the image"
        )
    start = np.float32(axis.start) + (np.float32(0.5) * scale - np.float32(0.5) - anchor)
    positions = np.arange(axis.out_size, dtype=np.float32) * scale + start
    first = np.ceil(positions)
    offsets = np.arange(support, dtype=np.float32) + (first - positions)[:, None]
    weights = CURVES[axis.filter].sample(offsets, step)
    weights /= np.add.reduce(weights, axis=1, keepdims=True)
    return first.astype(np.intp), weights


def _fit(axis: ResampledAxis) -> tuple[np.float32, np.float32, int]:
    """Return the step and the support of `AXES` for one axis that weighs, and its anchor.

    The anchor is the distance in pixels from the filter's start to its middle.
    """
    curve = CURVES[axis.filter]
    step, anchor = curve.fit(abs(axis.scale) if axis.stretched else np.float32(1))
    return step, anchor, math.ceil(curve.last / step)


def _fit_all(
    chosen: Int64s, stretched: NDArray[np.bool_], scale: Float32s
) -> tuple[Float32s, Float32s, Int64s]:
    """Return `_fit` of each axis; nearest neighbor has 1, 0 and 1."""
    step, support = np.ones(len(chosen), np.float32), np.ones(len(chosen), np.float32)
    anchor = np.zeros(len(chosen), np.float32)
    stretch = np.where(stretched, np.abs(scale), np.float32(1))
    for number in set(chosen.tolist()) - {_NEAREST}:
        here, curve = chosen == number, CURVES[number]
        step[here], anchor[here] = curve.fit(stretch[here])
        support[here] = np.ceil(curve.last / step[here])
    return step, anchor, support.astype(np.int64)
