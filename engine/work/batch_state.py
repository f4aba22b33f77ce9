"""What a batch holds, by owner: its samples, the errors of its rows, what waits for the device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ..order.selection import Selection


class BatchSamples:
    """The samples of a batch.

    Args:
        size: number of samples.
        first: position of the first one, until an input says otherwise.

    Attributes:
        epoch, position: of each sample, for randomness: (size,) int64.
        valid: which samples are no replacements: (size,) bool; None while all are.
        selections: which samples each input read, by the ordinal of its node.
    """

    def __init__(self, size: int, first: int) -> None:
        self.valid: NDArray[np.bool_] | None = None
        self.selections: dict[int, Selection] = {}
        self._locate: list[Callable[[], Sequence[str] | None]] = []
        self._count(size, first)

    def _count(self, size: int, first: int) -> None:
        self.size = size
        self.epoch: NDArray[np.int64] = np.zeros(size, np.int64)
        self.position: NDArray[np.int64] = np.arange(first, first + size, dtype=np.int64)

    def resize(self, size: int) -> None:
        """Set the number of samples, once the inputs know the number."""
        if size != self.size:
            self._count(size, int(self.position[0]))

    def select(
        self,
        ordinal: int,
        selection: Selection,
        locate: Callable[[], Sequence[str] | None] = lambda: None,
    ) -> None:
        """Store the samples of an input; the first input's positions key the randomness.

        Args:
            ordinal: number of the input's node.
            selection: the samples.
            locate: returns the locations of the samples, for messages; None if there are none.
        """
        if not self.selections:
            self.epoch, self.position = selection.epoch, selection.position
        self._locate.append(locate)
        if self.valid is None and not selection.valid.all():
            self.valid = selection.valid
        self.selections[ordinal] = selection

    def where(self, row: int) -> str:
        """Return the location of the sample in `row`, or ""."""
        locations = (locate() for locate in self._locate)
        return next((of_input[row] for of_input in locations if of_input is not None), "")

    def mark_invalid(self, row: int) -> None:
        """Mark `row` as a replacement sample."""
        if self.valid is None:
            self.valid = np.ones(self.size, bool)
        self.valid[row] = False


class Failure(NamedTuple):
    """What is kept of a row's error once a replacement stands in the row.

    The exception itself would hold the batch's memory, by its traceback.
    """

    kind: str
    text: str
    notes: tuple[str, ...]

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """Return the name of an error's class, its text and its notes."""
        return cls(type(error).__name__, str(error), tuple(getattr(error, "__notes__", ())))


class RowErrors:
    """The errors of a batch's rows.

    Attributes:
        open: the error of each row that could not be computed.
        failures: the same of each row that the error policy has treated.
        copied: for each row that is a copy of another one, that other row.
        note: operator and stage at work, for notes on errors.
    """

    def __init__(self) -> None:
        self.open: dict[int, BaseException] = {}
        self.failures: dict[int, Failure] = {}
        self.copied: dict[int, int] = {}
        self.note = ""

    def annotate(self, before: set[int], note: str) -> None:
        """Add a note to the errors of all rows but those in `before`."""
        for row in self.open.keys() - before:
            self.open[row].add_note(note)


class DeviceDebts:
    """What a batch owes until the device has done its work: held memory, and checks."""

    def __init__(self, errors: RowErrors) -> None:
        self._errors = errors
        self._held: list[Any] = []
        self._checks: list[tuple[str, Callable[[], None]]] = []

    def hold(self, data: Any) -> None:
        """Keep host memory, which the device reads or writes."""
        self._held.append(data)

    def release(self) -> None:
        """Drop the memory that was held."""
        self._held.clear()

    def check_later(self, check: Callable[[], None]) -> None:
        """Have `check` called, to call `fail_row`."""
        self._checks.append((self._errors.note, check))

    def run_checks(self) -> None:
        """Call the functions that had to wait; note their operators in the errors of rows."""
        for note, check in self._checks:
            failed = set(self._errors.open)
            check()
            self._errors.annotate(failed, note)
        self._checks.clear()
