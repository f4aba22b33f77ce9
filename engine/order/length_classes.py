"""Classes of samples of similar length, and how many samples a batch of each class has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..arrays import Float64s, Int64s
from ..errors import ArgumentError

LONG = ("error", "alone", "drop")


class LengthClasses:
    """Samples in classes by length. A batch is of one class, and costs the budget at most.

    The class of a sample is the first whose bound is not below the sample's length. A batch of a
    class has as many samples as the budget has room for, if each were as long as the bound.

    Args:
        lengths: of the samples, in any unit: (n,).
        budget: cost of a batch. A sample costs its length, or `length + length**2 / quadratic`.
        buckets: number of classes, which then cost about the same together; or their bounds.
        most: samples of a batch at most.
        multiple_of: batches of this many samples or more have a multiple of it.
        quadratic: see `budget`; None for none.
        long: what becomes of a sample that costs more than the budget: an "error", a batch of it
            "alone", or "drop".
        where: says where a sample is stored, for the error.

    Attributes:
        bounds: longest length of each class.
        sizes: samples of each class.
        batch_sizes: samples of a batch of each class.
        dropped: samples that were left out.

    >>> classes = LengthClasses([1, 1, 2, 2, 5], budget=6, buckets=[2, 5], most=64)
    >>> classes.sizes, classes.batch_sizes
    ((4, 1), (3, 1))
    """

    def __init__(
        self,
        lengths: Any,
        *,
        budget: float,
        buckets: int | Sequence[float] = 30,
        most: int,
        multiple_of: int = 1,
        quadratic: float | None = None,
        long: str = "error",
        where: Callable[[int], str] = lambda index: f"sample {index}",
    ) -> None:
        values: Float64s = np.asarray(lengths, np.float64)
        if values.ndim != 1 or not values.size or not np.isfinite(values).all():
            raise ArgumentError("batch_cost: each sample needs a length, which is a finite number")
        if values.min() < 0 or not budget > 0 or multiple_of < 1 or (quadratic or 1) <= 0:
            raise ArgumentError(
                "batch_cost: lengths must be 0 or more, budget and quadratic positive, and "
                "multiple_of 1 or more"
            )
        if long not in LONG:
            raise ArgumentError(f"batch_cost: long={long!r}, expected one of {', '.join(LONG)}")

        def cost(length: Float64s) -> Float64s:
            return length + length**2 / quadratic if quadratic else length

        too_long = cost(values) > budget
        if too_long.any() and long == "error":
            worst = int(np.argmax(values))
            raise ArgumentError(
                f"batch_cost: {where(worst)} costs {cost(values[worst]):g}, more than the budget "
                f"of {budget:g}, and so do {int(too_long.sum()) - 1} others: raise the budget, or "
                'give long="alone" or long="drop"'
            )
        kept = np.flatnonzero(~too_long) if long == "drop" else np.arange(len(values))
        if not len(kept):
            raise ArgumentError("batch_cost: no sample costs less than the budget")
        self.dropped = len(values) - len(kept)
        values = values[kept]
        bounds = _bounds(values, cost(values), buckets)
        owners = np.searchsorted(bounds, values, "left")
        self._order = kept[np.argsort(owners, kind="stable")]
        counts = np.bincount(owners, minlength=len(bounds))
        self._starts = np.cumsum(counts) - counts
        self.bounds: tuple[float, ...] = tuple(bounds.tolist())
        self.sizes: tuple[int, ...] = tuple(counts.tolist())
        rooms = np.maximum(1, budget // np.maximum(cost(bounds), budget / (1 << 30)))
        self.batch_sizes = tuple(
            _rounded(min(int(room), most), multiple_of) for room in rooms.tolist()
        )

    def stand_for(self, indices: Int64s) -> None:
        """Let the samples be these of a data set, in the order of their lengths' array."""
        self._order = indices[self._order]

    def indices(self, number: int, members: Int64s) -> Int64s:
        """Return the samples that are these members of a class."""
        indices: Int64s = self._order[self._starts[number] + members]
        return indices

    @property
    def signature(self) -> list[Any]:
        """What decides which samples stand together: sizes and bounds of the classes."""
        return [list(self.sizes), list(self.bounds), list(self.batch_sizes)]


def _bounds(values: Float64s, costs: Float64s, buckets: int | Sequence[float]) -> Float64s:
    if isinstance(buckets, int):
        if buckets < 1:
            raise ArgumentError(f"batch_cost: buckets={buckets}, expected 1 or more, or bounds")
        order = np.argsort(values, kind="stable")
        mass = np.cumsum(costs[order])
        ends = np.searchsorted(mass, mass[-1] * np.arange(1, buckets + 1) / buckets, "left")
        bounds = values[order[np.minimum(ends, len(values) - 1)]]
    else:
        bounds = np.append(np.asarray(buckets, np.float64), values.max())
    bounds = np.unique(bounds[bounds <= values.max()])
    used = np.bincount(np.searchsorted(bounds, values, "left"), minlength=len(bounds)) > 0
    kept: Float64s = bounds[used]
    return kept


def _rounded(size: int, multiple_of: int) -> int:
    return size // multiple_of * multiple_of if size >= multiple_of else size
