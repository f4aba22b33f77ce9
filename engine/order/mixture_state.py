"""Where a mixture stands: what a checkpoint stores of it, the same on every rank."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from ..errors import ArgumentError, CheckpointError
from .block_permutation import Blocks
from .sampler_state import EPOCHS, damaged
from .shares import Shares

_MOST_NAMES = 32
"""Sources whose names and sizes a checkpoint holds; of more, it holds a digest."""

_LARGEST = 1 << 62


@dataclass(frozen=True, kw_only=True)
class MixtureState:
    """The positions that no rank has consumed: those of `epoch` from `at` on, and later epochs.

        epoch   0 ............ begin ............ at ............ end
                other shares  |  consumed, with these shares  |  what is left

    Attributes:
        seed, shuffle, blocks: of the permutations of the sources.
        sizes: samples of each source by name; of many sources, a digest of these.
        shares: of the sources.
        asked: digest of the shares that the program asks for. Where another program asks for
            others, these begin.
        epoch: the first epoch with positions that are left.
        at: the first of these positions.
        begin: the position of `epoch` from which on the shares hold.
        end: positions in `epoch`.
        entries: entries of each source that were consumed at `begin`. Entry j of a source of n
            samples is a sample of the source's own epoch j // n.
        parked: size and entries of each source that is not in use.
        global_batch: samples of a step of all ranks, if `reshard` holds them: see `Cursor`.
    """

    seed: int
    shuffle: bool
    blocks: Blocks | None = None
    sizes: Mapping[str, int] | str
    shares: Shares
    asked: str
    epoch: int
    at: int
    begin: int
    end: int
    entries: tuple[int, ...]
    parked: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    global_batch: int | None = None

    @property
    def remaining(self) -> dict[int, tuple[tuple[int, int], ...]]:
        """The positions that are left of an epoch in progress, as `SamplerState.remaining`."""
        return {self.epoch: ((self.at, self.end),)} if self.at else {}

    def dealt_to(self, ranks: int, batch_size: int) -> Self:
        """Return the state for other ranks: the same, because what is consumed is a prefix."""
        return self

    def entries_at(self, epoch: int) -> list[int]:
        """Return the entries of each source before `epoch`, which follows the current one."""
        part = self.shares.part(self.epoch, self.end - self.begin)
        before, after = self.shares.before(self.epoch + 1), self.shares.before(epoch)
        return [
            base + own + stop - start
            for base, own, start, stop in zip(self.entries, part, before, after, strict=True)
        ]

    def moved_to(self, epoch: int, at: int) -> Self:
        """Return the state at a position of the current epoch or of a later one."""
        if epoch == self.epoch:
            return replace(self, at=at)
        end = sum(self.shares.counts(epoch))
        entries = tuple(self.entries_at(epoch))
        return replace(self, epoch=epoch, at=at, begin=0, end=end, entries=entries)

    def after_epoch(self, epoch: int) -> Self:
        """Return the state without what is left of `epoch` and of those before it."""
        return self if epoch < self.epoch else self.moved_to(epoch + 1, 0)

    def to_json(self) -> dict[str, Any]:
        """Return the state of JSON types. What follows from the rest is left out."""
        value: dict[str, Any] = {"plan": "mixture", "seed": self.seed, "shuffle": self.shuffle}
        if self.blocks is not None:
            value["blocks"] = [self.blocks.size, self.blocks.window]
        value |= {"epoch": self.epoch, "at": self.at, "asked": self.asked}
        value["sizes"] = self.sizes if isinstance(self.sizes, str) else dict(self.sizes)
        value |= self.shares.to_json()
        if self.begin or self.end != sum(self.shares.counts(self.epoch)):
            value |= {"begin": self.begin, "end": self.end}
        if list(self.entries) != self.shares.before(self.epoch):
            value["entries"] = list(self.entries)
        if self.parked:
            value["parked"] = {name: list(each) for name, each in self.parked.items()}
        if self.global_batch is not None:
            value["global_batch"] = self.global_batch
        return value

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Return the state that `to_json` turned into `value`, after a check of all values."""
        try:
            shares = Shares.from_json(value)
            epoch = _count(value["epoch"], "epoch", EPOCHS)
            begin = _count(value.get("begin", 0), "begin")
            end = _count(value.get("end", sum(shares.counts(epoch))), "end")
            entries = tuple(value.get("entries", shares.before(epoch)))
            state = cls(
                seed=value["seed"],
                shuffle=value["shuffle"],
                blocks=Blocks(*value["blocks"]) if "blocks" in value else None,
                sizes=value["sizes"],
                shares=shares,
                asked=str(value["asked"]),
                epoch=epoch,
                at=_count(value["at"], "at"),
                begin=begin,
                end=end,
                entries=entries,
                parked={name: tuple(each) for name, each in value.get("parked", {}).items()},
                global_batch=value.get("global_batch"),
            )
            state._check()
        except (KeyError, TypeError, ValueError, AttributeError, ArgumentError) as error:
            complaint = f"state of a mixture: {value!r:.200} ({type(error).__name__}: {error})"
            raise damaged(complaint) from error
        return state

    def _check(self) -> None:
        if type(self.seed) is not int or type(self.shuffle) is not bool:
            raise ValueError("seed or shuffle is of another type")
        if self.blocks is not None and not self.shuffle:
            raise ValueError("blocks is set although shuffle is not")
        if self.global_batch is not None and not _count(self.global_batch, "global_batch"):
            raise ValueError("global_batch is 0")
        if not self.begin <= self.at < self.end:
            raise ValueError("begin, at and end do not ascend")
        if self.shares.per_batch and (self.end - self.begin) % sum(self.shares.per_batch):
            raise ValueError("what is left is no number of whole batches")
        for entry in self.entries:
            _count(entry, "an entry")
        for size, entry in self.parked.values():
            _count(size, "a size")
            _count(entry, "an entry")
        if not isinstance(self.sizes, str):
            for size in self.sizes.values():
                if not _count(size, "a size"):
                    raise ValueError("a size is 0")
            if len(self.sizes) != len(self.entries):
                raise ValueError("sizes and entries differ in number")
        if len(self.entries) != len(self.shares.per_epoch):
            raise ValueError("counts and entries differ in number")


def _count(value: Any, what: str, limit: int = _LARGEST) -> int:
    if type(value) is not int or not 0 <= value < limit:
        raise ValueError(f"{what} is {value!r:.80}")
    return value


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
    if (old.shuffle, old.blocks) != (new.shuffle, new.blocks):
        raise CheckpointError(
            f"the checkpoint belongs to a mixture with shuffle={old.shuffle} and blocks="
            f"{old.blocks}, but this one has shuffle={new.shuffle} and blocks={new.blocks}: give "
            "the reader the arguments of the first run"
        )
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
    part = old.shares.part(old.epoch, old.end - old.begin)
    turns = old.shares.turns_before(part, old.at - old.begin)
    consumed = [base + own for base, own in zip(old.entries, turns, strict=True)]
    if isinstance(old.sizes, str) or isinstance(new.sizes, str):
        if old.sizes != new.sizes:
            raise CheckpointError(
                "the checkpoint belongs to a mixture of other sources, or of sources of other "
                f"sizes. Of more than {_MOST_NAMES} sources it knows no names: restore it with its "
                "own data"
            )
        return tuple(consumed), {}
    own = zip(old.sizes.items(), consumed, strict=True)
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
