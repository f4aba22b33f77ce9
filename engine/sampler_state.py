"""What is left of the epochs in progress: interval arithmetic and the sampler's checkpoint."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .block_permutation import Blocks
from .errors import CheckpointError

_EPOCHS = 1 << 32  # the randomness is keyed by 32 bits of the epoch

Intervals = tuple[tuple[int, int], ...]
"""Half-open, non-empty, ascending intervals of positions that do not touch or overlap."""


def joined(intervals: Iterable[tuple[int, int]]) -> Intervals:
    """Return ascending `intervals` with those that touch made one."""
    merged: list[tuple[int, int]] = []
    for start, stop in intervals:
        if merged and merged[-1][1] == start:
            merged[-1] = (merged[-1][0], stop)
        else:
            merged.append((start, stop))
    return tuple(merged)


class Rest:
    """The positions left of one epoch, numbered 0 to `count` - 1 in their order (ordinals)."""

    def __init__(self, intervals: Intervals) -> None:
        self.intervals = intervals
        self._firsts = [0]  # the ordinal at which each interval begins, and the end of the last
        for start, stop in intervals:
            self._firsts.append(self._firsts[-1] + stop - start)
        self.count = self._firsts[-1]
        begins = np.array(self._firsts[:-1], np.int64)
        self._begins = begins
        self._shifts = np.array([start for start, _ in intervals], np.int64) - begins

    def positions(self, ordinals: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the positions in the epoch of `ordinals`, by bisection."""
        if len(self._shifts) == 1:
            return ordinals + self._shifts
        which = np.searchsorted(self._begins, ordinals, side="right") - 1
        return ordinals + self._shifts[which]

    def part(self, start: int, stop: int) -> list[tuple[int, int]]:
        """Return the intervals of positions that ordinals [start, stop) stand for."""
        parts = []
        number = bisect_right(self._firsts, start) - 1
        while start < stop:
            end = min(stop, self._firsts[number + 1])
            shift = self.intervals[number][0] - self._firsts[number]
            parts.append((start + shift, end + shift))
            start, number = end, number + 1
        return parts


@dataclass(frozen=True, kw_only=True)
class SamplerState:
    """What all ranks together have not consumed yet: a checkpoint of the samplers of a run.

    Whatever does not fit raises `CheckpointError`, also when a state is made by hand.
    """

    size: int
    """Samples in the data set."""

    shuffle: bool
    """Whether positions are places in a shuffled order."""

    seed: int
    """The seed of the shuffle."""

    epoch: int
    """The first epoch that is not used up. Later ones follow, whole unless `remaining` has them."""

    blocks: Blocks | None = None
    """How the shuffle keeps blocks together; None for a shuffle of the whole."""

    remaining: dict[int, Intervals] = field(default_factory=dict)
    """The positions left of epochs `epoch`, `epoch` + 1, ... as far as any rank has come."""

    cuts: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Where the ranks' own rests of an epoch meet, as ordinals of what remains: 0, ..., count.

    Only for epochs in which that differs from an even division (ranks that cross an epoch's
    border at different batches). With the same number of shards every rank then goes on exactly
    where it stood; with another number the rest is divided anew and this is ignored.
    """

    def __post_init__(self) -> None:
        _demand(_is_count(self.size) and self.size > 0, f"size is {self.size!r}")
        _demand(isinstance(self.shuffle, bool), f"shuffle is {self.shuffle!r}")
        _demand(_is_count(self.seed, lowest=None), f"seed is {self.seed!r}")
        _demand(self.blocks is None or self.shuffle, "blocks is set although shuffle is not")
        _demand(_is_count(self.epoch) and self.epoch < _EPOCHS, f"epoch is {self.epoch!r}")
        expected = range(self.epoch, self.epoch + len(self.remaining))
        _demand(
            sorted(self.remaining) == list(expected),
            f"remaining has epochs {sorted(self.remaining)}, not a row from {self.epoch} on",
        )
        for epoch, intervals in self.remaining.items():
            _check_intervals(epoch, intervals, self.size)
        for epoch, cuts in self.cuts.items():
            _check_cuts(epoch, cuts, self.remaining.get(epoch))

    def to_json(self) -> dict[str, Any]:
        """Return the state as what `json.dumps` takes: dicts, lists, integers and booleans."""
        return {
            "size": self.size,
            "shuffle": self.shuffle,
            "seed": self.seed,
            "epoch": self.epoch,
            "blocks": None if self.blocks is None else [self.blocks.size, self.blocks.window],
            "remaining": {
                str(epoch): [list(interval) for interval in intervals]
                for epoch, intervals in self.remaining.items()
            },
            "cuts": {str(epoch): list(cuts) for epoch, cuts in self.cuts.items()},
        }

    @classmethod
    def from_json(cls, value: object) -> SamplerState:
        """Return the state that `to_json` made `value` of, after a check of everything in it."""
        if not isinstance(value, dict):
            raise CheckpointError(f"sampler state: expected a JSON object, got {value!r:.80}")
        names = {"size", "shuffle", "seed", "epoch", "blocks", "remaining", "cuts"}
        _demand(set(value) == names, f"it has {sorted(value)}, expected {sorted(names)}")
        try:
            remaining = {
                int(epoch): tuple((start, stop) for start, stop in intervals)
                for epoch, intervals in value["remaining"].items()
            }
            cuts = {int(epoch): tuple(ordinals) for epoch, ordinals in value["cuts"].items()}
        except (AttributeError, TypeError, ValueError) as error:
            raise CheckpointError(
                "sampler state: remaining must be {epoch: [[start, stop], ...]} and cuts "
                f"{{epoch: [ordinal, ...]}} ({error})"
            ) from error
        return cls(
            size=value["size"],
            shuffle=value["shuffle"],
            seed=value["seed"],
            epoch=value["epoch"],
            blocks=_blocks(value["blocks"]),
            remaining=remaining,
            cuts=cuts,
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
        raise CheckpointError(
            f"sampler state: {complaint}. The checkpoint is damaged or was edited; "
            "restore an earlier one."
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
        f"the intervals left of epoch {epoch} must ascend, not touch, and end by {size}",
    )


def _check_cuts(epoch: int, cuts: tuple[int, ...], intervals: Intervals | None) -> None:
    count = sum(stop - start for start, stop in intervals or ())
    _demand(
        intervals is not None
        and len(cuts) >= 2
        and all(_is_count(cut) for cut in cuts)
        and all(low <= high for low, high in pairwise(cuts))
        and (cuts[0], cuts[-1]) == (0, count),
        f"the cuts of epoch {epoch} must ascend from 0 to the {count} positions left of it",
    )
