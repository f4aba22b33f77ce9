"""Classes of samples of similar length, and how many samples a batch of each class has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..arrays import Float64s, Int64s
from ..errors import ArgumentError
from ..suggestions import and_so

_CANDIDATES = 512
"""Lengths of which the bounds of classes are chosen."""

LONG = ("error", "alone", "drop")


class LengthClasses:
    """Samples in classes by length. A batch is of one class, and costs the budget at most.

    The class of a sample is the first whose bound is not below the sample's length. A batch of a
    class has as many samples as the budget has room for, if each were as long as the bound.

    Args:
        lengths: of the samples, in any unit: (n,).
        budget: cost of a batch. A sample costs its length, or `length + length**2 / quadratic`.
        buckets: number of classes, whose bounds are then those of the least padding; or bounds.
        most: samples of a batch at most.
        multiple_of: batches of this many samples or more have a multiple of it.
        quadratic: see `budget`; None for none.
        long: what becomes of a sample that costs more than the budget: an "error", a batch of it
            "alone", or "drop".
        samples: the samples that have these lengths, by default 0, 1, 2, ...
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
        samples: Int64s | None = None,
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
            named = where(worst if samples is None else int(samples[worst]))
            raise ArgumentError(
                f"batch_cost: {named} costs {cost(values[worst]):g}, more than the budget of "
                f"{budget:g}{and_so(int(too_long.sum()) - 1, 'does', 'do')}: raise the budget, or "
                'give long="alone" or long="drop"'
            )
        kept = np.flatnonzero(~too_long) if long == "drop" else np.arange(len(values))
        if not len(kept):
            raise ArgumentError("batch_cost: no sample costs less than the budget")
        self.dropped = len(values) - len(kept)
        values = values[kept]
        bounds = _bounds(values, cost(values), buckets)
        owners = np.searchsorted(bounds, values, "left")
        order = kept[np.argsort(owners, kind="stable")]
        self._order = order if samples is None else samples[order]
        counts = np.bincount(owners, minlength=len(bounds))
        self._starts = np.cumsum(counts) - counts
        self.bounds: tuple[float, ...] = tuple(bounds.tolist())
        self.sizes: tuple[int, ...] = tuple(counts.tolist())
        rooms = np.maximum(1, budget // np.maximum(cost(bounds), budget / (1 << 30)))
        self.batch_sizes = tuple(
            _rounded(min(int(room), most), multiple_of) for room in rooms.tolist()
        )

    def indices(self, numbers: int | Int64s, members: Int64s) -> Int64s:
        """Return the samples that are these members of a class, or each of its own class."""
        indices: Int64s = self._order[self._starts[numbers] + members]
        return indices

    @property
    def signature(self) -> list[Any]:
        """What decides which samples stand together: sizes and bounds of the classes."""
        return [list(self.sizes), list(self.bounds), list(self.batch_sizes)]


def _bounds(values: Float64s, costs: Float64s, buckets: int | Sequence[float]) -> Float64s:
    if isinstance(buckets, int):
        if buckets < 1:
            raise ArgumentError(f"batch_cost: buckets={buckets}, expected 1 or more, or bounds")
        return _best_bounds(values, costs, buckets)
    bounds = np.append(np.asarray(buckets, np.float64), values.max())
    bounds = np.unique(bounds[bounds <= values.max()])
    used = np.bincount(np.searchsorted(bounds, values, "left"), minlength=len(bounds)) > 0
    kept: Float64s = bounds[used]
    return kept


def _best_bounds(values: Float64s, costs: Float64s, buckets: int) -> Float64s:
    """Return the bounds for which samples cost least if each costs as much as its class's bound.

    Bounds are some of `_CANDIDATES` lengths. A table has the least cost of the samples up to each
    of these, in 1, 2, ... classes.
    """
    order = np.argsort(values, kind="stable")
    places = np.linspace(0, len(values) - 1, min(_CANDIDATES, len(values))).astype(np.int64)
    lengths, firsts = np.unique(values[order[places]], return_index=True)
    price = costs[order[places[firsts]]]
    counts = np.searchsorted(values[order], lengths, "right")
    between = (counts[None, :] - counts[:, None]) * price[None, :].astype(np.float64)
    between[np.tril_indices(len(lengths))] = np.inf
    least, cuts = counts * price, []
    for _ in range(min(buckets, len(lengths)) - 1):
        whole = least[:, None] + between
        cut = whole.argmin(axis=0)
        found = whole[cut, np.arange(len(lengths))]
        cuts.append(np.where(found < least, cut, -1))
        least = np.minimum(found, least)
    end, chosen = len(lengths) - 1, []
    for cut in reversed(cuts):
        if cut[end] >= 0:
            chosen.append(end)
            end = int(cut[end])
    bounds: Float64s = lengths[[end, *reversed(chosen)]]
    return bounds


def _rounded(size: int, multiple_of: int) -> int:
    return size // multiple_of * multiple_of if size >= multiple_of else size
