"""The error policy: what happens to a sample that cannot be read, decoded or processed.

    "raise"    the batch's first error reaches the caller of `run`.
    "skip"     another sample of the data set replaces the bad one. The choice is a function of
               seed, epoch and position, so a run can be repeated.
    "replace"  a copy of the nearest good sample before the bad one in the batch replaces it;
               before the batch's first good sample, a copy of the last one.

Batches keep their size and ranks their step counts. "skip" does the work of "replace" where no
other sample can be read (external sources) or where a whole-batch operator has used the bad
sample. "replace" does the work of "skip" where the batch has no good sample.
`TensorList.valid` is False for replaced rows.

An error of the machine is no error of a sample. If the process runs out of memory or of file
descriptors, or lacks a library, the run ends under every policy.
"""

from __future__ import annotations

import errno
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import MissingDependencyError
from ..graph.inputs import SeekableInput
from ..graph.operator import Array
from ..printable import printable
from ..tensors import TensorList, TensorListCPU
from ..tensors.sample_form import SampleForm, usual_form
from .batch import Batch
from .batch_state import Failure
from .chain import Chain, ChainRun, Worker
from .plan import InputNode, Plan
from .quarantine import QuarantineLog

if TYPE_CHECKING:
    from ..gpu.device import DeviceAccess

POLICIES = ("raise", "skip", "replace")
NOT_LOGGED = "not logged"
LEFT_OUT = "file left out"
READ_IN_PART = "file read in part"
_MACHINE_ERRORS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})

MAX_REPLACEMENTS = 16
"""Samples that are read in vain before the run ends; beyond this number the whole data set is
likely bad."""


