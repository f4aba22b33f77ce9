"""Python workers, as their pipeline sees them: processes that call users' code.

A worker runs `python_child.serve`: as a fork of this process if that is safe and wanted, else in a
new interpreter. One thread of this process drives each worker. Workers share the arena in which
batches lie, so the messages are small:

    to the worker                           from the worker
    the callees, pickled (not to a fork)    None: ready; or a pickled error
    UserCall                                AskBlock at most once, then CallDone or CallFailed
    ArenaSlot; or None: send the bytes

The worker ends when this side closes the channel, however this side ends.
"""

from __future__ import annotations

import pickle
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..errors import PipelineStopped, WorkerError
from ..graph.operator import Array
from ..graph.user_calls import Callee, Returned, Rows
from ..pending import Pending
from ..tensors.arena import PLAIN_DTYPES, Arena
from ..tensors.memory import SMALL, SlabPool
from ..threads import join_all, wait_at_exit
from .child_process import ChildProcess
from .forked_process import ForkedProcess, why_no_fork
from .messages import ArrayRef, AskBlock, reference, unpickled_error
from .python_child import IN_TARGET, CallDone, CallFailed, RowRef, UserCall, serve

WATCH_SECONDS = 0.5
"""Seconds between two looks whether a worker lives, while it computes."""

JOIN_SECONDS = 0.8
"""Seconds for the end of the threads, once their processes were killed."""

_CLOSED = "the pipeline was closed while users' code ran"


class UserPickler(NamedTuple):
    """How users' objects get into new interpreters.

    Attributes:
        dumps: returns the bytes of an object.
        loads: a pickle of the function that returns the object.
    """

    dumps: Callable[[Any], bytes]
    loads: bytes


class PythonWorkers:
    """The Python workers of one pipeline: see `engine.graph.user_calls.CallingProcesses`.

    Args:
        count: number of processes that are wanted.
        callees: what they call, by the number of the operator's node.
        fork: whether to fork this process if that is safe.
        pickler: for new interpreters.

    Attributes:
        count: number of processes, once they were started.
        empty: returns memory of the pipeline, once they were started.
    """

    empty: Callable[..., Array]

    def __init__(
        self, count: int, callees: Mapping[int, Callee], *, fork: bool, pickler: UserPickler
    ) -> None:
        self.count = count
        self._fork = fork
        self._pickler = pickler
        self._callees = dict(callees)
        self._workers: list[_PythonWorker] = []
        self._threads: list[threading.Thread] = []
        self._turn = threading.Condition()
        self._stateless: deque[_Task] = deque()
        self._stateful: list[deque[_Task]] = []  # the calls of each worker alone
        self._worker_of: dict[int, int] = {}
        self._end: BaseException | None = None

    def __reduce__(self) -> Any:
        return type(None), ()  # operators that are copied into other processes call no workers

    def start(self, pool: SlabPool) -> None:
        """Start the processes, and wait until they are ready.

        Raises:
            WorkerError: a process cannot be started.
            Exception: an object cannot be pickled, or cannot be used in a process.
        """
        self.empty = pool.empty
        stateful = [ordinal for ordinal, each in self._callees.items() if each.is_stateful]
        if len(stateful) == len(self._callees):
            self.count = min(self.count, len(stateful))
        self._worker_of = {ordinal: i % self.count for i, ordinal in enumerate(stateful)}
        self._stateful = [deque() for _ in range(self.count)]
        why = why_no_fork() if self._fork else "py_start_method is 'spawn'"
        message = self._program(why) if why else None
        try:
            for _ in range(self.count):
                self._workers.append(_PythonWorker(pool.arena, message, self._callees))
            for worker in self._workers:
                worker.wait_until_ready()
            for i, worker in enumerate(self._workers):
                thread = threading.Thread(
                    target=self._drive, args=(i, worker), name=f"penstock-python-{i}", daemon=True
                )
                self._threads.append(thread)
                thread.start()
        except BaseException:
            self.close()
            raise

    def _program(self, why: str) -> tuple[bytes, bytes]:
        """Return the first message to new interpreters."""
        pickled = {}
        for ordinal, callee in self._callees.items():
            try:
                user = self._pickler.dumps(callee.user)
            except Exception as error:
                error.add_note(
                    f"{callee.what}: Python workers are new interpreters ({why}), so the function "
                    "or source must be picklable. Install cloudpickle for lambdas and local "
                    "functions, open files and connections inside of the function, or build the "
                    "pipeline before other threads start (py_start_method='fork')"
                )
                raise
            pickled[ordinal] = pickle.dumps(callee), user
        return self._pickler.loads, pickle.dumps(pickled)

    def call(
        self,
        ordinal: int,
        request: Any,
        inputs: Sequence[Rows],
        targets: Sequence[Array | None],
        empty: Callable[..., Array],
        describe: Callable[[int], str],
    ) -> Pending[Returned]:
        """See `engine.graph.user_calls.CallingProcesses`."""
        task = _Task(ordinal, request, inputs, targets, empty, describe)
        worker = self._worker_of.get(ordinal)
        with self._turn:
            if self._end is not None:
                task.future.set_exception(self._end)
            elif worker is None:
                self._stateless.append(task)
            else:
                self._stateful[worker].append(task)
            self._turn.notify_all()
        return task

    def close(self) -> None:
        """End all processes at once, and the calls that are under way. Idempotent."""
        self._stop(PipelineStopped(_CLOSED))
        for worker in self._workers:
            worker.process.kill()
        join_all(self._threads, JOIN_SECONDS)
        for worker in self._workers:
            worker.process.close()
        wait_at_exit(self._threads)

    def _stop(self, end: BaseException) -> None:
        """Let no call begin any more; those that wait end with the error."""
        with self._turn:
            self._end = self._end or end
            waiting = [*self._stateless, *(task for own in self._stateful for task in own)]
            self._stateless.clear()
            for own in self._stateful:
                own.clear()
            self._turn.notify_all()
        for task in waiting:
            task.fail(end)

    # The threads

    def _drive(self, number: int, worker: _PythonWorker) -> None:
        while (task := self._next_task(number)) is not None:
            if task.future.set_running_or_notify_cancel():
                try:
                    task.future.set_result(worker.call(task))
                except _WorkerDied as death:
                    closed = isinstance(self._end, PipelineStopped)
                    error = self._end if closed and self._end else self._death(task, death, worker)
                    task.fail(error)
                    self._stop(error)
                except BaseException as error:
                    task.fail(error)
            del task  # or this thread would hold the batch's memory while it waits

    def _next_task(self, number: int) -> _Task | None:
        own = self._stateful[number]
        with self._turn:
            while self._end is None:
                if own:
                    return own.popleft()
                if self._stateless:
                    return self._stateless.popleft()
                self._turn.wait()
        return None

    def _death(self, task: _Task, death: _WorkerDied, worker: _PythonWorker) -> WorkerError:
        what = self._callees[task.ordinal].what
        return WorkerError(
            f"a Python worker {worker.process.fate()} while it called the function or source of "
            f"{what} for {task.describe(death.row)}"
        )


