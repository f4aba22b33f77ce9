"""The remaining positions of epochs in progress: intervals, and the sampler's checkpoint."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CheckpointError
from .block_permutation import Blocks

EPOCHS = 1 << 32
"""Epochs of a run: the randomness is keyed by 32 bits of the epoch."""

Intervals = tuple[tuple[int, int], ...]
"""Half-open, non-empty, ascending intervals of positions that do not touch or overlap."""


def joined(intervals: Iterable[tuple[int, int]]) -> Intervals:
    """Return ascending `intervals`, with adjacent intervals merged."""
    merged: list[tuple[int, int]] = []
    for start, stop in intervals:
        if merged and merged[-1][1] == start:
            merged[-1] = (merged[-1][0], stop)
        else:
            merged.append((start, stop))
    return tuple(merged)


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

    def positions(self, ordinals: NDArray[np.int64]) -> NDArray[np.int64]:
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
class SamplerState:
    """The positions that no rank has consumed yet: a checkpoint of the samplers of a run.

    Raises:
        CheckpointError: the values contradict each other.
    """

    size: int
    """Samples in the data set."""

    shuffle: bool
    """Whether a shuffle maps positions to indices."""

    seed: int
    """The seed of the shuffle."""

    epoch: int
    """The first epoch with remaining positions; later epochs are whole unless in `remaining`."""

    blocks: Blocks | None = None
    """The blocks that the shuffle keeps together; None for a shuffle of single samples."""

    parts: int = 1
    """Number of equal ranges of the data set; the shuffle permutes each range by itself."""

    indices: str | None = None
    """What stands for the indices that the order consists of: `Subset.digest`; None for all."""

    remaining: dict[int, Intervals] = field(default_factory=dict)
    """The remaining positions of epochs `epoch`, `epoch` + 1, ... that any rank has started."""

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

    global_batch: int | None = None
    """Samples of a step of all ranks, if `reshard` holds them: see `Cursor`."""

    walk: tuple[int, int, int] | None = None
    """If the first epochs read whole shards: shards of a window, epochs, digest of the counts."""

    def __post_init__(self) -> None:
        _demand(
            self.walk is None
            or (self.shuffle and len(self.walk) == 3 and all(map(_is_count, self.walk))),
            f"walk is {self.walk!r}, neither null nor [window, epochs, digest]",
        )
        _demand(self.walk is None or self.walk[0] > 0, "the window of walk is 0")
        _demand(_is_count(self.size) and self.size > 0, f"size is {self.size!r}")
        _demand(isinstance(self.shuffle, bool), f"shuffle is {self.shuffle!r}")
        _demand(_is_count(self.seed, lowest=None), f"seed is {self.seed!r}")
        _demand(self.blocks is None or self.shuffle, "blocks is set although shuffle is not")
        _demand(
            _is_count(self.parts, lowest=1) and self.parts <= self.size,
            f"parts is {self.parts!r}",
        )
        _demand(_is_count(self.epoch) and self.epoch < EPOCHS, f"epoch is {self.epoch!r}")
        _demand(isinstance(self.indices, str | None), f"indices is {self.indices!r}")
        expected = range(self.epoch, self.epoch + len(self.remaining))
        _demand(
            sorted(self.remaining) == list(expected),
            f"remaining has epochs {sorted(self.remaining)}, which are not consecutive from "
            f"{self.epoch} on",
        )
        for epoch, intervals in self.remaining.items():
            _check_intervals(epoch, intervals, self.size)
        for epoch, cuts in self.cuts.items():
            _check_cuts(epoch, cuts, self.remaining.get(epoch))
        _demand(
            self.dealt is None
            or (len(self.dealt) == 2 and all(_is_count(count, lowest=1) for count in self.dealt)),
            f"dealt is {self.dealt!r}, neither null nor [ranks, samples]",
        )
        _demand(
            self.global_batch is None or _is_count(self.global_batch, lowest=1),
            f"global_batch is {self.global_batch!r}",
        )

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

    def dealt_to(self, ranks: int, batch_size: int) -> SamplerState:
        """Return the state for other ranks, which divide each epoch anew."""
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

    def to_json(self) -> dict[str, Any]:
        """Return the state as dicts, lists, integers and booleans, for `json.dumps`.

        Values that are the defaults are left out.
        """
        value: dict[str, Any] = {
            "size": self.size,
            "shuffle": self.shuffle,
            "seed": self.seed,
            "epoch": self.epoch,
        }
        if self.blocks is not None:
            value["blocks"] = [self.blocks.size, self.blocks.window]
        if self.parts != 1:
            value["parts"] = self.parts
        if self.indices is not None:
            value["indices"] = self.indices
        if self.remaining:
            value["remaining"] = {
                str(epoch): [list(interval) for interval in intervals]
                for epoch, intervals in self.remaining.items()
            }
        if self.cuts:
            value["cuts"] = {str(epoch): list(cuts) for epoch, cuts in self.cuts.items()}
        if self.dealt is not None:
            value["dealt"] = list(self.dealt)
        if self.global_batch is not None:
            value["global_batch"] = self.global_batch
        if self.walk is not None:
            value["walk"] = list(self.walk)
        return value

    @classmethod
    def from_json(cls, value: object) -> SamplerState:
        """Return the state that `to_json` turned into `value`, after a check of all values."""
        if not isinstance(value, dict):
            raise CheckpointError(f"sampler state: expected a JSON object, got {value!r:.80}")
        defaults: dict[str, Any] = {"blocks": None, "parts": 1, "remaining": {}, "cuts": {}}
        defaults |= {"indices": None, "dealt": None, "walk": None, "global_batch": None}
        names = {"size", "shuffle", "seed", "epoch", *defaults}
        value = defaults | value
        _demand(set(value) == names, f"it has {sorted(value)}, expected {sorted(names)}")
        try:
            remaining = {
                int(epoch): tuple((start, stop) for start, stop in intervals)
                for epoch, intervals in value["remaining"].items()
            }
            cuts = {int(epoch): tuple(ordinals) for epoch, ordinals in value["cuts"].items()}
            dealt = None if value["dealt"] is None else tuple(value["dealt"])
            walk = None if value["walk"] is None else tuple(value["walk"])
        except (AttributeError, TypeError, ValueError) as error:
            raise CheckpointError(
                "sampler state: remaining must be {epoch: [[start, stop], ...]}, cuts "
                "{epoch: [ordinal, ...]}, dealt [ranks, samples] and walk [window, epochs, "
                f"digest] ({error})"
            ) from error
        return cls(
            size=value["size"],
            shuffle=value["shuffle"],
            seed=value["seed"],
            epoch=value["epoch"],
            blocks=_blocks(value["blocks"]),
            parts=value["parts"],
            indices=value["indices"],
            remaining=remaining,
            cuts=cuts,
            dealt=dealt,
            global_batch=value["global_batch"],
            walk=walk,
        )


def _blocks(value: object) -> Blocks | None:
    if value is None:
        return None
    sizes = value if isinstance(value, list) else []
    sound = len(sizes) == 2 and all(_is_count(size, lowest=1) for size in sizes)
    _demand(sound, f"blocks is {value!r}, neither null nor [size, window]")
    return Blocks(*sizes)


def _demand(holds: bool, complaint: str) -> None:
    if not holds:
        raise damaged(f"sampler state: {complaint}")


def damaged(complaint: str) -> CheckpointError:
    """Return the error of a state that no run has saved."""
    return CheckpointError(
        f"{complaint}. The checkpoint is damaged or was edited; restore an earlier one."
    )


def _is_count(value: object, lowest: int | None = 0) -> bool:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return whole and (lowest is None or value >= lowest)  # type: ignore[operator]


def _check_intervals(epoch: int, intervals: Intervals, size: int) -> None:
    bounds = [bound for interval in intervals for bound in interval]
    _demand(
        all(_is_count(bound) for bound in bounds)
        and all(low < high for low, high in pairwise(bounds))
        and (not bounds or bounds[-1] <= size),
        f"the remaining intervals of epoch {epoch} must ascend, not touch, and end by {size}",
    )


def _check_cuts(epoch: int, cuts: tuple[int, ...], intervals: Intervals | None) -> None:
    count = sum(stop - start for start, stop in intervals or ())
    _demand(
        intervals is not None
        and len(cuts) >= 2
        and all(_is_count(cut) for cut in cuts)
        and all(low <= high for low, high in pairwise(cuts))
        and (cuts[0], cuts[-1]) == (0, count),
        f"the cuts of epoch {epoch} must ascend from 0 to its {count} remaining positions",
    )
