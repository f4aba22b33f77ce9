"""The part of an iterator in the checkpoints of its pipelines: where its epoch stands.

A pipeline's checkpoint says which samples come next. How many of them belong to the current epoch
follows only if the count of the iterator is known: with `LastBatchPolicy.PARTIAL` and a reader that
does not pad, an epoch ends in the middle of a batch that was read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..engine.errors import CheckpointError

_LARGEST = 1 << 62  # counts are 64-bit numbers


@dataclass(frozen=True)
class IteratorState:
    """The count of an iterator.

    Attributes:
        basis: facts on which the count depends: reader or size, shards, batch size and policy.
        epoch: number of the epoch; 0 if the size of an epoch is not known.
        step: number of batches of this epoch that were handed out.
        complete: whether these were all.
        exhausted: whether a source has raised StopIteration, and did not start over yet.
        discard: number of batches that are dropped before the next.
        ahead: see `Epochs`; empty if no rank is ahead.
        taken, left: see `Shards`, for the current epoch and those after it; 0 and empty unless
            ranks or batch size have changed in the epoch.

    Raises:
        CheckpointError: a value is none of these.
    """

    basis: Mapping[str, object]
    epoch: int
    step: int
    complete: bool
    exhausted: bool = False
    discard: int = 0
    ahead: tuple[int, ...] = ()
    taken: int = 0
    left: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        counts = {name: getattr(self, name) for name in ("epoch", "step", "discard", "taken")}
        counts |= {f"ahead[{i}]": number for i, number in enumerate(self.ahead)}
        counts |= {f"left[{i}]": number for i, sizes in enumerate(self.left) for number in sizes}
        for name, number in counts.items():
            lowest = -_LARGEST if name.startswith("ahead") else 0
            if type(number) is not int or not lowest <= number < _LARGEST:
                raise _damaged(f"{name} is {number!r:.80}")
        if type(self.complete) is not bool or type(self.exhausted) is not bool:
            raise _damaged("complete and exhausted must be true or false")
        if not isinstance(self.basis, dict):
            raise _damaged(f"basis is {self.basis!r:.80}")

    def check_ranks(self, count: int) -> None:
        """Raise CheckpointError unless the numbers of the state are of `count` ranks."""
        for name, numbers in (("ahead", self.ahead), *(("left", sizes) for sizes in self.left)):
            if len(numbers) not in ((0, count) if name == "ahead" else (count,)):
                raise _damaged(f"{name} has {len(numbers)} numbers for {count} rank(s)")

    def to_json(self) -> dict[str, object]:
        """Return the state of JSON types, without values that are the defaults."""
        ahead = list(self.ahead) if any(self.ahead) else []
        further = {"exhausted": self.exhausted, "discard": self.discard, "ahead": ahead}
        further |= {"taken": self.taken, "left": [list(sizes) for sizes in self.left]}
        return {
            "basis": dict(self.basis),
            "epoch": self.epoch,
            "step": self.step,
            "complete": self.complete,
            **{name: value for name, value in further.items() if value},
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any] | None) -> IteratorState | None:
        """Return the state that `to_json` turned into `value`; None if there is none."""
        if value is None:
            return None
        value = {"exhausted": False, "discard": 0, "ahead": [], "taken": 0, "left": [], **value}
        names = set(cls.__dataclass_fields__)
        lists = [value["ahead"], value["left"]]
        lists += value["left"] if isinstance(value["left"], list) else []
        if set(value) != names or not all(isinstance(ranks, list) for ranks in lists):
            raise _damaged(f"it has {sorted(value)}, expected {sorted(names)}")
        left = tuple(map(tuple, value["left"]))
        return cls(**{**value, "ahead": tuple(value["ahead"]), "left": left})


def _damaged(complaint: str) -> CheckpointError:
    return CheckpointError(
        f"state of an iterator: {complaint}. The checkpoint is damaged or was edited; "
        "restore an earlier one."
    )
