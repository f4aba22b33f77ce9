"""A worker process, as it sees itself: it computes rows on request of its parent.

`worker_process` describes the messages between the two.
"""

from __future__ import annotations

import pickle
from math import prod
from socket import socket
from time import perf_counter_ns, process_time_ns
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ..arrays import DType
from ..graph.operator import Array
from ..tensors import TensorListCPU
from ..tensors.alignment import ALIGNMENT, address_of_host
from ..tensors.arena import PLAIN_DTYPES, Arena, ArenaSlot
from ..tensors.memory import SMALL
from ..tensors.results import RowStore
from ..work.chain import Chain, RowWork, Worker
from ..work.plan import Key
from .channel import Channel
from .messages import (
    ArrayRef,
    AskBlock,
    AskSlab,
    BlockRange,
    Job,
    JobDone,
    RowsApart,
    pickled_error,
    reference,
    resolve,
)

BLOCK_BYTES = 4 << 20
"""Largest block that serves several rows; a larger row gets its own block."""


def main(arena: int, progress: int, connection: int) -> None:
    """Serve the parent until the parent ends.

    Args:
        arena: descriptor of the arena's file.
        progress: offset in the arena of the number of the row that is being computed.
        connection: descriptor of a socket.
    """
    parent = ParentProcess(socket(fileno=connection), Arena(arena))
    try:
        chains = unpickled_chains(parent.receive())
    except Exception as error:
        parent.send(f"{type(error).__name__}: {error}")
        return
    parent.send(None)
    serve(parent, chains, parent.arena.array((progress, (1,), "i8")))


def unpickled_chains(program: bytes) -> dict[int, Chain]:
    """Return the chains that a message carries, by number."""
    return {chain.number: chain for chain in pickle.loads(program)}


def serve(parent: ParentProcess, chains: dict[int, Chain], progress: Array) -> None:
    """Compute one job after the other; `progress[0]` is the row in work, or -1."""
    worker = Worker()
    while True:
        progress[0] = -1
        job = Job(*parent.receive())
        if job.program is not None:
            chains |= unpickled_chains(job.program)
        chain = chains[job.chain]
        blocks = _Blocks(parent)
        results = {key: _JobRows(key, job, parent, blocks) for key in chain.kept}
        random = {ordinal: parent.resolve(table) for ordinal, table in job.random.items()}
        work = RowWork(chain, _columns(job, parent), results, random)
        errors = {}
        for left, i in zip(range(len(job.rows), 0, -1), job.rows, strict=True):
            progress[0] = i
            blocks.rows_left = left
            try:
                worker.compute(work, i)
            except BaseException as error:
                errors[i] = pickled_error(error)
        apart = {key: tuple(rows.rows_apart(job.rows)) for key, rows in results.items()}
        clocks = worker.busy_ns, parent.wait_ns, process_time_ns()
        done = JobDone(apart, errors, *clocks, chain.event_counts(), work.merged)
        parent.send((JobDone.__name__, *done))


class ParentProcess:
    """The channel to the parent process, and the arena shared with the parent.

    Attributes:
        wait_ns: how long `receive` has waited.
    """

    def __init__(self, connection: socket, arena: Arena) -> None:
        self.arena = arena
        self.wait_ns = 0
        self._channel = Channel(connection)

    def receive(self) -> Any:
        """Wait for a message."""
        started = perf_counter_ns()
        message = self._channel.receive()
        self.wait_ns += perf_counter_ns() - started
        return message

    def send(self, message: object) -> None:
        """Send a message."""
        self._channel.send(message)

    def ask(self, question: AskSlab | AskBlock) -> Array | None:
        """Return the memory asked for; None if the parent has none in the arena."""
        self.send((type(question).__name__, *question))
        slot: ArenaSlot | None = self.receive()
        return None if slot is None else self.arena.array(slot)

    def resolve(self, carried: ArrayRef) -> Array:
        """Return an array that a message carries."""
        return resolve(carried, self.arena)


class _Blocks:
    """Memory for a job's rows that lie apart: requested in blocks, filled row by row.

    Attributes:
        rows_left: unfinished rows of the job, which are expected to be alike in size.
    """

    rows_left: int

    def __init__(self, parent: ParentProcess) -> None:
        self._parent = parent
        self._blocks: list[tuple[int, Array]] = []
        self._free: Array = np.empty(0, np.uint8)

    def empty(self, shape: tuple[int, ...], dtype: DType) -> Array:
        """Return memory for one row, in a block or on this process' heap."""
        nbytes = prod(shape) * dtype.itemsize
        aligned = -(-nbytes // ALIGNMENT) * ALIGNMENT
        if aligned > len(self._free):
            likely = min(aligned * self.rows_left, BLOCK_BYTES)
            if not self._refill(max(aligned, likely)):
                return np.empty(shape, dtype)
        memory, self._free = self._free[:nbytes], self._free[aligned:]
        return memory.view(dtype).reshape(shape)

    def _refill(self, nbytes: int) -> bool:
        if nbytes < SMALL:
            return False
        block = self._parent.ask(AskBlock(nbytes))
        if block is None:
            return False
        self._blocks.append((address_of_host(block), block))
        self._free = block
        return True

    def range_of(self, row: Array) -> BlockRange | None:
        """Return the range of a row; None if the row lies in no block."""
        if not row.nbytes or row.dtype.kind not in PLAIN_DTYPES:
            return None
        address = address_of_host(row)
        for number, (start, block) in enumerate(self._blocks):
            if start <= address < start + block.nbytes:
                return number, address - start, row.shape, row.dtype.str
        return None


class _JobRows(RowStore):
    """One result of a job's rows."""

    def __init__(self, key: Key, job: Job, parent: ParentProcess, blocks: _Blocks) -> None:
        super().__init__(1 + max(job.rows, default=-1), job.most_bytes.get(key))
        self._key = key
        self._parent = parent
        self._blocks = blocks
        self._size = job.size
        self._known = key in job.targets
        slot = job.targets.get(key)
        self._slab = None if slot is None else parent.arena.array(slot)

    def slab(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array | None:
        dtype = np.dtype(dtype)
        if not self._known and prod(shape) * dtype.itemsize * self._size >= SMALL:
            self._slab = self._parent.ask(AskSlab(self._key, tuple(shape), dtype))
            self._known = True
        slab = self._slab
        if slab is not None and slab.shape[1:] == tuple(shape) and slab.dtype == dtype:
            return slab
        return None

    def separate_row(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        return self._blocks.empty(shape, np.dtype(dtype))

    def rows_apart(self, rows: list[int]) -> RowsApart:
        """Return the references to the rows that do not lie in the slab."""
        result = RowsApart({}, {})
        for i in rows:
            row = self._rows[i]
            if row is None or (self._slab is not None and row.base is self._slab):
                continue
            in_block = self._blocks.range_of(row)
            if in_block is not None:
                result.in_blocks[i] = in_block
            else:
                result.elsewhere[i] = reference(row, self._parent.arena)
        return result


def _columns(job: Job, parent: ParentProcess) -> list[TensorListCPU]:
    return [
        TensorListCPU(
            [parent.resolve(row) for row in column]
            if isinstance(column, list)
            else parent.resolve(column)
        )
        for column in job.external
    ]
