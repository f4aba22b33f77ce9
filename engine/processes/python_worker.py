"""One Python worker, as the thread that drives the worker sees it: see `python_workers`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Any

import numpy as np

from ..graph.operator import Array
from ..graph.user_calls import Callee, InputRows, Returned, Rows
from ..pending import Pending
from ..tensors.arena import Arena
from .child_process import ChildProcess
from .messages import ArrayRef, AskBlock, reference, unpickled_error
from .python_child import IN_TARGET, CallDone, CallFailed, RowRef, UserCall, serve
from .row_process import RowProcess

WATCH_SECONDS = 0.5
"""Seconds between two looks whether a worker lives, while it computes."""


class UserTask(Pending[Returned]):
    """A call, and its result: see `engine.graph.user_calls.CallingProcesses.call`.

    Attributes:
        future: the result to come.
    """

    def __init__(
        self,
        ordinal: int,
        request: object,
        inputs: Sequence[InputRows],
        targets: Sequence[Array | None],
        empty: Callable[..., Array],
        describe: Callable[[int], str],
    ) -> None:
        self.ordinal = ordinal
        self.request = request
        self.inputs = inputs
        self.targets = targets
        self.empty = empty
        self.describe = describe
        self.future: Future[Returned] = Future()

    def result(self) -> Returned:
        future = self.future
        try:
            return future.result()
        finally:
            if future.done():  # else an error's traceback would hold the error, in a cycle
                self.future = Future()
            del future

    def cancel(self) -> None:
        self.future.cancel()

    def fail(self, error: BaseException) -> None:
        """End the call with an error, if it has not ended."""
        with suppress(InvalidStateError):
            self.future.set_exception(error)


class PythonWorkerDied(Exception):  # noqa: N818
    """A worker has ended during a call, at a row; -1 for no row."""

    def __init__(self, row: int) -> None:
        self.row = row


class PythonWorker(RowProcess):
    """One Python worker.

    Args:
        arena, process, offset: as those of the base class.
        message: the first message to a new interpreter; None for a fork.
    """

    def __init__(
        self,
        arena: Arena,
        process: ChildProcess,
        offset: int,
        message: tuple[bytes, bytes] | None,
    ) -> None:
        self._message = message
        super().__init__(arena, "a Python worker", process, offset)

    def wait_until_ready(self) -> None:
        """Wait until the worker can be called; raise the error that prevents it."""
        problem = self._first_answer(*(() if self._message is None else (self._message,)))
        if problem is not None:
            raise unpickled_error(*problem)

    def call(self, task: UserTask) -> Returned:
        """Make a call.

        Raises:
            PythonWorkerDied: the process has ended.
            Exception: the error of the call.
        """
        inputs = [self._column(column, task.empty) for column in task.inputs]
        refs = [self._refs(column) for column in inputs]
        slots = [None if memory is None else self._arena.slot_of(memory) for memory in task.targets]
        block: Array | None = None
        try:
            self._channel.send(tuple(UserCall(task.ordinal, task.request, refs, slots)))
            while (answer := self._receive())[0] == AskBlock.__name__:
                block = task.empty((answer[1],), np.uint8)
                self._channel.send(self._arena.slot_of(block))
        except (EOFError, OSError) as error:
            raise PythonWorkerDied(self.row_in_work) from error
        except BaseException:  # a lack of memory: the worker still waits for an answer
            self.kill()
            raise
        if answer[0] == CallFailed.__name__:
            raise unpickled_error(*answer[1:])
        done = CallDone(*answer[1:])
        errors = {row: unpickled_error(*pickled) for row, pickled in done.errors.items()}
        pairs = zip(done.columns, [*task.targets, *[None] * len(done.columns)], strict=False)
        return Returned([_rows(*pair, block) for pair in pairs], errors, done.state)

    def _receive(self) -> Any:
        """Wait for a message, or for the end of the process.

        A process that users' code has started may hold the connection of a worker that is dead.
        """
        while not self._channel.has_message(WATCH_SECONDS):
            if self.process.has_ended() and not self._channel.has_message(0):
                raise EOFError("the worker has ended")
        return self._channel.receive()

    def _column(self, column: InputRows, empty: Callable[..., Array]) -> InputRows:
        """Return a column, whose large arrays lie in the arena."""
        if isinstance(column, np.ndarray):
            return self._visible(column, empty)
        return [self._visible(row, empty) for row in column]

    def _refs(self, column: InputRows) -> ArrayRef | list[ArrayRef]:
        if isinstance(column, np.ndarray):
            return reference(column, self._arena)
        return [reference(row, self._arena) for row in column]


def serve_fork(arena: Arena, callees: dict[int, Callee], offset: int, channel: Any) -> None:
    """Be a worker that is a fork, with the callees by the number of the operator's node."""
    serve(channel, arena, offset, lambda: callees)


def _rows(column: RowRef | list[RowRef], target: Array | None, block: Array | None) -> Rows:
    if not isinstance(column, list):
        return _array(column, block)
    rows: list[Array | None] = []
    for i, ref in enumerate(column):
        if ref is None:
            rows.append(None)
        elif ref is IN_TARGET:
            assert target is not None
            rows.append(target[i, ...])
        else:
            rows.append(_array(ref, block))
    return rows


def _array(ref: Any, block: Array | None) -> Array:
    place, shape, dtype = ref
    if isinstance(place, bytes):
        return np.ndarray(shape, dtype, bytearray(place))
    return np.ndarray(shape, dtype, block, place)