class _Task(Pending[Returned]):
    """A call, and its result."""

    def __init__(
        self,
        ordinal: int,
        request: Any,
        inputs: Sequence[Rows],
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
        return self.future.result()

    def cancel(self) -> None:
        self.future.cancel()

    def fail(self, error: BaseException) -> None:
        """End the call with an error, if it has not ended."""
        with suppress(InvalidStateError):
            self.future.set_exception(error)


class _WorkerDied(Exception):  # noqa: N818
    """A worker has ended during a call, at a row; -1 for no row."""

    def __init__(self, row: int) -> None:
        self.row = row


class _PythonWorker:
    """One worker; one thread makes its calls."""

    def __init__(
        self, arena: Arena, message: tuple[bytes, bytes] | None, callees: dict[int, Callee]
    ) -> None:
        self._arena = arena
        offset = arena.reserve(8)
        self._row = arena.array((offset, (1,), "i8"))
        self._row[0] = -1
        self._message = message
        if message is None:
            work = partial(_serve_fork, arena=arena, progress=offset, callees=callees)
            self.process: ChildProcess = ForkedProcess(work)
        else:
            numbers = arena.descriptor, offset
            self.process = ChildProcess(f"{__package__}.python_child", numbers, numbers[:1])
        (self._channel,) = self.process.channels

    def wait_until_ready(self) -> None:
        """Wait until the worker can be called; raise the error that prevents it."""
        try:
            if self._message is not None:
                self._channel.send(self._message)
            problem = self._channel.receive()
        except (EOFError, OSError) as error:
            raise WorkerError(f"a Python worker {self.process.fate()} when it started") from error
        if problem is not None:
            raise unpickled_error(*problem)

    def call(self, task: _Task) -> Returned:
        """Make a call.

        Raises:
            _WorkerDied: the process has ended.
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
            raise _WorkerDied(int(self._row[0])) from error
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

    def _column(self, column: Rows, empty: Callable[..., Array]) -> Rows:
        """Return a column, whose large arrays lie in the arena."""
        if isinstance(column, np.ndarray):
            return self._visible(column, empty)
        return [row if row is None else self._visible(row, empty) for row in column]

    def _visible(self, array: Array, empty: Callable[..., Array]) -> Array:
        large = array.nbytes >= SMALL and array.dtype.kind in PLAIN_DTYPES
        if not large or self._arena.slot_of(array) is not None:
            return array
        copy = empty(array.shape, array.dtype)
        np.copyto(copy, array)
        return copy

    def _refs(self, column: Rows) -> ArrayRef | list[ArrayRef]:
        if isinstance(column, np.ndarray):
            return reference(column, self._arena)
        return [reference(row, self._arena) for row in column]


def _serve_fork(channel: Any, arena: Arena, progress: int, callees: dict[int, Callee]) -> None:
    serve(channel, arena, progress, lambda: callees)


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
