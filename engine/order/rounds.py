"""Batches of one class at a time: all ranks have samples of the same class in each step.

A *round* is one step: K ranks take a batch each, all of class b, whose batches have B samples.
Class b, from the shortest on, has as many rounds as it fills. What is left joins the next longer
class, so no batch costs more than its own class allows:

    class 0   0 0 0 0 | 0 0 0 0 | 0 0           2 rounds, and 2 samples go up
    class 1   1 1 | 1 1 | 1 0 | 0 .             4 rounds; the last is filled up with a copy
              rounds of 4 and of 2 samples

The classes take turns by `Interleaving`. The state says what was left when the rounds were planned,
for how many ranks, and how many of the steps are done. As many ranks go on with the same steps.
Another number of ranks plans anew what is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate
from typing import Any, ClassVar, Self

import numpy as np

from ..arrays import Int64s
from ..errors import ArgumentError
from .interleaving import interleaving
from .length_classes import LengthClasses
from .mixture_state import digest_of
from .order import Order
from .permutation import Permutation, mapped, permutation
from .philox import mix
from .sampler import check_shard
from .selection import Selection
from .state import (
    Intervals,
    State,
    agree,
    are_intervals,
    damaged,
    intervals_of,
    is_whole,
    joined,
)

Piece = tuple[int, int, int]
"""Members of a class: the class, the first of them, and the end."""


@dataclass(frozen=True, kw_only=True)
class RoundsState(State):
    """What is left of an epoch, and of the later ones.

    Attributes:
        classes: digest of the classes and batch sizes.
        ranks: number of ranks for which the rounds of `epoch` are planned.
        step: number of these rounds that are done.
        rest: members of each class that were left when they were planned; {} for all.
    """

    plan = "rounds"
    parsers: ClassVar[Any] = {"rest": intervals_of}

    classes: str
    ranks: int
    step: int
    rest: Mapping[int, Intervals] = field(default_factory=dict)

    @property
    def remaining(self) -> dict[int, Any]:
        """The epoch in progress, if there is one, as `SamplerState.remaining`."""
        return {self.epoch: self.rest} if self.step or self.rest else {}

    def after_epoch(self, epoch: int) -> Self:
        """Return the state without what is left of `epoch` and of those before it."""
        return self if epoch < self.epoch else replace(self, epoch=epoch + 1, step=0, rest={})

    def checks(self) -> Iterator[tuple[str, bool]]:
        yield from super().checks()
        yield "classes", isinstance(self.classes, str)
        yield "ranks", is_whole(self.ranks, 1)
        yield "step", is_whole(self.step)
        yield "rest", all(map(is_whole, self.rest)) and all(map(are_intervals, self.rest.values()))


class _Planned:
    """The rounds of an epoch, or of what is left of it, for a number of ranks."""

    def __init__(
        self, classes: LengthClasses, ranks: int, rest: Mapping[int, Intervals], drop_last: bool
    ) -> None:
        self.pieces: list[list[Piece]] = []  # of each class
        self.steps_of = ranks * np.array(classes.batch_sizes)  # samples of a round
        rounds: list[int] = []
        left: list[Piece] = []
        for number, (size, step) in enumerate(
            zip(classes.sizes, self.steps_of.tolist(), strict=True)
        ):
            own = rest.get(number, ()) if rest else ((0, size),)
            pieces = [(number, start, stop) for start, stop in own] + left
            total = sum(stop - start for _, start, stop in pieces)
            fills = number == len(classes.sizes) - 1 and not drop_last
            rounds.append(-(-total // step) if fills else total // step)
            front, left = _cut(pieces, rounds[-1] * step)
            self.pieces.append(front)
        self.rounds = tuple(rounds)
        self.total = sum(rounds)
        flat = [piece for pieces in self.pieces for piece in pieces]
        self._owners, starts, self._stops = np.array(flat, np.int64).reshape(-1, 3).T
        self._ends = np.cumsum(self._stops - starts)  # of the pieces of all classes, in a line
        bounds = [0, *accumulate(map(len, self.pieces))]
        # Members of the classes' lists, and where these begin in the line.
        ends = np.append(0, self._ends)[bounds]
        self.counts, self._bases = np.diff(ends), ends[:-1]

    def turns(self, steps: Int64s) -> tuple[Int64s, Int64s]:
        """Return the class of each step, and the number of its round among those of the class."""
        return interleaving(self.rounds).at(steps)

    def members(self, numbers: Int64s, places: Int64s) -> tuple[Int64s, Int64s]:
        """Return the class, and the member of it, at each place of the list of a class."""
        line = self._bases[numbers] + places
        which = np.searchsorted(self._ends, line, "right")
        return self._owners[which], self._stops[which] - self._ends[which] + line

    def rest_after(self, steps: int) -> dict[int, Intervals]:
        """Return the members of each class that are left after so many steps."""
        found: dict[int, list[tuple[int, int]]] = {}
        done = interleaving(self.rounds).before(steps) if self.total else [0] * len(self.rounds)
        for number, taken in enumerate((np.array(done) * self.steps_of).tolist()):
            for owner, start, stop in _cut(self.pieces[number], taken)[1]:
                found.setdefault(owner, []).append((start, stop))
        return {owner: joined(sorted(own)) for owner, own in sorted(found.items())}


def _cut(pieces: list[Piece], count: int) -> tuple[list[Piece], list[Piece]]:
    """Divide pieces into those of the first `count` members and the others."""
    front, back = [], []
    for number, start, stop in pieces:
        taken = min(stop - start, count)
        count -= taken
        if taken:
            front.append((number, start, start + taken))
        if start + taken < stop:
            back.append((number, start + taken, stop))
    return front, back


class Rounds(Order):
    """The batches of one rank, each of samples of one class: its size differs by class.

    Args:
        classes: of the samples.
        batch_size: samples of a batch at most, as the pipeline has it.
        shard_id: number of this rank.
        num_shards: number of ranks.
        shuffle: permute the members of each class, by `seed` and the epoch.
        seed: of the shuffle; a `state` brings its own.
        drop_last: leave out what fills no round of the longest class, in place of copies.
        state: where to go on.
    """

    def __init__(
        self,
        classes: LengthClasses,
        batch_size: int,
        *,
        shard_id: int = 0,
        num_shards: int = 1,
        shuffle: bool = False,
        seed: int = 0,
        drop_last: bool = False,
        state: RoundsState | None = None,
    ) -> None:
        check_shard(sum(classes.sizes), shard_id, num_shards)
        digest = digest_of([classes.signature, drop_last])
        if state is None:
            state = RoundsState(
                seed=seed, shuffle=shuffle, classes=digest, epoch=0, ranks=num_shards, step=0
            )
        agree(f"random_shuffle={state.shuffle}", f"random_shuffle={shuffle}")
        kept, own = (f"lengths and batch_cost (digest {each})" for each in (state.classes, digest))
        agree(kept, own)
        fits = all(
            number < len(classes.sizes) and own[-1][1] <= classes.sizes[number]
            for number, own in state.rest.items()
            if own
        )
        planned = _Planned(classes, state.ranks, state.rest, drop_last) if fits else None
        if planned is None or state.step >= max(1, planned.total):
            raise damaged(f"step {state.step} is of rounds that these classes do not have")
        self._classes = classes
        self._rank = shard_id
        self._drop = drop_last
        self._sizes = np.array(classes.batch_sizes)
        members = np.array(classes.sizes, np.int64)
        self._starts = np.cumsum(members) - members
        if state.ranks != num_shards and (state.step or state.rest):
            state = replace(state, rest=planned.rest_after(state.step), step=0)
        self.state: RoundsState = replace(state, ranks=num_shards)
        self.batch_size = batch_size
        self.epoch_size = sum(classes.sizes)
        self._whole = _Planned(classes, num_shards, {}, drop_last)
        self._now = _Planned(classes, num_shards, state.rest, drop_last)
        if not self._whole.total:
            raise ArgumentError("batch_cost: drop_last leaves no batch; read more data")

    @property
    def usual_batch(self) -> int:
        return -(-self.epoch_size // (self._whole.total * self.state.ranks))

    def sizes(self, epoch: int) -> tuple[int, ...]:
        """As `Order` says; each batch counts as one of the largest, so that all have one size."""
        first = self._now.total - self.state.step
        steps = first if epoch == self.state.epoch else self._whole.total
        return (steps * self.batch_size,) * self.state.ranks

    def sizes_left(self, batches: int) -> tuple[int, ...]:
        _, plan, step = self._locate(batches)
        return ((plan.total - step) * self.batch_size,) * self.state.ranks

    def batch_sizes(self, batch: int, batches: int) -> list[int]:
        parts = [plan.turns(steps)[0] for _, plan, steps in self._stretches(batch, batches)]
        sizes: list[int] = self._sizes[np.concatenate(parts)].tolist()
        return sizes

    def _pieces(self, batch: int, batches: int) -> list[Selection]:
        return [self._piece(*stretch) for stretch in self._stretches(batch, batches)]

    def _stretches(self, batch: int, batches: int) -> Iterator[tuple[int, _Planned, Int64s]]:
        """Yield the epochs of consecutive batches, their plans, and the steps in these."""
        stop = batch + batches
        while batch < stop:
            epoch, plan, step = self._locate(batch)
            count = min(stop - batch, plan.total - step)
            yield epoch, plan, np.arange(step, step + count)
            batch += count

    def _piece(self, epoch: int, plan: _Planned, steps: Int64s) -> Selection:
        """Return the samples of some steps of an epoch."""
        classes, turns = plan.turns(steps)
        sizes = self._sizes[classes]
        ends = np.cumsum(sizes)
        numbers = np.repeat(classes, sizes)
        firsts = turns * plan.steps_of[classes] + self._rank * sizes
        places = np.arange(ends[-1]) + np.repeat(firsts - ends + sizes, sizes)
        counts = plan.counts[numbers]
        owners, members = plan.members(numbers, np.minimum(places, counts - 1))
        position = self._starts[owners] + members
        index, epochs = self._index(epoch, owners, members), np.full(len(numbers), epoch, np.int64)
        return Selection(index, epochs, position, places < counts, source=numbers)

    def _index(self, epoch: int, numbers: Int64s, members: Int64s) -> Int64s:
        if self.state.shuffle:
            members = mapped(numbers, members, partial(self._order_of, epoch))
        return self._classes.indices(numbers, members)

    def _order_of(self, epoch: int, number: int) -> Permutation:
        """Return the order of a class in an epoch."""
        return permutation(self._classes.sizes[number], self.state.seed, epoch, number)

    def replacement(self, epoch: int, position: int, attempt: int) -> int | None:
        """Return the index of another sample of the same class: see `Order.replacement`."""
        number = int(np.searchsorted(self._starts, position, "right")) - 1
        size, member = self._classes.sizes[number], position - int(self._starts[number])
        if attempt >= size - 1:
            return None
        other = Permutation(size - 1, mix(self.state.seed, epoch, position))(np.array([attempt]))
        other = (member + 1 + other) % size
        return int(self._index(epoch, np.array([number]), other)[0])

    def _locate(self, batch: int) -> tuple[int, _Planned, int]:
        """Return the epoch of a batch, its plan, and the step in the plan."""
        left = self._now.total - self.state.step
        if batch < left:
            return self.state.epoch, self._now, self.state.step + batch
        epochs, step = divmod(batch - left, self._whole.total)
        return self.state.epoch + 1 + epochs, self._whole, step

    def _state_after(self, batches: int) -> RoundsState:
        epoch, _, step = self._locate(batches)
        if epoch == self.state.epoch:
            return replace(self.state, step=step)
        return replace(self.state, epoch=epoch, step=step, rest={})

    def _last_epoch(self, batches: int) -> int:
        return self._locate(batches - 1)[0]
