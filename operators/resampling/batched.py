"""`filters.Axis` for all images of a batch at once."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .filters import COLUMN_COST, KERNELS, MAX_TAPS, ROW_COST, SAMPLE_COST, Filter

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Float32s = NDArray[np.float32]
Bools = NDArray[np.bool_]

# NumPy is slow at comparing with members of an enumeration.
_NEAREST, _LINEAR, _TRIANGULAR, _GAUSSIAN = map(
    int, (Filter.NEAREST, Filter.LINEAR, Filter.TRIANGULAR, Filter.GAUSSIAN)
)
_KERNELS = {int(kind): kernel for kind, kernel in KERNELS.items()}


@dataclass(frozen=True, slots=True)
class Axes:
    """How axes are resampled: `Axis` with arrays of shape (axes, batch) for its fields.

    Attributes:
        scale, copies: see `Axis`.
        step, anchor, support: table steps an input pixel, pixels to the kernel's middle, and how
            many samples it weighs.
    """

    in_size: Ints
    out_size: Ints
    start: Floats
    end: Floats
    filter: Ints
    base: Ints
    scale: Float32s
    copies: Bools
    step: Float32s
    anchor: Float32s
    support: Ints

    def __getitem__(self, chosen: slice) -> Axes:
        return Axes(*(getattr(self, field.name)[chosen] for field in fields(self)))

    def with_front(self, front: Axes) -> Axes:
        """Return these axes behind those of `front`."""
        names = [field.name for field in fields(self)]
        return Axes(*(np.concatenate([getattr(front, n), getattr(self, n)]) for n in names))

    @property
    def mirrored(self) -> Bools:
        """Where an axis runs backwards."""
        return self.start > self.end

    def taps(self) -> Ints:
        """How many samples of the input each output sample weighs."""
        return np.where(self.copies, 1, np.minimum(self.support, self.in_size))

    def possible(self) -> Bools:
        """Where `filters.taps` does not raise."""
        return self.copies | (self.support * self.out_size <= MAX_TAPS)


def plan_axes(
    in_size: Ints,
    out_size: Ints,
    start: Floats,
    end: Floats,
    filters: tuple[Ints, Ints],
    antialias: bool,
) -> Axes:
    """Choose the filters as `filters.choose_filter` does, out of those for shrinking and others.

    Arrays are of shape (axes, batch), the filters' of (batch,).
    """
    extent = np.abs(end - start)
    shrinks = out_size < extent
    chosen = np.where(shrinks, *filters)
    chosen[chosen == _TRIANGULAR] = _LINEAR
    nearest = chosen == _NEAREST
    whole = (extent == out_size) & (start == np.floor(start))
    inside = (np.minimum(start, end) >= 0) & (np.maximum(start, end) <= in_size)
    copies = (whole & inside & (chosen != _GAUSSIAN)) | nearest
    scale = end.astype(np.float32) - start.astype(np.float32)
    scale /= out_size.astype(np.float32)
    stretched = shrinks & ~nearest & antialias
    stretch = np.where(stretched, np.abs(scale), np.float32(1))
    fitted = _fit(chosen, stretch)
    base = np.zeros_like(in_size)
    return Axes(in_size, out_size, start, end, chosen, base, scale, copies, *fitted)


def unchanged(size: Ints, kind: Ints) -> Axes:
    """Return axes that keep their size, with filters of this kind."""
    return plan_axes(size, size, np.zeros(size.shape), size.astype(float), (kind, kind), False)


def _fit(chosen: Ints, stretch: Float32s) -> tuple[Float32s, Float32s, Ints]:
    """Return `step`, `anchor` and `support`; of nearest neighbour 1, 0 and 1."""
    step, anchor = np.ones(chosen.shape, np.float32), np.zeros(chosen.shape, np.float32)
    support = np.ones(chosen.shape, np.int64)
    for kind in np.flatnonzero(np.bincount(chosen.reshape(-1))).tolist():
        if kind in _KERNELS:
            kernel, here = _KERNELS[kind], chosen == kind
            step[here], anchor[here] = kernel.fit(stretch[here])
            support[here] = np.ceil(kernel.last / step[here])
    return step, anchor, support


def with_bases(both: Axes, regions: Bools) -> Axes:
    """A vertical and a horizontal axis with their `base`, where there are `regions`.

    It is that of `filters.with_bases`.
    """
    tap_costs = np.array([[ROW_COST], [COLUMN_COST]])
    first, extent, cost = _extent_and_cost(both, tap_costs)
    height, width = extent
    out_height, out_width = both.out_size
    result = out_height * out_width
    rows_first = out_height * width * cost[0] + result * cost[1]
    columns_first = height * out_width * cost[1] + result * cost[0]
    last = np.stack([rows_first >= columns_first, rows_first < columns_first])
    return replace(both, base=np.where(last & regions, first, 0))


def _extent_and_cost(axes: Axes, tap_costs: Any) -> tuple[Ints, Ints, Floats]:
    """First pixel in the filter's reach, number of pixels, cost of a result."""
    low = np.minimum(axes.start, axes.end).astype(np.float32) - axes.anchor
    high = np.maximum(axes.start, axes.end).astype(np.float32) - axes.anchor
    high = high + axes.support.astype(np.float32)
    first = np.minimum(np.maximum(np.floor(low).astype(np.int64), 0), axes.in_size)
    end = np.minimum(np.maximum(np.ceil(high).astype(np.int64), 0), axes.in_size)
    return first, end - first, tap_costs * axes.support + SAMPLE_COST
