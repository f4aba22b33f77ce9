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
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from ..errors import PipelineStopped, WorkerError
from ..graph.operator import Array
from ..graph.user_calls import Callee, InputRows, Returned
from ..pending import Pending
from ..tensors.arena import Arena
from ..tensors.memory import SlabPool
from ..threads import join_all, wait_at_exit
from .child_process import ChildProcess
from .forked_process import ForkedProcess, why_no_fork
from .python_worker import PythonWorker, PythonWorkerDied, UserTask, serve_fork
from .row_process import reserve_row, start_row_processes

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
        self._workers: list[PythonWorker] = []
        self._threads: list[threading.Thread] = []
        self._turn = threading.Condition()
        self._stateless: deque[UserTask] = deque()
        self._stateful: list[deque[UserTask]] = []  # the calls of each worker alone
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
        stateful = [ordinal for ordinal, callee in self._callees.items() if callee.is_stateful]
        if len(stateful) == len(self._callees):
            self.count = min(self.count, len(stateful))
        self._worker_of = {ordinal: i % self.count for i, ordinal in enumerate(stateful)}
        self._stateful = [deque() for _ in range(self.count)]
        why = why_no_fork() if self._fork else "py_start_method is 'spawn'"
        message = self._program(why) if why else None
        try:
            for process, offset in self._started(pool.arena, fork=message is None):
                self._workers.append(PythonWorker(pool.arena, process, offset, message))
            for worker in self._workers:
                worker.wait_until_ready()
        except BaseException:
            self.close()
            raise

    def _started(self, arena: Arena, *, fork: bool) -> Iterator[tuple[ChildProcess, int]]:
        """Start the processes; yield each with the place where it tells its row in work."""
        offsets = [reserve_row(arena) for _ in range(self.count)]
        if fork:
            for offset in offsets:
                yield ForkedProcess(partial(serve_fork, arena, self._callees, offset)), offset
        else:
            copies = start_row_processes(arena, "python_child", offsets)
            yield from zip(copies.wait(), offsets, strict=True)

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
        request: object,
        inputs: Sequence[InputRows],
        targets: Sequence[Array | None],
        empty: Callable[..., Array],
        describe: Callable[[int], str],
    ) -> Pending[Returned]:
        """See `engine.graph.user_calls.CallingProcesses`."""
        task = UserTask(ordinal, request, inputs, targets, empty, describe)
        worker = self._worker_of.get(ordinal)
        with self._turn:
            if self._end is not None:
                task.fail(_anew(self._end))
                return task
            if not self._threads:
                self._start_threads()
            waiting = self._stateless if worker is None else self._stateful[worker]
            waiting.append(task)
            self._turn.notify_all()
        return task

    def _start_threads(self) -> None:
        # At the first call: until then, other pipelines may fork their workers, too.
        for i, worker in enumerate(self._workers):
            thread = threading.Thread(
                target=self._drive, args=(i, worker), name=f"penstock-python-{i}", daemon=True
            )
            self._threads.append(thread)
            thread.start()

    def close(self) -> None:
        """End all processes at once, and the calls that are under way. Idempotent."""
        self._stop(PipelineStopped(_CLOSED))
        for worker in self._workers:
            worker.kill()
        join_all(self._threads, JOIN_SECONDS)
        for worker in self._workers:
            worker.close()
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
            task.fail(_anew(end))

    # The threads

    def _drive(self, number: int, worker: PythonWorker) -> None:
        while (task := self._next_task(number)) is not None:
            if task.future.set_running_or_notify_cancel():
                try:
                    task.future.set_result(worker.call(task))
                except PythonWorkerDied as death:
                    closed = isinstance(self._end, PipelineStopped)
                    error = self._end if closed and self._end else self._death(task, death, worker)
                    task.fail(_anew(error))
                    self._stop(error)
                except BaseException as error:
                    task.fail(error)
            del task  # or this thread would hold the batch's memory while it waits

    def _next_task(self, number: int) -> UserTask | None:
        own = self._stateful[number]
        with self._turn:
            while self._end is None:
                if own:
                    return own.popleft()
                if self._stateless:
                    return self._stateless.popleft()
                self._turn.wait()
        return None

    def _death(self, task: UserTask, death: PythonWorkerDied, worker: PythonWorker) -> WorkerError:
        what = self._callees[task.ordinal].what
        return WorkerError(
            f"a Python worker {worker.process.fate()} while it called the function or source of "
            f"{what} for {task.describe(death.row)}"
        )


def _anew(error: BaseException) -> BaseException:
    """Return an error for another call: whoever raises it adds frames, which hold memory."""
    return type(error)(*error.args)
