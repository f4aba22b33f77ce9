"""Threads that stay and wait for calls, for work that a thread of its own would start too late."""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, TypeVar, TypeVarTuple

from .pending import Pending

Job = TypeVar("Job")
Result = TypeVar("Result")
Given = TypeVarTuple("Given")


EXIT_SECONDS = 10.0
"""Seconds that the interpreter's end waits for threads that are still at work."""


_LEFT: set[threading.Thread] = set()


def wait_at_exit(threads: Iterable[threading.Thread]) -> None:
    """Have the interpreter's end wait for threads that were told to end, but are still at work.

    A thread that comes back from a library of C++ (OpenCV, for instance) while the interpreter ends
    would abort the process.
    """
    # Finalizers call this function, too, at any line of any thread. A lock could deadlock there, so
    # each change of the set is one call.
    _LEFT.update([thread for thread in threads if thread.is_alive()])
    _LEFT.difference_update([thread for thread in list(_LEFT) if not thread.is_alive()])


def join_all(threads: Iterable[threading.Thread], seconds: float) -> None:
    """Wait for the end of all threads but this one, for so many seconds at most."""
    deadline = time.monotonic() + seconds
    for thread in threads:
        if thread is not threading.current_thread():
            with suppress(RuntimeError):  # the thread was never started
                thread.join(max(0.0, deadline - time.monotonic()))


# The finalizer of an object that lives until the end, and that is older than all pipelines: at the
# end the younger finalizers, which close pipelines, run first.
weakref.finalize(wait_at_exit, lambda: join_all(list(_LEFT), EXIT_SECONDS))


class TeamCall(Pending[Result]):
    """One call that a `Team` was asked to make.

    A thread may lack memory at any line, so nothing but the end of a `with` block releases the
    lock: whoever waits for the call does not wait for ever.
    """

    def __init__(self, function: Callable[..., Result], arguments: tuple[object, ...]) -> None:
        self._work = deque([[function, arguments]])  # whoever takes the work makes the call
        self._running = threading.Lock()
        self._results: list[Result] = []
        self._error: BaseException | None = None

    @property
    def is_running(self) -> bool:
        """Whether a thread is making the call."""
        return self._running.locked()

    def cancel(self) -> None:
        """Prevent the call if no thread has started it."""
        with suppress(IndexError):
            self._work.pop()

    def run(self) -> None:
        """Make the call in this thread; if another thread has started it, wait for its end."""
        with self._running:
            if self._work:
                with suppress(IndexError):  # it was cancelled
                    self._make(self._work.pop())

    def _make(self, work: list[Any]) -> None:
        try:
            self._results.append(work[0](*work[1]))
        except BaseException as error:
            self._error = error
        finally:
            work.clear()  # tracebacks hold it

    def end(self) -> BaseException | None:
        """Prevent the call, or wait for its end; return its exception, once."""
        self.cancel()
        with self._running:
            error, self._error = self._error, None
        return error

    def result(self) -> Result:
        """Return the result, or raise the exception, once; valid for calls that are not cancelled.

        This thread makes the call itself if no other thread has started it. So a call that waits
        for another call of the same team does not wait for ever.
        """
        self.run()
        if self._results:
            return self._results.pop()
        error, self._error = self._error, None
        try:
            raise error or MemoryError("a thread had no memory for the work that it had taken")
        finally:
            del error  # the traceback refers to this frame: a cycle would keep all buffers alive


