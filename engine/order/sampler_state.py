"""The remaining positions of epochs in progress: the sampler's checkpoint."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from ..arrays import Int64s
from .block_permutation import Blocks
from .state import (
    Intervals,
    State,
    are_intervals,
    ascend,
    blocks_of,
    intervals_of,
    is_whole,
    joined,
)


class Rest:
    """The remaining positions of one epoch; *ordinals* 0 to `count` - 1 number them in order."""

    def __init__(self, intervals: Intervals) -> None:
        self.intervals = intervals
        self._bounds = [0]  # the first ordinal of each interval, and the end of the last interval
        for start, stop in intervals:
            self._bounds.append(self._bounds[-1] + stop - start)
        self.count = self._bounds[-1]
        self._starts = np.array(self._bounds[:-1], np.int64)
        self._shifts = np.array([start for start, _ in intervals], np.int64) - self._starts

    def positions(self, ordinals: Int64s) -> Int64s:
        """Return the positions that `ordinals` number, by bisection."""
        if len(self._shifts) == 1:
            return ordinals + self._shifts
        which = np.searchsorted(self._starts, ordinals, side="right") - 1
        return ordinals + self._shifts[which]

    def intervals_of(self, start: int, stop: int) -> list[tuple[int, int]]:
        """Return the intervals of positions that ordinals [start, stop) number."""
        intervals = []
        interval = bisect_right(self._bounds, start) - 1
        while start < stop:
            end = min(stop, self._bounds[interval + 1])
            shift = self.intervals[interval][0] - self._bounds[interval]
            intervals.append((start + shift, end + shift))
            start, interval = end, interval + 1
        return intervals


@dataclass(frozen=True, kw_only=True)
class SamplerState(State):
    """The positions that no rank has consumed yet: a checkpoint of the samplers of a run."""

    parsers: ClassVar[Any] = {
        "blocks": blocks_of,
        "remaining": intervals_of,
        "cuts": lambda cuts: {int(epoch): tuple(own) for epoch, own in cuts.items()},
        "dealt": tuple,
        "walk": tuple,
    }

    size: int
    """Samples in the data set."""

    blocks: Blocks | None = None
    """The blocks that the shuffle keeps together; None for a shuffle of single samples."""

    parts: int = 1
    """Number of equal ranges of the data set; the shuffle permutes each range by itself."""

    indices: str | None = None
    """What stands for the indices that the order consists of: `Subset.digest`; None for all."""

    remaining: dict[int, Intervals] = field(default_factory=dict)
    """The remaining positions of epochs `epoch`, `epoch` + 1, ... that any rank has started.

    Later epochs are whole.
    """

    cuts: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """The borders between the ranks' remaining positions of an epoch, as ordinals 0, ..., count.

    An epoch that is divided evenly has no entry. Other epochs occur when ranks reach an epoch's
    end in different batches. With the same number of shards, every rank continues with its own
    remaining positions. With another number, the cuts are ignored.
    """

    dealt: tuple[int, int] | None = None
    """If the remaining positions of `epoch` are dealt out: the numbers of ranks and of samples.

    Each rank in turn gets so many positions, as often as there are positions. What the ranks have
    read together is then the start of the remaining positions, so ranks may change often, and the
    number of intervals does not grow. With other ranks or batches, this is ignored.
    """

    walk: tuple[int, int, int] | None = None
    """If the first epochs read whole shards: shards of a window, epochs, digest of the counts."""

    def checks(self) -> Iterator[tuple[str, bool]]:
        yield from super().checks()
        yield "size", is_whole(self.size, 1)
        yield "blocks", self.blocks is None or self.shuffle
        yield "parts", is_whole(self.parts, 1, self.size)
        yield "indices", isinstance(self.indices, str | None)
        # Those of epochs that follow one another.
        expected = range(self.epoch, self.epoch + len(self.remaining))
        yield "remaining", sorted(self.remaining) == [*expected]
        yield "remaining", all(are_intervals(own, self.size) for own in self.remaining.values())
        yield "cuts", all(self._are_cuts(*each) for each in self.cuts.items())
        yield (
            "dealt",
            self.dealt is None
            or (len(self.dealt) == 2 and all(is_whole(each, 1) for each in self.dealt)),
        )
        yield (
            "walk",
            self.walk is None
            or (self.shuffle and len(self.walk) == 3 and all(map(is_whole, self.walk))),
        )
        yield "walk", self.walk is None or self.walk[0] > 0

    def _are_cuts(self, epoch: int, cuts: tuple[int, ...]) -> bool:
        left = self.remaining.get(epoch)
        count = sum(stop - start for start, stop in left or ())
        ends = (cuts[0], cuts[-1]) if len(cuts) > 1 else ()
        return left is not None and ends == (0, count) and ascend(cuts, strictly=False)

    @property
    def at(self) -> int:
        """The first of the remaining positions of `epoch`, as their `Rest` numbers them."""
        return 0

    def moved_to(self, epoch: int, at: int) -> SamplerState:
        """Return the state without the first remaining positions: a whole prefix was read.

        Args:
            epoch: the first epoch with positions that are left.
            at: number of its remaining positions that were read, too.
        """
        remaining = {e: self.remaining[e] for e in sorted(self.remaining) if e > epoch}
        if at or remaining or epoch in self.remaining:
            rest = Rest(self.remaining.get(epoch, ((0, self.size),)))
            remaining = {epoch: joined(rest.intervals_of(at, rest.count)), **remaining}
        return replace(self, epoch=epoch, remaining=remaining, cuts={}, dealt=None)

    def dealt_to(self, ranks: int, batch_size: int) -> Self:
        return replace(self, cuts={}, dealt=(ranks, batch_size) if self.remaining else None)

    def after_epoch(self, epoch: int) -> SamplerState:
        """Return the state without the remaining positions of `epoch` and of those before it."""
        first = max(self.epoch, epoch + 1)
        return replace(
            self,
            epoch=first,
            remaining={epoch: self.remaining[epoch] for epoch in self.remaining if epoch >= first},
            cuts={epoch: self.cuts[epoch] for epoch in self.cuts if epoch >= first},
            dealt=self.dealt if first == self.epoch else None,
        )
