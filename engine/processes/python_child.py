"""A Python worker, as it sees itself: it calls users' code on request of its parent.

`python_workers` describes the messages between the two.
"""

from __future__ import annotations

import io
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from math import prod
from socket import socket
from typing import Any, NamedTuple

import numpy as np

from ..graph.operator import Array
from ..graph.user_calls import Callee, InputRows, Returned, Rows
from ..tensors.arena import Arena, ArenaSlot
from ..tensors.memory import SMALL
from .channel import Channel
from .messages import ArrayRef, AskBlock, pickled_error, resolve

_ALIGNMENT = 64

IN_TARGET = True
"""The reference to a row that lies in the memory which the call has brought along."""

RowRef = bool | tuple[int | bytes, tuple[int, ...], str] | None
"""A row or column of results: `IN_TARGET`; or its offset in the call's block, or its bytes, with
shape and dtype; or None for a bad sample."""


class UserCall(NamedTuple):
    """A request to call users' code.

    Attributes:
        ordinal: number of the operator's node.
        request: the operator's message to its callee.
        inputs: for each input, a reference to a column or to each row.
        targets: for each output, memory for the rows, or None.
    """

    ordinal: int
    request: Any
    inputs: list[ArrayRef | list[ArrayRef]]
    targets: list[ArenaSlot | None]


class CallDone(NamedTuple):
    """The outcome of a call: see `Returned`, with references and pickled errors."""

    columns: list[RowRef | list[RowRef]]
    errors: dict[int, tuple[bytes, str]]
    state: Any


class CallFailed(NamedTuple):
    """The error that ended a call, pickled, and its traceback."""

    error: bytes
    trace: str


def main(arena: int, progress: int, connection: int) -> None:
    """Serve the parent in a new interpreter until the parent ends.

    Args:
        arena: descriptor of the arena's file.
        progress: offset in the arena of the row that is being computed.
        connection: descriptor of a socket.
    """
    channel = Channel(socket(fileno=connection))
    serve(channel, Arena(arena), progress, lambda: _unpickled(channel.receive()))


def _unpickled(message: tuple[bytes, bytes]) -> dict[int, Callee]:
    """Return the callees, by the number of the operator's node."""
    loads, program = message
    loads_user = pickle.loads(loads)
    callees: dict[int, Callee] = {}
    for ordinal, (callee, user) in pickle.loads(program).items():
        callees[ordinal] = pickle.loads(callee)
        callees[ordinal].user = loads_user(user)
    return callees


def serve(
    channel: Channel, arena: Arena, progress: int, get_callees: Callable[[], dict[int, Callee]]
) -> None:
    """Answer calls, one after the other; see `main`. `get_callees` returns the callees."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # What users print would be lost with a process that is killed.
        sys.stdout.reconfigure(line_buffering=True)
    try:
        callees = get_callees()
        for callee in callees.values():
            callee.start()
    except BaseException as error:
        channel.send(pickled_error(error))  # fails in its turn if the parent has ended
        return
    channel.send(None)
    at_work = arena.array((progress, (1,), "i8"))
    while True:
        at_work[0] = -1
        call = UserCall(*channel.receive())

        def begin(row: int) -> None:
            at_work[0] = row

        answer: CallDone | CallFailed
        inputs: list[InputRows] = []
        try:
            inputs = [_column(refs, arena) for refs in call.inputs]
            returned = callees[call.ordinal].run(call.request, inputs, begin)
        except BaseException as error:
            answer = CallFailed(*pickled_error(error))
        else:
            answer = _Results(channel, arena).store(returned, call.targets)
            del returned
        channel.send((type(answer).__name__, *answer))
        inputs = []  # or the memory of the call would be in use until the next one
        del call, answer


def _column(refs: ArrayRef | list[ArrayRef], arena: Arena) -> InputRows:
    if isinstance(refs, list):
        return [resolve(ref, arena) for ref in refs]
    return resolve(refs, arena)


class _Results:
    """The results of one call on their way into memory that the parent reads."""

    def __init__(self, channel: Channel, arena: Arena) -> None:
        self._channel = channel
        self._arena = arena
        self._block: Array | None = None
        self._used = 0

    def store(self, returned: Returned, targets: Sequence[ArenaSlot | None]) -> CallDone:
        """Write the results, and return references to them."""
        memory = [None if slot is None else self._arena.array(slot) for slot in targets]
        memory += [None] * (len(returned.columns) - len(memory))
        pairs = list(zip(returned.columns, memory, strict=True))
        apart = sum(
            _aligned(row.nbytes) for column, target in pairs for row in _apart(column, target)
        )
        if apart >= SMALL:
            self._channel.send((AskBlock.__name__, apart))
            slot: ArenaSlot | None = self._channel.receive()
            self._block = None if slot is None else self._arena.array(slot)
        errors = {row: pickled_error(error) for row, error in returned.errors.items()}
        return CallDone([self._stored(*pair) for pair in pairs], errors, returned.state)

    def _stored(self, column: Rows, target: Array | None) -> RowRef | list[RowRef]:
        if isinstance(column, np.ndarray):
            return self._place(column)
        if target is None and _are_alike(column):
            return self._place(column)
        refs: list[RowRef] = []
        for i, row in enumerate(column):
            if row is None:
                refs.append(None)
            elif _fits(row, target):
                assert target is not None
                np.copyto(target[i, ...], row)
                refs.append(IN_TARGET)
            else:
                refs.append(self._place(row))
        return refs

    def _place(self, rows: Any) -> RowRef:
        """Write an array, or arrays of one form as one array."""
        if isinstance(rows, np.ndarray):
            shape, dtype = rows.shape, rows.dtype
        else:
            shape, dtype = (len(rows), *rows[0].shape), rows[0].dtype
        nbytes = prod(shape) * dtype.itemsize
        block, offset = self._block, self._used
        if block is None:
            block, offset = np.empty(nbytes, np.uint8), 0
        place: Array = np.ndarray(shape, dtype, block, offset)
        for i, row in enumerate(rows if isinstance(rows, list) else [rows]):
            np.copyto(place[i, ...] if isinstance(rows, list) else place, row)
        if self._block is None:
            return place.tobytes(), shape, dtype.str
        self._used += _aligned(nbytes)
        return offset, shape, dtype.str


def _fits(row: Array, target: Array | None) -> bool:
    return target is not None and (row.shape, row.dtype) == (target.shape[1:], target.dtype)


def _apart(column: Rows, target: Array | None) -> Iterator[Array]:
    """Yield the arrays of a column that do not fit into the target."""
    if isinstance(column, np.ndarray):
        yield column
        return
    yield from (row for row in column if row is not None and not _fits(row, target))


def _are_alike(rows: Sequence[Array | None]) -> bool:
    """Return whether rows form one array; a single row need not."""
    first = rows[0] if rows else None
    return (
        first is not None
        and len(rows) > 1
        and all(row is not None and _fits(row, first[None]) for row in rows)
    )


def _aligned(nbytes: int) -> int:
    return -(-nbytes // _ALIGNMENT) * _ALIGNMENT
