"""Where orders stand, as checkpoints hold it: the base of the states, and their values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from itertools import pairwise
from typing import Any, ClassVar, Self

from ..errors import ArgumentError, CheckpointError
from .block_permutation import Blocks
from .permutation import LARGEST

EPOCHS = 1 << 32
"""Epochs of a run: the randomness is keyed by 32 bits of the epoch."""

REVISIONS = "revisions"
"""The entry of a state that readers add: which revisions of data sets they read."""

Intervals = tuple[tuple[int, int], ...]
"""Half-open, non-empty, ascending intervals of positions that do not touch or overlap."""

_READERS = {
    "": "reader of one source, without batch_cost",
    "mixture": "reader that mixes sources",
    "rounds": "reader with batch_cost",
}
"""What has a state, by its `plan` in JSON."""

_ODD = (KeyError, TypeError, ValueError, AttributeError, ArithmeticError)
"""What odd values raise where they are read."""


@dataclass(frozen=True, kw_only=True)
class State:
    """Base of the states, which are frozen dataclasses. Their checks name what is wrong.

    Attributes:
        seed, shuffle: of the order's permutations.
        epoch: the first epoch with positions that are left.
        global_batch: samples of a step of all ranks, if `reshard` holds them: see `Cursor`.
        plan: the kind of the order in JSON; "" for a `Sampler`.
        parsers: what makes values of those that JSON holds, by field; others are taken as they are.

    Raises:
        CheckpointError: values contradict each other.
    """

    plan: ClassVar[str] = ""
    parsers: ClassVar[Mapping[str, Callable[[Any], Any]]] = {}
    seed: int
    shuffle: bool
    epoch: int
    global_batch: int | None = None

    def checks(self) -> Iterator[tuple[str, bool]]:
        """Yield the name of each field, and whether it holds a value that a run may save."""
        yield "seed", type(self.seed) is int
        yield "shuffle", isinstance(self.shuffle, bool)
        yield "epoch", is_whole(self.epoch, 0, EPOCHS - 1)
        yield "global_batch", self.global_batch is None or is_whole(self.global_batch, 1)

    def __post_init__(self) -> None:
        for name, holds in self.checks():
            if not holds:
                raise damaged(f"{name} is {getattr(self, name)!r:.200}")

    def to_json(self) -> dict[str, Any]:
        """Return the state as dicts, lists, integers and booleans. Defaults are left out."""
        value: dict[str, Any] = {"plan": self.plan} if self.plan else {}
        for each in fields(self):
            own = getattr(self, each.name)
            if own != _default(each):
                value[each.name] = plain(own)
        return value

    @classmethod
    def from_json(cls, value: object) -> Self:
        """Return the state that `to_json` turned into `value`, after a check of all values.

        Raises:
            CheckpointError: the value is no such state.
        """
        if not isinstance(value, Mapping):
            raise damaged(f"{value!r:.80}, expected a JSON object")
        if (plan := value.get("plan", "")) != cls.plan:
            raise CheckpointError(
                f"the checkpoint belongs to a {_READERS.get(plan, 'reader of another kind')}, but "
                f"this is a {_READERS[cls.plan]}: restore it with the reader and the arguments of "
                "the first run"
            )
        given = {name: value[name] for name in value if name not in ("plan", REVISIONS)}
        for name, parse in cls.parsers.items():
            if given.get(name) is not None:
                try:
                    given[name] = parse(given[name])
                except _ODD as error:
                    raise damaged(f"{name} is {given[name]!r:.80} ({error})") from error
        try:
            return cls(**cls.arguments(given))
        except CheckpointError:
            raise
        except _ODD as error:
            expected = ", ".join(each.name for each in fields(cls))
            raise damaged(f"{value!r:.200}, expected {expected} ({error!r:.200})") from error

    def dealt_to(self, ranks: int, batch_size: int) -> Self:
        """Return the state for other ranks: the same, unless the state divides what is left."""
        return self

    @classmethod
    def arguments(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Return the fields that follow from the values of JSON."""
        return given


def _default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def plain(value: Any) -> Any:
    """Return a value of a state as JSON has it."""
    if isinstance(value, Blocks):
        return [value.size, value.window]
    if isinstance(value, Mapping):
        return {str(key): plain(own) for key, own in value.items()}
    return [*map(plain, value)] if isinstance(value, tuple) else value


def damaged(complaint: str) -> CheckpointError:
    """Return the error of a state that no run has saved."""
    return CheckpointError(
        f"state of an order: {complaint}. The checkpoint is damaged or was edited; restore an "
        "earlier one."
    )


def agree(saved: str, own: str) -> None:
    """Raise CheckpointError unless a run is what the run of its checkpoint was."""
    if saved != own:
        raise CheckpointError(
            f"the checkpoint belongs to a run with {saved}, but this run has {own}: restore it "
            "with the data and the arguments of the first run, because others put other samples "
            "at the positions of the checkpoint"
        )


def blocks_of(sizes: Any) -> Blocks:
    """Return the blocks of a shuffle that JSON holds."""
    if not all(map(is_whole, sizes)):
        raise ArgumentError("expected [size, window]")
    return Blocks(*sizes)


def intervals_of(value: Any) -> dict[int, Intervals]:
    """Return intervals by number that JSON holds, as `{number: [[start, stop], ...]}`."""
    return {int(i): tuple((start, stop) for start, stop in own) for i, own in value.items()}


def is_whole(value: object, lowest: int = 0, highest: int = LARGEST) -> bool:
    """Return whether a value is a whole number in [lowest, highest]."""
    return type(value) is int and lowest <= value <= highest


def ascend(values: Iterable[int], *, strictly: bool = True) -> bool:
    """Return whether values are whole numbers, and each is above the one before, or as large."""
    values = [*values]
    pairs = pairwise(values)
    return all(map(is_whole, values)) and all(a < b or (a == b and not strictly) for a, b in pairs)


def are_intervals(intervals: Intervals, end: int = LARGEST) -> bool:
    """Return whether these are `Intervals` of positions below `end`."""
    bounds = [bound for interval in intervals for bound in interval]
    return ascend(bounds) and (not bounds or bounds[-1] <= end)


def joined(intervals: Iterable[tuple[int, int]]) -> Intervals:
    """Return ascending `intervals`, with adjacent intervals merged."""
    merged: list[tuple[int, int]] = []
    for start, stop in intervals:
        if merged and merged[-1][1] == start:
            merged[-1] = (merged[-1][0], stop)
        else:
            merged.append((start, stop))
    return tuple(merged)