class _Crew:
    """The threads of a team in one process.

    Attributes:
        calls: that wait for a thread; None ends a thread.
        threads: all that were started.
        ended: whether the threads were told to end.
        home: the crews of the team.
    """

    def __init__(self, name: str, home: dict[int, _Crew]) -> None:
        self.calls: SimpleQueue[TeamCall[Any] | None] = SimpleQueue()
        self.threads: list[threading.Thread] = []
        self.ended = False
        self.home = home
        self._name = name
        self._busy = 0
        self._lock = threading.Lock()

    def queue_call(self, call: TeamCall[Any], most: int) -> None:
        """Hand a call to a thread; start a thread if all are busy and there are not `most`."""
        with self._lock:
            self._busy += 1
            if self._busy > len(self.threads) < most:
                self._start_thread()
        self.calls.put(call)
        if self.ended:
            self.calls.put(None)  # for a thread that was not there to be told

    def _start_thread(self) -> None:
        name = f"{self._name}-{len(self.threads)}"
        # Daemons: a program that ends without closing a pipeline need not wait for a server.
        thread = threading.Thread(target=self._work, name=name, daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the system gives no more threads: the waiting thread makes the call
            return
        self.threads.append(thread)

    def _work(self) -> None:
        _here.crew = self
        while (call := self.calls.get()) is not None:
            if not call.is_running:
                call.run()
            del call  # or a waiting thread would keep the result
            with self._lock:
                self._busy -= 1


_here = threading.local()
"""The crew to which a thread belongs, as its attribute `crew`."""


class Team:
    """Threads that make calls. Threads start when they are needed, and stay until `close`.

    Any thread may use a team, also the team's own threads. A thread that waits for a call makes the
    call itself, unless another thread has started it. Calls that a thread of the team submits after
    `close` start no threads, which nobody would end. Each process has threads of its own, because a
    fork copies no threads.

    Args:
        name: of the threads, for lists of threads.
        threads: number of threads at most.
        ends_at_exit: whether the interpreter's end ends them, and waits for calls under way.
    """

    def __init__(self, name: str, threads: int, *, ends_at_exit: bool = True) -> None:
        self._name = name
        self._threads = threads
        self._crews: dict[int, _Crew] = {}  # by process id
        weakref.finalize(self, _end_threads, self._crews).atexit = ends_at_exit

    @property
    def started(self) -> int:
        """Number of threads that this process has started."""
        return len(self._crew().threads)

    def submit(self, function: Callable[[*Given], Result], *arguments: *Given) -> TeamCall[Result]:
        """Have a thread call `function`; return the call, to ask for its result."""
        call = TeamCall(function, arguments)
        own = getattr(_here, "crew", None)
        if own is None or own.home is not self._crews or not own.ended:
            self._crew().queue_call(call, self._threads)
        return call

    def _crew(self) -> _Crew:
        crews, number = self._crews, os.getpid()
        return crews.get(number) or crews.setdefault(number, _Crew(self._name, crews))

    def run_jobs(
        self, work: Callable[[Job], object], jobs: Sequence[Job], threads: int | None = None
    ) -> None:
        """Call `work` once with each job, in this thread and others; return when all have ended.

        Args:
            work: the function. Its first exception ends the work, and is raised here.
            jobs: the arguments. A thread that has done a job takes the next one.
            threads: threads at most, with this one; never more than the team's and this one.
        """
        remaining = deque(jobs)
        errors: list[BaseException] = []

        def run() -> None:
            try:
                while not errors:
                    try:
                        job = remaining.popleft()
                    except IndexError:
                        return
                    work(job)
            except BaseException as error:
                errors.append(error)

        most = self._threads + 1 if threads is None else min(threads, self._threads + 1)
        calls = [self.submit(run) for _ in range(min(most, len(jobs)) - 1)]
        run()
        errors += filter(None, [call.end() for call in calls])
        if errors:
            del errors[1:]
            raise errors.pop()  # the list would keep the error and all buffers alive, in a cycle

    def close(self, seconds: float = 0.0) -> None:
        """Let the threads end after the calls that were submitted; a later call starts others.

        Args:
            seconds: time to wait for the end of all threads.
        """
        join_all(_end_threads(self._crews), seconds)


def _end_threads(crews: dict[int, _Crew]) -> list[threading.Thread]:
    crew = crews.pop(os.getpid(), None)
    if crew is None:
        return []
    crew.ended = True
    for _ in crew.threads:
        crew.calls.put(None)
    wait_at_exit(crew.threads)
    return crew.threads
