"""Where a mixture stands: what a checkpoint stores of it, the same on every rank."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from ..errors import CheckpointError
from .block_permutation import Blocks
from .shares import Shares
from .state import State, agree, blocks_of, is_whole, plain

_MOST_NAMES = 32
"""Sources whose names and sizes a checkpoint holds; of more, it holds a digest."""


@dataclass(frozen=True, kw_only=True)
class MixtureState(State):
    """The positions that no rank has consumed: those of `epoch` from `at` on, and later epochs.

        epoch   0 ............ begin ............ at ............ end
                other shares  |  consumed, with these shares  |  what is left

    Attributes:
        blocks: of the permutations of the sources.
        sizes: samples of each source by name; of many sources, a digest of these.
        shares: of the sources.
        asked: digest of the shares that the program asks for. Where another program asks for
            others, these begin.
        at: the first position of `epoch` that is left.
        begin: the position of `epoch` from which on the shares hold.
        end: positions in `epoch`.
        entries: entries of each source that were consumed at `begin`. Entry j of a source of n
            samples is a sample of the source's own epoch j // n.
        parked: size and entries of each source that is not in use.
    """

    plan = "mixture"
    parsers: ClassVar[Any] = {
        "blocks": blocks_of,
        "entries": tuple,
        "parked": lambda parked: {name: tuple(each) for name, each in parked.items()},
    }

    blocks: Blocks | None = None
    at: int
    asked: str
    sizes: Mapping[str, int] | str
    shares: Shares
    begin: int
    end: int
    entries: tuple[int, ...]
    parked: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def remaining(self) -> dict[int, tuple[tuple[int, int], ...]]:
        """The positions that are left of an epoch in progress, as `SamplerState.remaining`."""
        return {self.epoch: ((self.at, self.end),)} if self.at else {}

    @property
    def consumed(self) -> tuple[int, ...]:
        """The entries of each source that were consumed at `at`."""
        part = self.shares.part(self.epoch, self.end - self.begin)
        turns = self.shares.turns_before(part, self.at - self.begin)
        return tuple(base + own for base, own in zip(self.entries, turns, strict=True))

    def moved_to(self, epoch: int, at: int) -> Self:
        """Return the state at a position of the current epoch or of a later one."""
        if epoch == self.epoch:
            return replace(self, at=at)
        part = self.shares.part(self.epoch, self.end - self.begin)
        before, after = self.shares.before(self.epoch + 1), self.shares.before(epoch)
        both = zip(self.entries, part, before, after, strict=True)
        entries = tuple(base + own + stop - start for base, own, start, stop in both)
        end = sum(self.shares.counts(epoch))
        return replace(self, epoch=epoch, at=at, begin=0, end=end, entries=entries)

    def after_epoch(self, epoch: int) -> Self:
        """Return the state without what is left of `epoch` and of those before it."""
        return self if epoch < self.epoch else self.moved_to(epoch + 1, 0)

    def to_json(self) -> dict[str, Any]:
        """Return the state of JSON types. What follows from the rest is left out."""
        follows = plain(_following(self.shares, self.epoch))
        value: dict[str, Any] = {}
        for name, own in super().to_json().items():
            if name == "shares":
                value |= self.shares.to_json()
            elif name not in follows or own != follows[name]:
                value[name] = own
        return value

    @classmethod
    def arguments(cls, given: dict[str, Any]) -> dict[str, Any]:
        shares = Shares.from_json(given)
        own = {name: given[name] for name in given if name not in ("counts", "per_batch")}
        return _following(shares, given["epoch"]) | own | {"shares": shares}

    def checks(self) -> Iterator[tuple[str, bool]]:
        yield from super().checks()
        yield "blocks", self.blocks is None or self.shuffle
        named = {} if isinstance(self.sizes, str) else self.sizes
        yield "sizes", isinstance(self.sizes, str) or len(named) == len(self.entries)
        yield "sizes", all(is_whole(size, 1) for size in named.values())
        yield "asked", isinstance(self.asked, str)
        yield "end", is_whole(self.end) and is_whole(self.begin, 0, self.end)
        yield "at", is_whole(self.at, self.begin, self.end - 1)
        # What is left is a number of whole batches.
        whole = sum(self.shares.per_batch) or 1
        yield "begin", not (self.end - self.begin) % whole
        yield "entries", all(map(is_whole, self.entries))
        yield "entries", len(self.entries) == len(self.shares.per_epoch)
        yield "parked", all(map(is_whole, sum(self.parked.values(), ())))
        yield "parked", all(len(each) == 2 for each in self.parked.values())


def _following(shares: Shares, epoch: int) -> dict[str, Any]:
    """Return the fields of a state that is at the start of an epoch, and of its shares."""
    end, entries = sum(shares.counts(epoch)), tuple(shares.before(epoch))
    return {"begin": 0, "end": end, "entries": entries}


def stored_sizes(sizes: Mapping[str, int]) -> Mapping[str, int] | str:
    """Return the sizes of sources as a state holds them."""
    return dict(sizes) if len(sizes) <= _MOST_NAMES else digest_of(dict(sizes))


def digest_of(value: Any) -> str:
    """Return eight characters that stand for a value of JSON types."""
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:8]


def continued(
    old: MixtureState, new: MixtureState, restart: frozenset[str] = frozenset()
) -> MixtureState:
    """Return where a mixture begins that continues a state.

    Each source goes on at its next entry. Sources that are left out are parked. If the program
    asks for the shares of before, these hold on, as `set_weights` may have changed them. Else the
    new shares begin at the state's position, and the epoch keeps its end.

    Args:
        old: the state.
        new: the start of the mixture without it.
        restart: sources that begin anew.

    Raises:
        CheckpointError: seed, shuffle or the size of a source differs.
    """
    before, now = (f"shuffle={each.shuffle} and blocks={each.blocks}" for each in (old, new))
    agree(before, now)
    entries, parked = _taken_over(old, new, restart)
    same_sources = isinstance(new.sizes, str) or [*old.sizes] == [*new.sizes]
    if old.asked == new.asked and same_sources and not restart.intersection(new.sizes):
        return old
    end = old.end if old.at else sum(new.shares.counts(old.epoch))
    if batch := sum(new.shares.per_batch):
        end = old.at + -(-(end - old.at) // batch) * batch
    return replace(
        new,
        seed=old.seed,
        epoch=old.epoch,
        at=old.at,
        begin=old.at,
        end=end,
        entries=entries,
        parked=parked,
        global_batch=old.global_batch,
    )


def _taken_over(
    old: MixtureState, new: MixtureState, restart: frozenset[str]
) -> tuple[tuple[int, ...], dict[str, tuple[int, int]]]:
    """Return the entries of each new source that were consumed, and the sources to be parked."""
    if isinstance(old.sizes, str) or isinstance(new.sizes, str):
        if old.sizes != new.sizes:
            raise CheckpointError(
                "the checkpoint belongs to a mixture of other sources, or of sources of other "
                f"sizes. Of more than {_MOST_NAMES} sources it knows no names: restore it with its "
                "own data"
            )
        return old.consumed, {}
    own = zip(old.sizes.items(), old.consumed, strict=True)
    known = {**old.parked, **{name: (size, entries) for (name, size), entries in own}}
    for name in known.keys() & new.sizes.keys() - restart:
        if known[name][0] != new.sizes[name]:
            raise CheckpointError(
                f"the source {name!r} had {known[name][0]} samples when the checkpoint was made, "
                f"and has {new.sizes[name]} now: restore the checkpoint with its own data, or give "
                f"restart=[{name!r}] to begin with this source anew"
            )
    entries = (known[name][1] if name in known.keys() - restart else 0 for name in new.sizes)
    return tuple(entries), {name: known[name] for name in known if name not in new.sizes}
