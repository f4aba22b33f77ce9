"""A worker process, as the thread that drives the process sees it.

The process runs `worker_child.main`. It holds the pipeline's chains and shares the arena in which
the slabs lie, so the messages are small:

    to the process                          from the process
    chains, pickled                         None: ready; or a text: the problem
    Job: a few rows of a batch              any number of AskSlab and AskBlock, then JobDone
    ArenaSlot; or None: use the heap

The process ends when this side closes the channel, however this side ends.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import ArgumentError, WorkerError
from ..graph.operator import Array
from ..tensors import TensorList
from ..tensors.arena import Arena, ArenaSlot
from ..work.batch import Batch
from ..work.chain import Chain, ChainRun
from ..work.faults import describe
from ..work.plan import Key
from .child_process import ChildProcess
from .messages import (
    ArrayRef,
    AskBlock,
    AskSlab,
    Job,
    JobDone,
    RowsApart,
    reference,
    resolve,
    unpickled_error,
)
from .row_process import RowProcess

ColumnRefs = Array | tuple[list[Array], list[ArrayRef]]
"""A batch's column: one array, or the rows and the references to the rows."""


def pickled_chains(*chains: Chain) -> bytes:
    """Return chains as a message; raise ArgumentError if an operator cannot be passed on."""
    for chain in chains:
        for step in chain.steps:
            try:
                pickle.dumps(step)
            except Exception as error:
                raise ArgumentError(
                    f"{step.node} cannot run in worker processes, because it cannot be "
                    f"pickled: {error}"
                ) from error
    try:
        return pickle.dumps(chains, pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise ArgumentError(
            f"the operators cannot run in worker processes, because their layouts cannot be "
            f"pickled: {error}"
        ) from error


def own_modules(chains: Iterable[Chain]) -> list[str]:
    """Return the names of this package's modules that define the operators of chains."""
    root = __name__.partition(".")[0]
    modules = {type(step.operator).__module__ for chain in chains for step in chain.steps}
    return sorted(name for name in modules if name.partition(".")[0] == root)


class WorkerProcess(RowProcess):
    """One worker process.

    Args:
        arena, process, offset: as those of the base class.
        program: pickled chains.
        chains: the same. Further chains go with the first job that needs them.

    Attributes:
        busy_ns, wait_ns, cpu_ns: as those of `chain.Worker`.
        events: `Operator.event_counts` of the process's operators, by the number of the node.
    """

    def __init__(
        self,
        arena: Arena,
        process: ChildProcess,
        offset: int,
        program: bytes,
        chains: Iterable[Chain],
    ) -> None:
        self.busy_ns: dict[int, int] = {}
        self.wait_ns = self.cpu_ns = 0
        self.events: dict[int, dict[str, int]] = {}
        super().__init__(arena, "a worker process", process, offset)
        self._program = program
        self._known = {chain.number for chain in chains}

    def wait_until_ready(self) -> None:
        """Wait until the process can compute; raise WorkerError if it cannot."""
        problem = self._first_answer(self._program)
        if problem is not None:
            raise WorkerError(f"a worker process could not start: {problem}")

    def compute(self, run: ChainRun, rows: range) -> None:
        """Compute rows of a batch.

        Raises:
            WorkerError: the process has died.
            Exception: a message could not be passed on; the process must not be used any more.
        """
        blocks: list[Array] = []
        job = self._job(run, rows)
        try:
            self._channel.send(tuple(job))
            while (answer := self._channel.receive())[0] != JobDone.__name__:
                self._channel.send(self._slot_for(run, rows, answer, blocks))
        except (EOFError, OSError) as error:
            raise self._died(run, rows) from error
        self._store_rows(run, rows, JobDone(*answer[1:]), blocks)

    # To the process

    def _job(self, run: ChainRun, rows: range) -> Job:
        errors = run.batch.errors
        number = run.chain.number
        program = None if number in self._known else pickled_chains(run.chain)
        self._known.add(number)
        with run.lock:  # another thread's copies would be freed if this thread replaced them
            if run.references is None:
                run.references = [self._column_refs(run.batch, column) for column in run.external]
        window = slice(rows.start, rows.stop)
        return Job(
            number,
            program,
            run.batch.size,
            [i - rows.start for i in rows if i not in errors],
            [self._window_refs(column, window) for column in run.references],
            {number: reference(table[window], self._arena) for number, table in run.random.items()},
            self._targets(run, rows),
            {key: run.batch.most_bytes_of(key) for key in run.rows},
        )

    def _column_refs(self, batch: Batch, column: TensorList) -> ColumnRefs:
        """Make the references of a column, for a whole batch at once."""
        rows = column.window(range(batch.size))
        if isinstance(rows, np.ndarray):
            return self._visible(rows, batch.empty)
        arrays = [self._visible(row, batch.empty) for row in rows]
        return arrays, [reference(array, self._arena) for array in arrays]

    def _window_refs(self, column: ColumnRefs, window: slice) -> ArrayRef | list[ArrayRef]:
        if isinstance(column, tuple):
            return column[1][window]
        return reference(column[window], self._arena)

    def _targets(self, run: ChainRun, rows: range) -> dict[Key, ArenaSlot | None]:
        targets: dict[Key, ArenaSlot | None] = {}
        for key, results in run.rows.items():
            if results.ragged:
                targets[key] = None
                continue
            likely = run.chain.likely.get(key)
            slab = results.made if likely is None else results.slab(*likely)
            if slab is not None:
                targets[key] = self._arena.slot_of(slab[rows.start : rows.stop])
        return targets

    def _slot_for(
        self, run: ChainRun, rows: range, question: tuple[Any, ...], blocks: list[Array]
    ) -> ArenaSlot | None:
        if question[0] == AskSlab.__name__:
            key, shape, dtype = AskSlab(*question[1:])
            slab = run.rows[key].slab(shape, dtype)
            return None if slab is None else self._arena.slot_of(slab[rows.start : rows.stop])
        (nbytes,) = AskBlock(*question[1:])
        block = run.batch.empty((nbytes,), np.uint8)
        slot = self._arena.slot_of(block)
        if slot is not None:
            blocks.append(block)
        return slot

    # From the process

    def _store_rows(self, run: ChainRun, rows: range, done: JobDone, blocks: list[Array]) -> None:
        for row, (pickled, trace) in done.errors.items():
            run.batch.fail_row(rows.start + row, unpickled_error(pickled, trace))
        good = [i for i in rows if i not in run.batch.errors]
        for key, sent in done.results.items():
            apart = RowsApart(*sent)
            results = run.rows[key]
            for row, (block, offset, shape, dtype) in apart.in_blocks.items():
                results.adopt(rows.start + row, np.ndarray(shape, dtype, blocks[block], offset))
            for row, carried in apart.elsewhere.items():
                results.store_row(rows.start + row, resolve(carried, self._arena), None)
            if results.made is None:  # rows that are neither here nor there were not computed
                continue
            outside = apart.in_blocks.keys() | apart.elsewhere.keys()
            results.adopt_from_slab(i for i in good if i - rows.start not in outside)
        self.busy_ns, self.wait_ns, self.cpu_ns = done.busy_ns, done.wait_ns, done.cpu_ns
        self.events.update(done.events)
        for ordinal, kinds in done.merged.items():
            run.merged.setdefault(ordinal, set()).update(kinds)

    def _died(self, run: ChainRun, rows: range) -> WorkerError:
        at = self.row_in_work
        error = WorkerError(f"a worker process {self.process.fate()}")
        if at >= 0:
            error.add_note("while it computed " + describe(run.batch, rows[at]))
        else:
            error.add_note(f"before it computed {len(rows)} samples of batch {run.batch.number}")
        return error
