"""What becomes of samples that cannot be read, decoded or processed.

    "raise"    the batch's first error reaches the caller of `run`.
    "skip"     another sample of the data set takes the bad one's place. Which one is a
               function of seed, epoch and position, so a run can be repeated.
    "replace"  a copy of the nearest good sample before it in the batch takes its place; before
               the first one, of the last one.

Batches keep their size and ranks their step counts. Where "skip" has no other sample to
read (an external source) or whole-batch operators have used the bad one already, it does
what "replace" does; where the batch has no good sample, "replace" does what "skip" does.
Rows that were filled in are False in `TensorList.valid`.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from pathlib import Path
from typing import Any

from .batch import Batch
from .chain import Chain, ChainRun, Worker
from .operator import InputOperator
from .plan import Plan

POLICIES = ("raise", "skip", "replace")
_ATTEMPTS = 16  # of finding a readable stand-in; beyond it the whole data set is likely bad


class Faults:
    """Applies one policy, counts what it did, and writes the quarantine log."""

    def __init__(self, policy: str, log: Path | None, plan: Plan, chains: list[Chain | None]):
        self._policy = policy
        self._log = log
        self._plan = plan
        self._chains = chains
        self._lock = threading.Lock()
        self.counts: Counter[str] = Counter()

    def settle(self, batch: Batch, segment: int) -> None:
        """Deal with the rows that failed in `segment` or before it."""
        for row in sorted(batch.errors):
            error = batch.errors[row]
            if self._policy == "raise" or not isinstance(error, Exception):  # SystemExit and so on
                error.add_note(describe(batch, row))
                batch.end = error
                batch.errors.clear()
                return
        for row in sorted(batch.errors):
            error = batch.errors[row]
            self._note(
                self._record(batch, row, error) | {"action": self._fill(batch, row, segment)}
            )
            if batch.end is not None:
                break
            batch.mark_invalid(row)
        batch.errors.clear()

    def _fill(self, batch: Batch, row: int, segment: int) -> str:
        """Put something into a bad row; return how, for the log."""
        ways = [("refilled", self._refill), ("copied", self._copy_neighbour)]
        for action, way in ways if self._policy == "skip" else reversed(ways):
            if way(batch, row, segment):
                return action
        error = batch.errors[row]
        error.add_note(describe(batch, row))
        error.add_note(f"no sample was found to take its place (on_error={self._policy!r})")
        batch.end = error
        return "raised"

    def _refill(self, batch: Batch, row: int, segment: int) -> bool:
        if not self._plan.segments[segment].repeatable:
            return False
        return any(self._try_spare(batch, row, segment, k) for k in range(_ATTEMPTS))

    def _try_spare(self, batch: Batch, row: int, segment: int, attempt: int) -> bool:
        before = dict(batch.values)
        indices = {ordinal: int(draw.index[row]) for ordinal, draw in batch.draws.items()}
        try:
            if self._read_spare(batch, row, attempt):
                for chain in self._chains[: segment + 1]:
                    if chain is not None:
                        self._repeat(chain, batch, row)
                return True
        except Exception as error:
            self._note(self._record(batch, row, error) | {"action": "stand-in failed"})
        batch.values = before
        for ordinal, index in indices.items():
            batch.draws[ordinal].index[row] = index
        return False

    def _read_spare(self, batch: Batch, row: int, attempt: int) -> bool:
        for node in self._plan.inputs:
            assert isinstance(node.operator, InputOperator)
            draw = batch.draws.get(node.ordinal)
            arrays = node.operator.spare(draw, row, attempt) if draw else None
            if arrays is None:
                return False
            self._replace(batch, node.ordinal, row, list(arrays))
        return True

    def _repeat(self, chain: Chain, batch: Batch, row: int) -> None:
        run = ChainRun(chain, batch, alone=True)
        Worker().compute(run, row)
        for (ordinal, i), rows in run.rows.items():
            arrays: list[Any] = [None] * len(batch.values[ordinal])
            arrays[i] = rows.row(row)
            self._replace(batch, ordinal, row, arrays)

    def _copy_neighbour(self, batch: Batch, row: int, _segment: int) -> bool:
        good = [(row - back) % batch.size for back in range(1, batch.size)]
        source = next((i for i in good if i not in batch.errors), None)
        if source is None:
            return False
        for ordinal, lists in batch.values.items():
            rows = [None if column is None else column.row(source) for column in lists]
            self._replace(batch, ordinal, row, rows)
        for draw in batch.draws.values():
            draw.index[row] = draw.index[source]
        return True

    @staticmethod
    def _replace(batch: Batch, ordinal: int, row: int, arrays: list[Any]) -> None:
        batch.values[ordinal] = tuple(
            column if array is None else column.replaced(row, array)
            for column, array in zip(batch.values[ordinal], arrays, strict=True)
        )

    def _record(self, batch: Batch, row: int, error: BaseException) -> dict[str, Any]:
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

    def _note(self, record: dict[str, Any]) -> None:
        with self._lock:
            self.counts[record["action"]] += 1
            if self._log is not None:
                with self._log.open("a", encoding="utf-8") as log:
                    log.write(json.dumps(record, ensure_ascii=False) + "\n")


def describe(batch: Batch, row: int) -> str:
    """Name a sample of a batch for an error note."""
    source = batch.where(row)
    return (
        f"sample {row} of batch {batch.number} (epoch {batch.epoch[row]}, "
        f"position {batch.position[row]})" + (f", from {source}" if source else "")
    )
