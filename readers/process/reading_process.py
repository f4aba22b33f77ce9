"""A process that reads for this one: as this one sees it.

Each call into the system gives up Python's lock and has to wait for it afterwards, which takes
longer than to read a file of 100 KB, if other threads of the pipeline are busy. And whoever
touches a mapped file that was cut short is killed. So there is a process to read files and to
copy out of maps (`reading_child`), straight into the arena that both share. It is of use only:
what it cannot do is done here, which finds out what is wrong, too.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from queue import SimpleQueue
from socket import socketpair
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ...engine.channel import Channel
from ...engine.errors import WorkerError
from ...engine.memory import Arena
from ...engine.packed_rows import Find

if TYPE_CHECKING:
    from ...engine.interpreter import Interpreter

WORTH_STARTING_SECONDS = 1.0
"""Of work that the process could have done, before it is started."""

_STARTS = 3
"""Of a process, where those before have died."""

_AT_ONCE = 2
"""Batches that the process is asked for at a time: it has the next one when one is done."""


class ReadingProcess:
    """Has a process work into an arena, once that has proved to be worth it. Thread-safe.

    Of no effect in a process that was forked from the one that made it.

    Attributes:
        arena, threads, find: see `__init__`.
        why: why there is no process; "" if nothing has gone wrong.
    """

    def __init__(
        self, arena: Arena, threads: int, find: Mapping[str, Find] = MappingProxyType({})
    ) -> None:
        """Take the arena, which must be shared, how many threads are to work, and what is to be
        found out about files (`PackedRows.facts`)."""
        self.arena = arena
        self.find = dict(find)
        self.why = ""
        self.threads = threads
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._seconds = 0.0
        self._starts_left = _STARTS
        self._wanted = True  # until it is started, and after each of its deaths but the last
        self._closed = False
        self._helper: _Helper | None = None

    @property
    def is_there(self) -> bool:
        """Whether it can be asked."""
        helper = self._helper
        return helper is not None and helper.ready and os.getpid() == self._owner

    def ask(self, *request: Any) -> Any:
        """Return the answer to a request (`reading_child`); None if there is nobody to answer."""
        helper = self._helper
        if helper is None or not self.is_there:
            return None
        try:
            return helper.ask(request)
        except (EOFError, OSError):
            self._lose(helper)
            return None

    def count(self, seconds: float) -> None:
        """Count the time that its work took here; start it in due course."""
        if not self._wanted or os.getpid() != self._owner:
            return
        with self._lock:
            self._seconds += seconds
            if self._seconds < WORTH_STARTING_SECONDS or not self._wanted:
                return
            self._seconds = 0.0
            self._starts_left -= 1
            self._wanted = False
        threading.Thread(target=self._start, name="penstock-starter", daemon=True).start()

    def close(self) -> None:
        """End the process; from now on, nobody answers. Idempotent."""
        with self._lock:
            self._closed, self._wanted = True, False
            helper, self._helper = self._helper, None
        if helper is not None:
            helper.close()

    def _start(self) -> None:
        try:
            helper = _Helper(self.arena, self.threads)
        except (WorkerError, OSError) as error:
            self.why = f"no process reads: {error}"
            return
        with self._lock:
            closed = self._closed
            if not closed:
                self._helper = helper
        if closed:
            helper.close()
            return
        try:
            helper.wait_until_ready(self.find)
        except (EOFError, OSError):
            self._lose(helper)

    def _lose(self, helper: _Helper) -> None:
        """Go on without a process that has died."""
        fate = helper.fate()
        helper.close()  # from now on, nobody else writes to the memory of what was left
        with self._lock:
            if self._helper is helper:
                self._helper = None
                self._wanted = self._starts_left > 0
                self.why = f"the process that reads {fate}"


class _Helper:
    """The process while it is alive.

    Attributes:
        ready: whether it can be asked.
    """

    def __init__(self, arena: Arena, threads: int) -> None:
        from ...engine.interpreter import Interpreter  # most pipelines need not spend the time

        self.ready = False
        self._channels: list[Channel] = []
        self._free: SimpleQueue[Channel] = SimpleQueue()
        with ExitStack() as others, ExitStack() as if_that_fails:
            numbers = [arena.descriptor]
            for _ in range(_AT_ONCE):
                ours, other = socketpair()
                if_that_fails.callback(ours.close)
                self._channels.append(Channel(ours))
                numbers.append(others.enter_context(other).fileno())
            module = f"{__package__}.reading_child"
            process = Interpreter(module, [threads, *numbers], numbers)
            if_that_fails.pop_all()
        self._process = process
        self._end = weakref.finalize(self, _end, process, self._channels, os.getpid())

    def wait_until_ready(self, find: dict[str, Find]) -> None:
        """Tell it what is to be found out, and wait until it can be asked."""
        for channel in self._channels:
            channel.send(find)
        for channel in self._channels:
            channel.receive()
            self._free.put(channel)
        self.ready = True

    def ask(self, request: Any) -> Any:
        """Return the answer; EOFError or OSError if the process has ended."""
        channel = self._free.get()
        try:
            channel.send(request)
            return channel.receive()
        finally:
            self._free.put(channel)

    def fate(self) -> str:
        """Say how it ended."""
        return self._process.fate()

    def close(self) -> None:
        """End it, and so what another thread waits for; idempotent."""
        self._end()


def _end(process: Interpreter, channels: Sequence[Channel], owner: int) -> None:
    if os.getpid() == owner:  # in a fork, it is not ours to end
        process.end()
        for channel in channels:
            channel.close()
