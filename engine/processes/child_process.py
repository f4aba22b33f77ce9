"""Child processes that serve this process: their start, their connections and their end.

A child process is a new interpreter instead of a fork, because a fork copies the locks of other
threads and the CUDA context of this process.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from importlib import import_module
from socket import socket
from subprocess import DEVNULL, Popen, TimeoutExpired
from types import MappingProxyType
from typing import Any

from ..closing import close_after
from ..errors import WorkerError
from ..uninterrupted import Uninterrupted
from .channel import Channel, connected_sockets

_PROGRAM = (
    "import sys; end = 2 + int(sys.argv[1]); sys.path[:] = sys.argv[end:]; "
    "from {} import run; run(*sys.argv[2:end])"
)
# Each thread of the process does one thread's work: libraries must not start more threads.
_ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OPENCV_FOR_THREADS_NUM": "1",
}

HANG_UP: int = getattr(select, "POLLRDHUP", select.POLLHUP)
"""The event of a connection whose other end was closed; Linux has a name for it."""

END_SECONDS = 1.0
"""Seconds for the end of a process that was killed."""

ORPHAN_MS = 5000
"""Milliseconds between two looks whether the parent lives. They serve where a third process holds
the parent's descriptors, so that the connection stays open."""


class ChildProcess:
    """A process that runs `main(*numbers, *connections)` of one of our modules.

    The process ends with this object, with `close`, and with its parent, however the parent ends.
    A fork of the parent leaves the process alone.

    Args:
        module: full name of the module.
        numbers: first arguments of `main`; the others are the descriptors of the connections.
        descriptors: descriptors of this process that the new process may use.
        connections: number of connections between the two processes.
        environment: variables of the new process's environment, besides those of this process.

    Attributes:
        channels: this side's ends of the connections.
        owner: number of the process that started this one.

    Raises:
        WorkerError: there is no Python interpreter to start.
        OSError: the interpreter cannot be started.
    """

    def __init__(
        self,
        module: str,
        numbers: Sequence[int] = (),
        descriptors: Sequence[int] = (),
        connections: int = 1,
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.channels: list[Channel] = []
        self.owner = os.getpid()
        self._process: Any = None
        start = partial(self._start, module, numbers, descriptors, connections, environment)
        # An exception of a signal's handler right after the start would leave a process behind
        # that nobody ends, and that nobody waits for.
        Uninterrupted(start).run()

    def _start(
        self,
        module: str,
        numbers: Sequence[int],
        descriptors: Sequence[int],
        connections: int,
        environment: Mapping[str, str],
    ) -> None:
        given = module, *numbers
        self._process, ours = start_interpreter(
            __name__, given, descriptors, connections, environment
        )
        self.channels += map(Channel, ours)
        self._own()

    def _own(self) -> None:
        """Have the process end with this object."""
        ended = self._process, self.channels, self.owner
        self._finalizer = close_after(self, end_process, *ended)

    def kill(self) -> None:
        """End the process at once, and so the wait of a thread for a message."""
        self._process.kill()

    def close(self) -> None:
        """End the process, wait for its end, and close the channels; idempotent."""
        end_process(self._process, self.channels, self.owner)
        self._finalizer.detach()

    def has_ended(self) -> bool:
        """Return whether the process has ended, also if others hold its connections."""
        return self._process.poll() is not None

    def fate(self) -> str:
        """Say how the process ended, for messages."""
        return fate_of(self._process)


def start_interpreter(
    program: str,
    arguments: Sequence[object],
    descriptors: Sequence[int],
    connections: int,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Any, list[socket]]:
    """Start a new interpreter that calls `run` of one of our modules.

    Args:
        program: full name of the module.
        arguments: first arguments of `run`, which gets them as texts; the others are the
            descriptors of the connections.
        descriptors, connections, environment: as those of `ChildProcess`.

    Returns:
        The `Popen`, and this side's ends of the connections.

    Raises:
        WorkerError: there is no Python interpreter to start.
        OSError: the interpreter cannot be started.
    """
    if not sys.executable or getattr(sys, "frozen", False):
        raise WorkerError("worker processes need a Python interpreter, but there is none")
    poll_unwaited()
    with ExitStack() as others, ExitStack() as if_that_fails:
        ends = []
        theirs = []
        for _ in range(connections):
            ours, other = connected_sockets()
            ends.append(if_that_fails.enter_context(ours))
            theirs.append(others.enter_context(other).fileno())
        given = [str(argument) for argument in (*arguments, *theirs)]
        process = Popen(
            [sys.executable, "-c", _PROGRAM.format(program), str(len(given)), *given, *sys.path],
            stdin=DEVNULL,
            pass_fds=[*descriptors, *theirs],
            process_group=0,  # so that an interrupt at the keyboard does not reach the process
            env=os.environ | _ONE_THREAD | dict(environment),
        )
        if_that_fails.pop_all()
    return process, ends


def end_process(process: Any, channels: Sequence[Channel], owner: int) -> None:
    """End a process that `owner` has started, and wait for its end.

    Args:
        process: a `Popen`, or an object with the same methods.
        channels: the parent's ends of the connections.
        owner: number of the parent.
    """
    if os.getpid() == owner:
        process.kill()
        if not _has_ended(process):
            _unwaited.append(process)
        for channel in channels:
            channel.close()


def fate_of(process: Any) -> str:
    """Say how a process ended, for messages."""
    _has_ended(process)
    code = process.returncode
    if code is None:
        return "does not answer"
    if code >= 0:
        return f"ended with exit status {code}"
    hint = " (perhaps the system was short of memory)" if code == -signal.SIGKILL else ""
    return f"was ended by the signal {signal.Signals(-code).name}{hint}"


def _has_ended(process: Any) -> bool:
    """Wait a while for the end of a process; return whether it has ended."""
    try:
        process.wait(END_SECONDS)
    except TimeoutExpired:
        return False
    return True


_unwaited: list[Any] = []
"""Processes that were killed, and that had not ended when their end was waited for."""


def poll_unwaited() -> None:
    """Let the system forget the processes that have ended late; called at each start of one."""
    for process in list(_unwaited):
        if process.poll() is not None:
            with suppress(ValueError):  # another thread was faster
                _unwaited.remove(process)


def run(module: str, *numbers: str) -> None:
    """Run a module's `main` in the new process, which ends as soon as its parent ends.

    Args:
        module: see `ChildProcess`.
        numbers: arguments of `main`; the last one is the descriptor of a connection.
    """
    hung_up = select.poll()
    hung_up.register(int(numbers[-1]), HANG_UP)
    threading.Thread(target=end_after_parent, args=(hung_up, os.getppid()), daemon=True).start()
    with suppress(EOFError, ConnectionError):  # the parent has ended
        import_module(module).main(*map(int, numbers))


def end_after_parent(hung_up: select.poll, parent: int) -> None:
    """Wait for the end of the parent, and end this process.

    Args:
        hung_up: has the child's end of a connection.
        parent: number of the parent.
    """
    while not hung_up.poll(ORPHAN_MS) and os.getppid() == parent:
        pass
    os._exit(1)
