"""The samples of one batch, shared out among Python workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from ...engine.graph.operator import Array
from ...engine.graph.user_calls import CallingProcesses, Returned
from ...engine.pending import Pending
from ...engine.tensors.results import BatchRows, RowType

MAX_ROWS = 16
"""Rows of one call at most. Small calls keep all workers busy until the end of a batch."""

CallRows = Callable[[list[int], list[Array | None]], Pending[Returned]]
"""`call(rows, targets)` begins the work on some rows, whose results fit into the targets."""


class RowCalls(Pending[dict[int, BaseException]]):
    """Calls for the rows of a batch. The result holds the errors of rows, by row.

    Args:
        workers: the processes.
        rows: the rows to compute.
        size: rows of the whole batch.
        likely: for each output, the type that its rows are likely to have, or None.
        empty: returns memory of the batch.
        call: begins the work on some rows.

    Attributes:
        arrays: the arrays of each row that was computed, one an output, once there is a result.
        results: the rows of each output, which `enter` fills.
        states: what the callees told of themselves.
    """

    def __init__(
        self,
        workers: CallingProcesses,
        rows: Sequence[int],
        size: int,
        likely: Sequence[RowType | None],
        empty: Callable[..., Array],
        call: CallRows,
    ) -> None:
        self.arrays: dict[int, list[Array]] = {}
        self.states: list[Any] = []
        self.results = [BatchRows(size, empty, dense_hint=bool(kind)) for kind in likely]
        pairs = zip(self.results, likely, strict=True)
        self._slabs = [results.slab(*kind) if kind else None for results, kind in pairs]
        self._parts: list[tuple[list[int], Pending[Returned]]] = []
        step = max(1, min(MAX_ROWS, -(-len(rows) // workers.count)))
        for start in range(0, len(rows), step):
            chosen = list(rows[start : start + step])
            together = chosen[-1] - chosen[0] + 1 == len(chosen)
            window = slice(chosen[0], chosen[-1] + 1)
            targets = [
                slab[window] if slab is not None and together else None for slab in self._slabs
            ]
            self._parts.append((chosen, call(chosen, targets)))

    def result(self) -> dict[int, BaseException]:
        errors: dict[int, BaseException] = {}
        try:
            for chosen, part in self._parts:
                returned = part.result()
                self.states.append(returned.state)
                # None stands for the rows with errors alone.
                columns = cast("list[Sequence[Array]]", returned.columns)
                for k, row in enumerate(chosen):
                    if k in returned.errors:
                        errors[row] = returned.errors[k]
                    else:
                        self.arrays[row] = [column[k] for column in columns]
        except BaseException:
            self.cancel()
            raise
        return errors

    def cancel(self) -> None:
        for _, part in self._parts:
            part.cancel()

    def enter(self, row: int) -> None:
        """Enter the arrays of a row in the results."""
        for results, slab, array in zip(self.results, self._slabs, self.arrays[row], strict=True):
            if slab is not None and np.may_share_memory(slab, array):
                results.adopt_from_slab([row])
            elif slab is not None and (array.shape, array.dtype) == (slab.shape[1:], slab.dtype):
                results.store_row(row, array, None)
            else:
                results.adopt(row, array)

    def copy(self, row: int, to: int) -> None:
        """Let a row that was entered stand for another one as well."""
        self.arrays[to] = self.arrays[row]
        for results in self.results:
            results.store_row(to, results.row(row), None)

    def kinds(self) -> list[RowType | None]:
        """Return the type of the rows of each output; None if they differ."""
        return [results.row_type for results in self.results]
