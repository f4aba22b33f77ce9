"""Helper processes: their start, their requests and their end, in the parent.

Each call of a library gives up the GIL and waits for it afterwards. Beside busy threads, that wait
takes longer than to read a file of 100 KB. So helper processes read or decode files, straight into
the arena that they share with their parent. They are an aid only: the parent does whatever they
could not do, and raises the errors.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from queue import SimpleQueue
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from ..pending import Pending
from ..tensors.arena import Arena

if TYPE_CHECKING:
    from .channel import Channel
    from .child_process import ChildProcess

WORTH_STARTING_SECONDS = 0.2
"""Seconds that the parent spends on the processes' work before the parent starts the processes,
which takes about as long."""

MAX_STARTS = 3
"""Number of times that the processes are started; after the last death they stay away."""


class Answers(Pending[list[Any] | None]):
    """The answers to requests; None if a process has died.

    Args:
        receive: waits for the answers; None if there were no processes.
        lose: called after a death.
    """

    def __init__(
        self, receive: Callable[[], list[object]] | None, lose: Callable[[], None] | None = None
    ) -> None:
        self._receive = receive
        self._lose = lose

    def result(self) -> list[Any] | None:
        receive, self._receive = self._receive, None
        try:
            return None if receive is None else receive()
        except (EOFError, OSError):
            assert self._lose is not None
            self._lose()
            return None

    def cancel(self) -> None:
        """Wait for the answers: until then, the processes write to the arena."""
        self.result()


class _Program(NamedTuple):
    """What each of the processes runs: see `HelperProcesses`."""

    module: str
    numbers: Sequence[int]
    at_once: int
    environment: Mapping[str, str]


class _Starts:
    """When processes are started: once their work takes long, and again after most deaths.

    Attributes:
        are_wanted: whether there may be another start: before the first one, and after each death
            but the last.
    """

    def __init__(self) -> None:
        self.are_wanted = True
        self._seconds = 0.0
        self._left = MAX_STARTS

    def is_due(self, seconds: float) -> bool:
        """Add seconds that the parent spent on the work; return whether to start now."""
        self._seconds += seconds
        if self._seconds < WORTH_STARTING_SECONDS or not self.are_wanted:
            return False
        self._seconds = 0.0
        self._left -= 1
        self.are_wanted = False
        return True

    def want(self) -> None:
        """Allow another start after a death, unless it was the last one."""
        self.are_wanted = self._left > 0


class HelperProcesses:
    """Lets a process, or several, work in an arena, once that saves time. Thread-safe.

    The processes start together. If one dies, the others are ended, too. In a process that was
    forked from the parent, this object does nothing.

    Args:
        task: what the processes do, for messages: "reads".
        module: full name of the processes' program: see `ChildProcess` and `helper_child`.
        arena: memory that other processes may map.
        setup: the first message to each process. Its answer says that the process is ready.
        numbers: first arguments of the program, before the arena's descriptor.
        processes: number of processes.
        at_once: number of requests that a process works on at a time.
        environment: see `ChildProcess`.

    Attributes:
        arena, processes: see the arguments.
        why: reason why there is no process; "" if no process has failed.
    """

    def __init__(
        self,
        task: str,
        module: str,
        arena: Arena,
        setup: object,
        *,
        numbers: Sequence[int] = (),
        processes: int = 1,
        at_once: int,
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.arena = arena
        self.why = ""
        self.processes = processes
        self._task = task
        self._setup = setup
        self._program = _Program(module, numbers, at_once, environment)
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._starts = _Starts()
        self._closed = False
        self._helper: _LivingProcesses | None = None

    @property
    def is_there(self) -> bool:
        """Whether the process answers requests."""
        helper = self._helper
        return helper is not None and helper.ready and os.getpid() == self._owner

    @property
    def path_used(self) -> str:
        """Whether processes work, or why they do not; "" before they are started."""
        if not self.is_there:
            return self.why
        if self.processes == 1:
            return f"a process of its own {self._task}"
        return f"{self.processes} processes of its own {self._task.removesuffix('s')}"

    def first_message(self) -> Any:
        """Return the first message to each process, in a thread that starts the processes."""
        return self._setup

    def ask(self, *request: object) -> Any:
        """Return the answer to a request; None if no process answers."""
        answers = self.ask_each([request])
        return None if answers is None else answers[0]

    def ask_each(self, requests: Sequence[tuple[object, ...]]) -> list[object] | None:
        """Return the answers to requests, at most one a process; None if a process has died."""
        return self.send_each(requests).result()

    def send_each(self, requests: Sequence[tuple[object, ...]]) -> Answers:
        """Send requests; return the answers to come: see `ask_each`."""
        helper = self._helper
        if helper is None or not self.is_there:
            return Answers(None)
        try:
            return Answers(helper.send(requests), partial(self._lose, helper))
        except (EOFError, OSError):
            self._lose(helper)
            return Answers(None)

    def count(self, seconds: float) -> None:
        """Add seconds that the parent spent on the process's work; start the process if due."""
        if not self._starts.are_wanted or os.getpid() != self._owner:
            return
        with self._lock:
            if not self._starts.is_due(seconds):
                return
        threading.Thread(target=self._start, name="penstock-starter", daemon=True).start()

    def close(self) -> None:
        """End the process for good. Idempotent."""
        with self._lock:
            self._closed, self._starts.are_wanted = True, False
            helper, self._helper = self._helper, None
        if helper is not None:
            helper.close()

    def _start(self) -> None:
        try:
            message = self.first_message()
            with self.arena.lent_file() as file:
                helper = _LivingProcesses(self._program, file, self.processes)
        except Exception as error:  # also one of pickling
            self.why = f"no process {self._task}: {error}"
            return
        with self._lock:
            closed = self._closed
            if not closed:
                self._helper = helper
        if closed:
            helper.close()
            return
        try:
            helper.wait_until_ready(message)
        except (EOFError, OSError):
            self._lose(helper)

    def _lose(self, helper: _LivingProcesses) -> None:
        """Go on without processes of which one has died."""
        fate = helper.fate()
        helper.close()  # from now on, no other process writes to the memory of unanswered requests
        with self._lock:
            if self._helper is helper:
                self._helper = None
                self._starts.want()
                self.why = f"the process that {self._task} {fate}"


