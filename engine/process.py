"""A worker process, as the thread that drives it sees it.

The process is a new interpreter, which runs `child.main`. It knows the pipeline's chains, and
shares the arena in which the slabs lie, so what passes through the channel between the two is
small:

    to it                                   from it
    the chains, pickled                     None: ready; or what went wrong
    Job: a few rows of a batch              any number of AskSlab and AskBlock, then Done
    Place, or None: use memory of your own

It ends when the channel is closed from this side, however this process ends.
"""

from __future__ import annotations

import socket
from contextlib import ExitStack
from typing import Any

import numpy as np

from .batch import Batch
from .chain import ChainRun
from .channel import Channel
from .errors import WorkerError
from .faults import describe
from .interpreter import Interpreter
from .memory import SMALL, TOLD_BY_NAME, Arena, Place
from .messages import AskBlock, AskSlab, Done, Job, Result, Told, array_told, tell, unpickled_error
from .operator import Array
from .plan import Key
from .tensors import TensorList

Shared = Array | tuple[list[Array], list[Told]]
"""A batch's column: one array, or the rows and what is told of them."""


class WorkerProcess:
    """One process; all methods but `kill` are called by one thread.

    Args:
        arena: where slabs lie.
        program: the pickled chains by segment.

    Attributes:
        busy_ns, wait_ns, cpu_ns: as those of `chain.Worker`.
    """

    def __init__(self, arena: Arena, program: bytes) -> None:
        self.busy_ns: dict[int, int] = {}
        self.wait_ns = self.cpu_ns = 0
        self._arena = arena
        self._note = arena.array((arena.take(8), (1,), "i8"))
        self._note[0] = -1
        ours, theirs = socket.socketpair()
        self._channel = Channel(ours)
        place = arena.locate(self._note)
        assert place is not None
        numbers = theirs.fileno(), arena.descriptor, place[0]
        with theirs, ExitStack() as if_that_fails:
            if_that_fails.callback(ours.close)
            self._process = Interpreter(f"{__package__}.child", numbers, numbers[:2])
            if_that_fails.pop_all()
        self._program = program

    def wait_until_ready(self) -> None:
        """Wait until the process can compute; raise what keeps it from that."""
        try:
            self._channel.send(self._program)
            problem = self._channel.receive()
        except (EOFError, OSError) as error:
            raise WorkerError(f"a worker process {self._process.fate()} when it started") from error
        if problem is not None:
            raise WorkerError(f"a worker process could not start: {problem}")

    def compute(self, run: ChainRun, chain: int, rows: range) -> None:
        """Compute rows of a batch.

        Raises:
            WorkerError: the process has died.
            Exception: something could not be passed on; the process must not be used any more.
        """
        blocks: list[Array] = []
        job = self._job(run, chain, rows)
        try:
            self._channel.send(tuple(job))
            while (answer := self._channel.receive())[0] != Done.__name__:
                self._channel.send(self._place(run, rows, answer, blocks))
        except (EOFError, OSError) as error:
            raise self._died(run, rows) from error
        self._accept(run, rows, Done(*answer[1:]), blocks)

    def kill(self) -> None:
        """End the process at once, whatever it does, and so what another thread waits for."""
        self._process.kill()

    def close(self) -> None:
        """End the process, wait for that, and close the channel; idempotent."""
        self._process.end()
        self._channel.close()

    # What the process is told

    def _job(self, run: ChainRun, chain: int, rows: range) -> Job:
        errors = run.batch.errors
        with run.lock:  # copies that another thread replaced would be gone
            if run.shared is None:
                run.shared = [self._share(run.batch, column) for column in run.external]
        part = slice(rows.start, rows.stop)
        return Job(
            chain,
            run.batch.size,
            [i - rows.start for i in rows if i not in errors],
            [self._part(column, part) for column in run.shared],
            {ordinal: tell(table[part], self._arena) for ordinal, table in run.random.items()},
            self._targets(run, rows),
        )

    def _share(self, batch: Batch, column: TensorList) -> Shared:
        """Find out, for a whole batch at once, where a column lies."""
        rows = column.part(range(batch.size))
        if isinstance(rows, np.ndarray):
            return self._copied(batch, rows)
        arrays = [self._copied(batch, row) for row in rows]
        return arrays, [tell(array, self._arena) for array in arrays]

    def _copied(self, batch: Batch, array: Array) -> Array:
        """Return a copy of a large array that the other process could not see."""
        large = array.nbytes >= SMALL and array.dtype.kind in TOLD_BY_NAME
        if not large or self._arena.locate(array) is not None:
            return array
        copy = batch.empty(array.shape, array.dtype)
        np.copyto(copy, array)
        return copy

    def _part(self, column: Shared, part: slice) -> Told | list[Told]:
        return column[1][part] if isinstance(column, tuple) else tell(column[part], self._arena)

    def _targets(self, run: ChainRun, rows: range) -> dict[Key, Place | None]:
        targets: dict[Key, Place | None] = {}
        for key, results in run.rows.items():
            if results.ragged:
                targets[key] = None
                continue
            likely = run.chain.likely.get(key)
            slab = results.made if likely is None else results.slab(*likely)
            if slab is not None:
                targets[key] = self._arena.locate(slab[rows.start : rows.stop])
        return targets

    def _place(
        self, run: ChainRun, rows: range, question: tuple[Any, ...], blocks: list[Array]
    ) -> Place | None:
        if question[0] == AskSlab.__name__:
            key, shape, dtype = AskSlab(*question[1:])
            slab = run.rows[key].slab(shape, dtype)
            return None if slab is None else self._arena.locate(slab[rows.start : rows.stop])
        (nbytes,) = AskBlock(*question[1:])
        block = run.batch.empty((nbytes,), np.uint8)
        place = self._arena.locate(block)
        if place is not None:
            blocks.append(block)
        return place

    # What it says

    def _accept(self, run: ChainRun, rows: range, done: Done, blocks: list[Array]) -> None:
        for row, (pickled, trace) in done.errors.items():
            run.batch.errors[rows.start + row] = unpickled_error(pickled, trace)
        good = [i for i in rows if i not in run.batch.errors]
        for key, found in done.results.items():
            told = Result(*found)
            results = run.rows[key]
            for row, (block, offset, shape, dtype) in told.apart.items():
                results.adopt(rows.start + row, np.ndarray(shape, dtype, blocks[block], offset))
            for row, own in told.own.items():
                results.put(rows.start + row, array_told(own, self._arena), None)
            elsewhere = told.apart.keys() | told.own.keys()
            results.adopt_from_slab(i for i in good if i - rows.start not in elsewhere)
        self.busy_ns, self.wait_ns, self.cpu_ns = done.busy_ns, done.wait_ns, done.cpu_ns

    def _died(self, run: ChainRun, rows: range) -> WorkerError:
        at = int(self._note[0])
        error = WorkerError(f"a worker process {self._process.fate()}")
        if at >= 0:
            error.add_note("while it computed " + describe(run.batch, rows[at]))
        else:
            error.add_note(f"before it computed {len(rows)} samples of batch {run.batch.number}")
        return error
