"""How an axis of an image is resampled: its filter, and the input samples that each output weighs.

Each rule exists twice, because a batch of one costs several times as much as the plain form. The
CPU plans one axis at a time (`ResampledAxis`), the GPU the axes of a batch (`ResampledAxes`).
Both forms give the same numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Float32s, Float64s, Int64s
from .filters import CURVES, Filter

MAX_TAPS = 1 << 23
"""Maximum number of weights for one axis: more means a region far larger than any image."""


_NEAREST, _LINEAR, _TRIANGULAR, _GAUSSIAN = map(  # NumPy is slow with members of an enumeration
    int, (Filter.NEAREST, Filter.LINEAR, Filter.TRIANGULAR, Filter.GAUSSIAN)
)


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


@dataclass(frozen=True, slots=True)
class ResampledAxes:
    """The axes of a batch: `ResampledAxis` with arrays of shape (count,) for its fields.

    Attributes:
        step, anchor, support: table steps an input pixel, pixels to the filter's middle, and
            number of samples that the filter reaches.
        copies: whether every output sample is exactly one input sample.
        scale: input pixels per output pixel, negative where an axis is mirrored.
        taps: number of input samples that each output sample weighs.
    """

    in_size: Int64s
    out_size: Int64s
    start: Float64s
    end: Float64s
    filter: Int64s
    stretched: NDArray[np.bool_]
    step: Float32s
    anchor: Float32s
    support: Int64s
    copies: NDArray[np.bool_]
    scale: Float32s
    taps: Int64s

    @property
    def mirrored(self) -> NDArray[np.bool_]:
        """Whether the axis runs backwards."""
        return self.start > self.end

    def possible(self) -> NDArray[np.bool_]:
        """Return for which axes `taps` does not raise."""
        return self.copies | (self.support * self.out_size <= MAX_TAPS)

    def select(self, which: NDArray[np.integer[Any]]) -> ResampledAxes:
        """Return some of the axes."""
        return ResampledAxes(*(getattr(self, name)[which] for name in _FIELDS))

    def split(self, count: int) -> list[ResampledAxes]:
        """Return `count` groups of equal length."""
        columns = (getattr(self, name).reshape(count, -1) for name in _FIELDS)
        return [ResampledAxes(*column) for column in zip(*columns, strict=True)]


_FIELDS = tuple(field.name for field in fields(ResampledAxes))


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
) -> ResampledAxes:
    """Return `plan_axis` of each axis of a batch."""
    shrinks = out_size < np.abs(end - start)
    chosen = np.where(shrinks, *filters)
    chosen = np.where(chosen == _TRIANGULAR, _LINEAR, chosen)
    stretched = shrinks & (chosen != _NEAREST) & antialias
    scale = _all_scales(start, end, out_size)
    step, anchor, support = _fit_all(chosen, stretched, scale)
    copies = _all_copies(in_size, out_size, start, end, chosen)
    taps = np.where(copies, 1, np.minimum(support, in_size))
    return ResampledAxes(
        *(in_size, out_size, start, end, chosen, stretched),
        *(step, anchor, support, copies, scale, taps),
    )


def unchanged_axes(size: Int64s, filters: Int64s) -> ResampledAxes:
    """Return axes that keep their size, with one of `filters` each."""
    return plan_axes(size, size, np.zeros(len(size)), size.astype(float), (filters, filters), False)


def whole_axes(
    in_size: Int64s, out_size: int, filters: tuple[int, int], antialias: bool
) -> ResampledAxes:
    """Plan axes the whole of which becomes `out_size`, by a table of all extents."""
    longest = (1 << int(in_size.max()).bit_length()) - 1
    return _whole_axes(longest, out_size, filters, antialias).select(in_size)


@lru_cache(maxsize=32)
def _whole_axes(
    longest: int, out_size: int, filters: tuple[int, int], antialias: bool
) -> ResampledAxes:
    """Plan all extents from 0 (taken for 1) to `longest`."""
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
    """Return `step`, `anchor` and `support` of `ResampledAxes` for one axis that weighs."""
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
