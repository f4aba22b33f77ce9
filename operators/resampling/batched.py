"""`filters.Axis` for all images of a batch at once."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .filters import COLUMN_COST, KERNELS, MAX_TAPS, ROW_COST, SAMPLE_COST, Filter

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Float32s = NDArray[np.float32]

_NEAREST, _LINEAR, _TRIANGULAR, _GAUSSIAN = map(  # NumPy is slow with members of an enumeration
    int, (Filter.NEAREST, Filter.LINEAR, Filter.TRIANGULAR, Filter.GAUSSIAN)
)


@dataclass(frozen=True, slots=True)
class Axes:
    """How axes are resampled: `Axis` with arrays of shape (count,) for its fields.

    Attributes:
        step, anchor, support: table steps an input pixel, pixels to the kernel's middle, and how
            many samples it weighs.
        copies: where every output sample is exactly one input sample.
        scale: input pixels per output pixel, negative where an axis is mirrored.
        taps: how many samples of the input each output sample weighs.
    """

    in_size: Ints
    out_size: Ints
    start: Floats
    end: Floats
    filter: Ints
    stretched: NDArray[np.bool_]
    base: Ints
    step: Float32s
    anchor: Float32s
    support: Ints
    copies: NDArray[np.bool_]
    scale: Float32s
    taps: Ints

    @property
    def mirrored(self) -> NDArray[np.bool_]:
        """Where the axis runs backwards."""
        return self.start > self.end

    def possible(self) -> NDArray[np.bool_]:
        """Where `filters.taps` does not raise."""
        return self.copies | (self.support * self.out_size <= MAX_TAPS)

    def take(self, which: NDArray[np.integer[Any]]) -> Axes:
        """Return some of the axes."""
        return Axes(*(getattr(self, name)[which] for name in _FIELDS))


_FIELDS = tuple(field.name for field in fields(Axes))


def split(axes: Axes, parts: int) -> list[Axes]:
    """Return equal parts."""
    columns = (getattr(axes, name).reshape(parts, -1) for name in _FIELDS)
    return [Axes(*column) for column in zip(*columns, strict=True)]


def unchanged(size: Ints, kind: Ints) -> Axes:
    """Return axes that keep their size, with filters of this kind."""
    return plan_axes(size, size, np.zeros(len(size)), size.astype(float), (kind, kind), False)


@lru_cache(maxsize=32)
def _whole_axes(most: int, out_size: int, filters: tuple[int, int], antialias: bool) -> Axes:
    """Plan all extents up to `most`; the first is 1, too."""
    sizes = np.maximum(np.arange(most + 1), 1)
    chosen = np.full_like(sizes, filters[0]), np.full_like(sizes, filters[1])
    ends = sizes.astype(np.float64)
    outputs = np.full_like(sizes, out_size)
    return plan_axes(sizes, outputs, np.zeros_like(ends), ends, chosen, antialias)


def whole_axes(in_size: Ints, out_size: int, filters: tuple[int, int], antialias: bool) -> Axes:
    """Plan axes the whole of which becomes `out_size`: they are taken out of a table by extent."""
    most = (1 << int(in_size.max()).bit_length()) - 1
    return _whole_axes(most, out_size, filters, antialias).take(in_size)


def plan_axes(
    in_size: Ints,
    out_size: Ints,
    start: Floats,
    end: Floats,
    filters: tuple[Ints, Ints],
    antialias: bool,
) -> Axes:
    """Choose the filters as `filters.choose_filter` does, out of those for shrinking and others."""
    shrinks = out_size < np.abs(end - start)
    chosen = np.where(shrinks, *filters)
    chosen = np.where(chosen == _TRIANGULAR, _LINEAR, chosen)
    stretched = shrinks & (chosen != _NEAREST) & antialias
    scale = _scale(start, end, out_size)
    step, anchor, support = _fit(chosen, stretched, scale)
    copies = _copies(in_size, out_size, start, end, chosen)
    return Axes(
        in_size,
        out_size,
        start,
        end,
        chosen,
        stretched,
        np.zeros_like(in_size),
        step,
        anchor,
        support,
        copies,
        scale,
        np.where(copies, 1, np.minimum(support, in_size)),
    )


def _copies(
    in_size: Ints, out_size: Ints, start: Floats, end: Floats, chosen: Ints
) -> NDArray[np.bool_]:
    """Return `filters.Axis.copies` of each axis."""
    plain = (
        (chosen != _GAUSSIAN)
        & (np.abs(end - start) == out_size)
        & (start == np.floor(start))
        & (np.minimum(start, end) >= 0)
        & (np.maximum(start, end) <= in_size)
    )
    copied: NDArray[np.bool_] = plain | (chosen == _NEAREST)
    return copied


def _scale(start: Floats, end: Floats, out_size: Ints) -> Float32s:
    extent = end.astype(np.float32) - start.astype(np.float32)
    return np.asarray(extent / out_size.astype(np.float32), np.float32)


def _fit(
    chosen: Ints, stretched: NDArray[np.bool_], scale: Float32s
) -> tuple[Float32s, Float32s, Ints]:
    """Return `step`, `anchor` and `support`; of nearest neighbour 1, 0 and 1."""
    step, support = np.ones(len(chosen), np.float32), np.ones(len(chosen), np.float32)
    anchor = np.zeros(len(chosen), np.float32)
    stretch = np.where(stretched, np.abs(scale), np.float32(1))
    for kind in set(chosen.tolist()) - {_NEAREST}:
        here, kernel = chosen == kind, KERNELS[kind]
        step[here], anchor[here] = kernel.fit(stretch[here])
        support[here] = np.ceil(kernel.last / step[here])
    return step, anchor, support.astype(np.int64)


def with_bases(vertical: Axes, horizontal: Axes, regions: NDArray[np.bool_]) -> tuple[Axes, Axes]:
    """Both axes with their `base`, as `filters.with_bases` does it, where there are `regions`."""
    if not regions.any():
        return vertical, horizontal
    top, height, rows_cost = _extent_and_cost(vertical, ROW_COST)
    left, width, columns_cost = _extent_and_cost(horizontal, COLUMN_COST)
    result = vertical.out_size * horizontal.out_size
    rows_first = vertical.out_size * width * rows_cost + result * columns_cost
    columns_first = height * horizontal.out_size * columns_cost + result * rows_cost
    first = rows_first < columns_first
    return (
        replace(vertical, base=np.where(regions & ~first, top, 0)),
        replace(horizontal, base=np.where(regions & first, left, 0)),
    )


def _extent_and_cost(axes: Axes, tap_cost: float) -> tuple[Ints, Ints, Floats]:
    """First pixel in the filter's reach, number of pixels, cost of a result."""
    low = np.minimum(axes.start, axes.end).astype(np.float32) - axes.anchor
    high = np.maximum(axes.start, axes.end).astype(np.float32) - axes.anchor
    high = high + axes.support.astype(np.float32)
    first = np.clip(np.floor(low).astype(np.int64), 0, axes.in_size)
    end = np.clip(np.ceil(high).astype(np.int64), 0, axes.in_size)
    cost = tap_cost * axes.support.astype(np.float64) + SAMPLE_COST
    return first, end - first, cost
