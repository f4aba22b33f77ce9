"""A worker process, as it sees itself: it computes rows that its parent sends it.

See `process` for what the two say to one another.
"""

from __future__ import annotations

import pickle
from math import prod
from socket import socket
from time import perf_counter_ns, process_time_ns
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from .batch import RowStore
from .chain import Chain, Work, Worker
from .channel import Channel
from .interpreter import end_with_parent
from .memory import SMALL, TOLD_BY_NAME, Arena, Place
from .messages import (
    Apart,
    AskBlock,
    AskSlab,
    Done,
    Job,
    Result,
    Told,
    array_told,
    pickled_error,
    tell,
)
from .operator import Array
from .plan import Key
from .tensors import TensorListCPU

_ALIGNMENT = 64
_BLOCK_BYTES = 4 << 20  # as much is asked for at once, unless a row is larger


def main(connection: int, arena: int, note: int) -> None:
    """Serve the parent until it ends."""
    end_with_parent(connection)
    parent = Parent(socket(fileno=connection), Arena(arena))
    try:
        try:
            chains: dict[int, Chain] = pickle.loads(parent.receive())
        except Exception as error:
            parent.send(f"{type(error).__name__}: {error}")
            return
        parent.send(None)
        serve(parent, chains, parent.arena.array((note, (1,), "i8")))
    except (EOFError, ConnectionError):
        pass  # the parent has ended


def serve(parent: Parent, chains: dict[int, Chain], note: Array) -> None:
    """Compute one job after the other; `note` tells the parent which row is being computed."""
    worker = Worker()
    while True:
        note[0] = -1
        job = Job(*parent.receive())
        chain = chains[job.chain]
        blocks = _Blocks(parent)
        results = {key: _Results(key, job, parent, blocks) for key in chain.kept}
        random = {ordinal: parent.array(table) for ordinal, table in job.random.items()}
        work = Work(chain, _columns(job, parent), results, random)
        errors = {}
        for left, i in zip(range(len(job.rows), 0, -1), job.rows, strict=True):
            note[0] = i
            blocks.rows_left = left
            try:
                worker.compute(work, i)
            except BaseException as error:
                errors[i] = pickled_error(error)
        told = {key: tuple(rows.told(job.rows)) for key, rows in results.items()}
        done = Done(told, errors, worker.busy_ns, parent.wait_ns, process_time_ns())
        parent.send((Done.__name__, *done))


class Parent:
    """The channel to the parent process, and the arena shared with it.

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

    def send(self, message: Any) -> None:
        """Send a message."""
        self._channel.send(message)

    def ask(self, question: AskSlab | AskBlock) -> Array | None:
        """Return the memory asked for; None where the parent has none in the arena."""
        self.send((type(question).__name__, *question))
        place: Place | None = self.receive()
        return None if place is None else self.arena.array(place)

    def array(self, told: Told) -> Array:
        """Return the array that the parent has told of."""
        return array_told(told, self.arena)


class _Blocks:
    """Memory for a job's rows that lie apart: asked for in blocks, filled row by row.

    Attributes:
        rows_left: rows of the job that are not finished; they are taken to be alike in size.
    """

    rows_left: int

    def __init__(self, parent: Parent) -> None:
        self._parent = parent
        self._blocks: list[tuple[int, Array]] = []
        self._free: Array = np.empty(0, np.uint8)

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        """Return memory for one row: of a block, or of our own."""
        nbytes = prod(shape) * dtype.itemsize
        taken = -(-nbytes // _ALIGNMENT) * _ALIGNMENT
        if taken > len(self._free):
            likely = min(taken * self.rows_left, _BLOCK_BYTES)
            if not self._refill(max(taken, likely)):
                return np.empty(shape, dtype)
        memory, self._free = self._free[:nbytes], self._free[taken:]
        return memory.view(dtype).reshape(shape)

    def _refill(self, nbytes: int) -> bool:
        if nbytes < SMALL:
            return False
        block = self._parent.ask(AskBlock(nbytes))
        if block is None:
            return False
        self._blocks.append((_address(block), block))
        self._free = block
        return True

    def find(self, row: Array) -> Apart | None:
        """Say where a row lies; None if in no block."""
        if not row.nbytes or row.dtype.kind not in TOLD_BY_NAME:
            return None
        address = _address(row)
        for number, (begin, block) in enumerate(self._blocks):
            if begin <= address < begin + block.nbytes:
                return number, address - begin, row.shape, row.dtype.str
        return None


def _address(array: Array) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


class _Results(RowStore):
    """One result of a job's rows."""

    def __init__(self, key: Key, job: Job, parent: Parent, blocks: _Blocks) -> None:
        super().__init__(1 + max(job.rows, default=-1))
        self._key = key
        self._parent = parent
        self._blocks = blocks
        self._size = job.size
        self._known = key in job.targets
        place = job.targets.get(key)
        self._slab = None if place is None else parent.arena.array(place)

    def slab(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array | None:
        dtype = np.dtype(dtype)
        if not self._known and prod(shape) * dtype.itemsize * self._size >= SMALL:
            self._slab = self._parent.ask(AskSlab(self._key, tuple(shape), dtype))
            self._known = True
        slab = self._slab
        if slab is not None and slab.shape[1:] == tuple(shape) and slab.dtype == dtype:
            return slab
        return None

    def apart(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        return self._blocks.empty(shape, np.dtype(dtype))

    def told(self, rows: list[int]) -> Result:
        """Return what the parent needs to know."""
        told = Result({}, {})
        for i in rows:
            row = self._rows[i]
            if row is None or (self._slab is not None and row.base is self._slab):
                continue
            place = self._blocks.find(row)
            if place is not None:
                told.apart[i] = place
            else:
                told.own[i] = tell(row, self._parent.arena)
        return told


def _columns(job: Job, parent: Parent) -> list[TensorListCPU]:
    return [
        TensorListCPU(
            [parent.array(row) for row in column]
            if isinstance(column, list)
            else parent.array(column)
        )
        for column in job.external
    ]
