"""The part of an iterator in the checkpoints of its pipelines: where its epoch stands.

A pipeline's checkpoint says which samples come next. How many of them belong to the current epoch
follows only if the count of the iterator is known: with `LastBatchPolicy.PARTIAL` and a reader that
does not pad, an epoch ends in the middle of a batch that was read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
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
        ahead: see `Epochs`.

    Raises:
        CheckpointError: a value is none of these.
    """

    basis: Mapping[str, Any]
    epoch: int
    step: int
    complete: bool
    exhausted: bool
    discard: int
    ahead: tuple[int, ...]

    def __post_init__(self) -> None:
        counts = {"epoch": self.epoch, "step": self.step, "discard": self.discard}
        counts |= {f"ahead[{i}]": number for i, number in enumerate(self.ahead)}
        for name, number in counts.items():
            lowest = -_LARGEST if name.startswith("ahead") else 0
            if type(number) is not int or not lowest <= number < _LARGEST:
                raise _damaged(f"{name} is {number!r:.80}")
        if type(self.complete) is not bool or type(self.exhausted) is not bool:
            raise _damaged("complete and exhausted must be true or false")
        if not isinstance(self.basis, dict):
            raise _damaged(f"basis is {self.basis!r:.80}")

    def check_ranks(self, count: int) -> None:
        """Raise CheckpointError unless the state has `count` ranks."""
        if len(self.ahead) != count:
            raise _damaged(f"ahead has {len(self.ahead)} numbers for {count} rank(s)")

    def to_json(self) -> dict[str, Any]:
        """Return the state as dicts, lists, numbers and booleans."""
        return asdict(self) | {"ahead": list(self.ahead)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any] | None) -> IteratorState | None:
        """Return the state that `to_json` turned into `value`; None if there is none."""
        if value is None:
            return None
        names = set(cls.__dataclass_fields__)
        if set(value) != names or not isinstance(value["ahead"], list | tuple):
            raise _damaged(f"it has {sorted(value)}, expected {sorted(names)}")
        return cls(**{**value, "ahead": tuple(value["ahead"])})


def _damaged(complaint: str) -> CheckpointError:
    return CheckpointError(
        f"state of an iterator: {complaint}. The checkpoint is damaged or was edited; "
        "restore an earlier one."
    )