class Faults:
    """Applies one policy, counts its actions, and writes the quarantine log.

    Args:
        policy: one of `POLICIES`.
        log: path of the quarantine log, or None.
        repeats_of: returns the chains of a plan that repeat the work for one row alone, by the
            segment's number.
        device: the GPU that the pipeline uses, or None.
    """

    def __init__(
        self,
        policy: str,
        log: Path | None,
        repeats_of: Callable[[Plan], Mapping[int, Chain]],
        device: DeviceAccess | None,
    ) -> None:
        self._policy = policy
        self._log = None if log is None else QuarantineLog(log)
        self._repeats_of = repeats_of
        self._device = device
        self._lock = threading.Lock()
        self.counts: Counter[str] = Counter()

    def note_left_out(self, reader: InputNode[SeekableInput]) -> None:
        """Write into the log which files a reader has left out, in part or whole."""
        for damage in reader.operator.left_out():
            record = {"source": damage.name, "operator": reader.node.name, "error": damage.error}
            record["message"] = damage.reason
            if not damage.samples:
                self._count(record, LEFT_OUT)
                continue
            known = {"samples": damage.samples} if damage.samples > 0 else {}
            self._count(record | {"offset": damage.offset} | known, READ_IN_PART)

    def settle(self, batch: Batch, segment: int) -> None:
        """Apply the policy to the rows that failed in `segment` or before."""
        for row in sorted(batch.errors):
            error = batch.errors[row]
            if self._policy == "raise" or not isinstance(error, Exception):  # SystemExit and so on
                self._end(batch, row, error)
                return
            if is_machine_error(error):
                error.add_note(
                    f"this is an error of the machine, so on_error={self._policy!r} does not apply"
                )
                self._end(batch, row, error)
                return
        for row, error in batch.errors.items():
            batch.rows.failures.setdefault(row, Failure.of(error))
        for row in sorted(batch.errors):
            record = self._record(batch, row, batch.errors[row])  # of the bad sample
            for reader in batch.plan.readers:
                if (selection := batch.selections.get(reader.node.ordinal)) is not None:
                    reader.operator.note_bad(selection, row)
            self._count(record, self._fill(batch, row, segment))
            if batch.end is not None:
                break
            batch.samples.mark_invalid(row)
        batch.errors.clear()

    @staticmethod
    def _end(batch: Batch, row: int, error: BaseException) -> None:
        error.add_note(describe(batch, row))
        batch.end = error
        batch.errors.clear()

    def _fill(self, batch: Batch, row: int, segment: int) -> str:
        """Replace a bad row; return the name of the action, for the log."""
        ways = [("refilled", self._refill), ("copied", self._copy_neighbor)]
        for action, way in ways if self._policy == "skip" else reversed(ways):
            if way(batch, row, segment):
                return action
        error = batch.errors[row]
        error.add_note(describe(batch, row))
        error.add_note(f"no sample could replace it (on_error={self._policy!r})")
        batch.end = error
        return "raised"

    def _refill(self, batch: Batch, row: int, segment: int) -> bool:
        if not batch.plan.segments[segment].repeatable:
            return False
        attempts = range(MAX_REPLACEMENTS)
        return any(self._try_replacement(batch, row, segment, attempt) for attempt in attempts)

    def _try_replacement(self, batch: Batch, row: int, segment: int, attempt: int) -> bool:
        before = dict(batch.values)
        indices = {
            ordinal: int(selection.index[row]) for ordinal, selection in batch.selections.items()
        }
        try:
            if self._read_replacement(batch, row, attempt):
                for number, chain in self._repeats_of(batch.plan).items():
                    if number <= segment:
                        self._repeat(chain, batch, row)
                return True
        except Exception as error:
            if is_machine_error(error):
                raise
            self._count(self._record(batch, row, error), "replacement failed")
        batch.values = before
        for ordinal, index in indices.items():
            batch.selections[ordinal].index[row] = index
        return False

    def _read_replacement(self, batch: Batch, row: int, attempt: int) -> bool:
        plan = batch.plan
        if plan.sources:
            return False  # user code gives each sample once
        for reader in plan.readers:
            ordinal = reader.node.ordinal
            arrays = reader.operator.replacement(batch.selections[ordinal], row, attempt)
            if arrays is None:
                return False
            columns = batch.values[ordinal]
            for column, array in zip(columns, arrays, strict=True):
                _check_form(batch, row, column, array)
            moved = [self._moved(*pair) for pair in zip(columns, arrays, strict=True)]
            self._replace(batch, ordinal, row, moved)
        return True

    def _moved(self, column: TensorList, sample: Array) -> Any:
        """Return a sample in the memory that a column lies in: the host's or the device's."""
        if isinstance(column, TensorListCPU):
            return sample
        assert self._device is not None
        with self._device.aside() as device:
            return device.to_device(TensorListCPU([sample])).row(0)

    def _repeat(self, chain: Chain, batch: Batch, row: int) -> None:
        run = ChainRun(chain, batch, alone=True)
        Worker().compute(run, row)
        for (ordinal, i), rows in run.rows.items():
            arrays: list[Any] = [None] * len(batch.values[ordinal])
            arrays[i] = rows.row(row)
            self._replace(batch, ordinal, row, arrays)

    def _copy_neighbor(self, batch: Batch, row: int, _segment: int) -> bool:
        good = [(row - back) % batch.size for back in range(1, batch.size)]
        source = next((i for i in good if i not in batch.errors), None)
        if source is None:
            return False
        batch.rows.copied[row] = source
        for ordinal in batch.values:
            self.copy_row(batch, ordinal, row, source)
        for selection in batch.selections.values():
            selection.index[row] = selection.index[source]
        return True

    def copy_row(self, batch: Batch, ordinal: int, row: int, source: int) -> None:
        """Replace a row of a node's results by a copy of another one."""
        arrays = [self._copied_row(column, source) for column in batch.values[ordinal]]
        self._replace(batch, ordinal, row, arrays)

    def _copied_row(self, column: TensorList | None, row: int) -> Any:
        """Return a copy of a row, so that work in place on one row leaves the other alone."""
        if column is None:
            return None
        data = column.row(row)
        if isinstance(column, TensorListCPU) or isinstance(data, np.ndarray):  # or a hole
            array: Array = data.copy()
            return array
        assert self._device is not None
        with self._device.aside() as device:  # all work on the row is done
            return device.copied([data], "").row(0)

    @staticmethod
    def _replace(batch: Batch, ordinal: int, row: int, arrays: list[Any]) -> None:
        batch.values[ordinal] = tuple(
            column if array is None else column.replaced(row, array)
            for column, array in zip(batch.values[ordinal], arrays, strict=True)
        )

    @staticmethod
    def _record(batch: Batch, row: int, error: BaseException) -> dict[str, Any]:
        return {
            "source": batch.where(row),
            "epoch": int(batch.epoch[row]),
            "position": int(batch.position[row]),
            "batch": batch.number,
            "row": row,
            "error": type(error).__name__,
            "message": str(error),
            "notes": list(getattr(error, "__notes__", ())),
        }

    def _count(self, record: dict[str, Any], action: str) -> None:
        with self._lock:
            self.counts[action] += 1
            if self._log is not None and not self._log.append_record(record | {"action": action}):
                self.counts[NOT_LOGGED] += 1


def _check_form(batch: Batch, row: int, column: TensorList, sample: Array) -> None:
    """Raise DecodeError if a replacement sample has another form than the good samples."""
    form, (usual, _) = SampleForm.of(sample), usual_form(column, batch.errors)
    if usual is not None and form != usual:
        raise form.refusal(batch.where(row), usual)


def is_machine_error(error: BaseException | None) -> bool:
    """Return whether the process lacks memory, descriptors or a library; a cause counts, too."""
    while error is not None:
        if isinstance(error, MemoryError | MissingDependencyError):
            return True
        if isinstance(error, OSError) and error.errno in _MACHINE_ERRORS:
            return True
        error = error.__cause__
    return False


def describe(batch: Batch, row: int) -> str:
    """Name a sample of a batch for an error note."""
    source = printable(batch.where(row))
    return (
        f"sample {row} of batch {batch.number} (epoch {batch.epoch[row]}, "
        f"position {batch.position[row]})" + (f", from {source}" if source else "")
    )