class _LivingProcesses:
    """Helper processes while they are alive.

    Args:
        program: what they run.
        file: descriptor of the arena's file.
        count: number of processes.

    Attributes:
        ready: whether the processes answer requests.
    """

    def __init__(self, program: _Program, file: int, count: int) -> None:
        from .child_process import ChildProcess  # most pipelines need not spend the time

        self.ready = False
        self._fate = ""
        self._processes: list[ChildProcess] = []
        try:
            for _ in range(count):
                self._processes.append(
                    ChildProcess(
                        program.module,
                        (*program.numbers, file),
                        (file,),
                        program.at_once,
                        program.environment,
                    )
                )
        except BaseException:
            self.close()
            raise
        self._free: SimpleQueue[tuple[Channel, ...]] = SimpleQueue()

    def wait_until_ready(self, setup: object) -> None:
        """Send the first message, and wait until the processes answer requests."""
        for process in self._processes:
            try:
                process.channels[0].send(setup)
                process.channels[0].receive()
            except (EOFError, OSError):
                self._fate = process.fate()
                raise
        for seat in zip(*(process.channels for process in self._processes), strict=True):
            self._free.put(seat)
        self.ready = True

    def send(self, requests: Sequence[tuple[object, ...]]) -> Callable[[], list[Any]]:
        """Return a function that waits for answers; both raise EOFError or OSError after an end."""
        seat = self._free.get()
        number = 0
        try:
            for number, request in enumerate(requests):
                seat[number].send(request)
        except BaseException:
            self._leave(seat, number)
            raise
        return partial(self._receive, seat, len(requests))

    def _receive(self, seat: tuple[Channel, ...], count: int) -> list[Any]:
        answers: list[Any] = []
        try:
            while len(answers) < count:
                answers.append(seat[len(answers)].receive())
        except BaseException:
            self._leave(seat, len(answers))
            raise
        self._free.put(seat)
        return answers

    def _leave(self, seat: tuple[Channel, ...], number: int) -> None:
        """End the processes, because the channel of this process in a seat has failed."""
        # Other answers may still come: nobody must take them for those of later requests.
        self._fate = self._fate or self._processes[number].fate()
        self.close()
        self._free.put(seat)

    def fate(self) -> str:
        """Return how the first process ended, as a phrase."""
        return self._fate or self._processes[0].fate()

    def close(self) -> None:
        """End the processes; a thread that waits for an answer gets EOFError. Idempotent."""
        for process in self._processes:
            process.close()
