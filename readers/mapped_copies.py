"""Copies out of mapped files: of local files that lie in memory, by a process of their own.

To copy out of a map is faster than to read; where short rows are picked out of an array, several
times, for a map needs neither a system call a row nor the bytes between rows. But whoever
touches a map of a file that was cut short is killed. So another process maps the files, and
copies into the arena that it shares with this one (`mapped_child`). One message goes to it for
a batch: numbers alone; the answer says which parts were copied. All others are read in the
usual way, and so is everything if that process has died: what was wrong is found out then.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Sequence
from contextlib import ExitStack
from queue import SimpleQueue
from socket import socketpair
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine.channel import Channel
from ..engine.errors import WorkerError
from ..engine.memory import Arena
from .npy_reads import Part
from .storage import LocalFile

if TYPE_CHECKING:
    from ..engine.interpreter import Interpreter
    from .local_reads import Identity
    from .mapped_child import Done, Files

WORTH_STARTING_SECONDS = 1.0
"""Of reading what the process could have copied, before it is started."""

_SHARE_OF_CORES = 0.75
"""That it keeps busy at most: more threads wait for one another, and for the pipeline's own. On 16
cores, 12 threads copy 45 to 51 GB/s for two batches at a time, 16 threads 35 to 38."""

_STARTS = 3
"""Of a process, where those before have died."""

_AT_ONCE = 2
"""Batches that the process is asked for at a time: it has the next one when one is done."""

_LEAST_COST = 512 << 10
"""Of reading a part (`Part.cost`), to be worth the message."""

_LONG_RUN = 256 << 10
"""Parts of such runs of bytes are read as fast, and by two threads faster. Only many threads have
more to win than what they must wait here for one another: of `_LEAST_OF_RUNS` bytes."""

_LEAST_OF_RUNS = 4 << 20
_MANY_THREADS = 3


def is_worth(part: Part, threads: int) -> bool:
    """Return whether so many threads copy a part faster than they read it."""
    if all(grid.direct and grid.length >= _LONG_RUN for grid in part.grids):
        return threads >= _MANY_THREADS and part.target.nbytes >= _LEAST_OF_RUNS
    return part.cost >= _LEAST_COST


class MappedCopies:
    """Has parts of local files copied into an arena. Thread-safe.

    Of no effect in a process that was forked from the one that made it.

    Attributes:
        nbytes: how much was copied so far.
    """

    def __init__(self, arena: Arena, threads: int) -> None:
        """Take the arena, which must be shared, and how many threads may copy."""
        self.nbytes = 0
        self._arena = arena
        cores = len(os.sched_getaffinity(0))
        self._threads = min(threads, max(2, int(_SHARE_OF_CORES * cores)))
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._seconds = 0.0
        self._starts_left = _STARTS
        self._why = ""
        self._wanted = True  # until it is started, and after each of its deaths but the last
        self._closed = False
        self._helper: _Helper | None = None

    def copy(self, parts: Sequence[Part]) -> Sequence[Part]:
        """Copy what can be copied without waiting; return what is left."""
        helper = self._helper
        if helper is None or not helper.ready or os.getpid() != self._owner:
            return parts
        request = _Request(self._arena, self._threads)
        left = [each for each in parts if not request.add(each)]
        if len(left) == len(parts):
            return parts
        try:
            done = helper.ask(request.message())
        except (EOFError, OSError):
            self._lose(helper)
            return parts
        copied = request.settle(done, left)
        with self._lock:
            self.nbytes += copied
        return left

    def count(self, parts: Sequence[Part], seconds: float) -> None:
        """Count the time that it took to read what `copy` left; start the process in due course."""
        if not self._wanted or os.getpid() != self._owner:
            return
        if not any(is_worth(part, self._threads) for part in parts):
            return
        with self._lock:
            self._seconds += seconds
            if self._seconds < WORTH_STARTING_SECONDS or not self._wanted:
                return
            self._seconds = 0.0
            self._starts_left -= 1
            self._wanted = False
        threading.Thread(target=self._start, name="penstock-starter", daemon=True).start()

    @property
    def note(self) -> str:
        """What was copied, and why no more is; "" if there is nothing to be said."""
        copied = f"{self.nbytes / 1e9:.1f} GB were copied out of mapped files"
        return "; ".join(filter(None, (copied * bool(self.nbytes), self._why)))

    def close(self) -> None:
        """End the process; from now on, everything is left. Idempotent."""
        with self._lock:
            self._closed, self._wanted = True, False
            helper, self._helper = self._helper, None
        if helper is not None:
            helper.close()

    def _start(self) -> None:
        try:
            helper = _Helper(self._arena, self._threads)
        except (WorkerError, OSError) as error:
            self._why = f"no files are mapped: {error}"
            return
        with self._lock:
            closed = self._closed
            if not closed:
                self._helper = helper
        if closed:
            helper.close()
            return
        try:
            helper.wait_until_ready()
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
                self._why = f"the process that maps files {fate}"


class _Helper:
    """The process, as this one sees it.

    Attributes:
        ready: whether it can be asked.
    """

    def __init__(self, arena: Arena, threads: int) -> None:
        from ..engine.interpreter import Interpreter  # most pipelines need not spend the time

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
            module = f"{__package__}.mapped_child"
            process = Interpreter(module, [threads, *numbers], numbers)
            if_that_fails.pop_all()
        self._process = process
        self._end = weakref.finalize(self, _end, process, self._channels, os.getpid())

    def wait_until_ready(self) -> None:
        """Wait until it can be asked."""
        for channel in self._channels:
            channel.receive()
            self._free.put(channel)
        self.ready = True

    def ask(self, message: Any) -> Any:
        """Return the answer; EOFError or OSError if the process has ended."""
        channel = self._free.get()
        try:
            channel.send(message)
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


class _Request:
    """What the process is asked for: parts that differ only in where they lie, together."""

    def __init__(self, arena: Arena, threads: int) -> None:
        self._arena = arena
        self._threads = threads
        self._files: list[tuple[str, Identity]] = []
        self._numbers: dict[int, int] = {}
        self._alike: dict[tuple[Any, ...], list[tuple[Part, tuple[int, int, int]]]] = {}
        self._left_out: set[tuple[Any, ...]] = set()

    def add(self, part: Part) -> bool:
        """Ask for a part; return False if it must not, or had better not, be asked for."""
        storage, target = part.storage, part.target
        form = id(part.grids), part.dtype, target.strides  # parts of one plan share its grids
        if form not in self._alike and form not in self._left_out:
            if is_worth(part, self._threads):
                self._alike[form] = []
            else:
                self._left_out.add(form)
        offset = self._arena.offset(target)
        if offset is None or form in self._left_out:
            return False
        assert isinstance(storage, LocalFile)
        number = self._numbers.get(id(storage))
        if number is None:
            number = self._numbers[id(storage)] = len(self._files)
            self._files.append((storage.location, storage.identity))
        self._alike[form].append((part, (number, part.begin, offset)))
        return True

    def message(self) -> tuple[Files, list[tuple[Any, ...]]]:
        """Return what is sent: see `mapped_child.Alike`."""
        self._alike = {form: parts for form, parts in self._alike.items() if parts}
        return self._files, [_told(*zip(*parts, strict=True)) for parts in self._alike.values()]

    def settle(self, done: Done, left: list[Part]) -> int:
        """Add to `left` what was not copied; return how many bytes were."""
        copied = 0
        for parts, good in zip(self._alike.values(), done, strict=True):
            copied += int(good.sum()) * parts[0][0].target.nbytes
            left += [parts[i][0] for i in np.flatnonzero(~good).tolist()]
        return copied


def _told(parts: Sequence[Part], places: Sequence[tuple[int, int, int]]) -> tuple[Any, ...]:
    first = parts[0]
    into = first.target.dtype.str, first.target.strides
    where = np.array(places, np.int64)
    return first.target.shape, first.dtype.str, first.strides, *into, where
