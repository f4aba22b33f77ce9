"""Child processes that are copies of one new interpreter, the origin.

    this process ──► origin: imports the program, forks ──► copies
                     ends: its copies become child processes of this process

A new interpreter takes 0.4 s of CPU time to import the program. The copies share this time, and the
memory of what was imported. The origin has one thread and has run no code of the user, so that it
may fork where this process may not.
"""

from __future__ import annotations

import ctypes
import os
import select
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from socket import MSG_WAITALL, socket
from typing import Any

from ..closing import close_after
from ..errors import WorkerError
from ..uninterrupted import Uninterrupted
from .channel import Channel
from .child_process import (
    HANG_UP,
    ChildProcess,
    end_after_parent,
    end_process,
    fate_of,
    start_interpreter,
)
from .forked_process import NUMBER_BYTES, Fork, be_fork

_SET_CHILD_SUBREAPER, _GET_CHILD_SUBREAPER = 36, 37  # of Linux' prctl


class CopiedProcess(ChildProcess):
    """A copy of an origin. Else as its base class.

    Args:
        number: of the process.
        connection: this side's end of the connection.
    """

    def __init__(self, number: int, connection: socket) -> None:
        self.channels = [Channel(connection)]
        self.owner = os.getpid()
        self._process = Fork(number)
        self._own()


class Copies:
    """Processes that are being started, and that run `main(*numbers, connection)` of a module.

    Args:
        module: full name of the module.
        numbers: first arguments of `main` in each process, of which all have as many.
        descriptors: descriptors of this process that the processes may use.
        imports: full names of further modules to import before the copies are made. They must
            start no threads.

    Raises:
        WorkerError: there is no Python interpreter to start.
        OSError: the interpreter cannot be started.
    """

    def __init__(
        self,
        module: str,
        numbers: Sequence[Sequence[int]],
        descriptors: Sequence[int] = (),
        imports: Iterable[str] = (),
    ) -> None:
        self._processes: list[ChildProcess] = []
        self._connections: list[socket] = []
        self._origin: Any = None
        # An exception of a signal's handler right after the start would leave the origin behind.
        modules = ",".join([module, *imports])
        Uninterrupted(partial(self._start, modules, numbers, descriptors)).run()

    def _start(
        self, modules: str, numbers: Sequence[Sequence[int]], descriptors: Sequence[int]
    ) -> None:
        given = modules, len(numbers), *(number for each in numbers for number in each)
        self._origin, self._connections = start_interpreter(
            __name__, given, descriptors, len(numbers)
        )
        ended = self._origin, self._connections, os.getpid()
        self._finalizer = close_after(self, end_process, *ended)

    def kill(self) -> None:
        """End the origin, and so the wait for its copies."""
        self._origin.kill()

    def wait(self) -> list[ChildProcess]:
        """Wait for the processes, and return them.

        Raises:
            WorkerError: a process was not started.
        """
        count = len(self._connections)
        Uninterrupted(self._adopt).run()
        if len(self._processes) < count:
            for process in self._processes:
                process.close()
            raise WorkerError(f"the origin of worker processes {fate_of(self._origin)}")
        return self._processes

    def _adopt(self) -> None:
        while self._connections:
            connection = self._connections[0]
            try:
                number = connection.recv(NUMBER_BYTES, MSG_WAITALL)
            except OSError:
                number = b""
            if number:
                self._processes.append(CopiedProcess(int.from_bytes(number, "little"), connection))
            else:
                connection.close()
            del self._connections[0]
        with _adoption():
            end_process(self._origin, [], os.getpid())
        self._finalizer.detach()


_adopting = threading.Lock()


@contextmanager
def _adoption() -> Iterator[None]:
    """A block in which the children of a child that ends become children of this process.

    Where the system knows no adoption, the copies end as they would here, with their connection.
    """
    prctl = getattr(ctypes.CDLL(None), "prctl", lambda *_: None)
    before = ctypes.c_int()
    with _adopting:
        prctl(_GET_CHILD_SUBREAPER, ctypes.byref(before), 0, 0, 0)
        prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        try:
            yield
        finally:
            prctl(_SET_CHILD_SUBREAPER, before.value, 0, 0, 0)


def run(modules: str, count: str, *numbers: str) -> None:
    """Be the origin: import modules, and fork.

    Args:
        modules: their names, with commas; the first one has `main`.
        count: number of copies.
        numbers: the first arguments of `main` of each copy, then the descriptor of each one's
            connection.
    """
    program, *_ = (import_module(module) for module in modules.split(","))
    given = [int(each) for each in numbers]
    sockets = [socket(fileno=each) for each in given[-int(count) :]]
    own = len(given) // int(count) - 1  # numbers of each copy
    parent = os.getppid()
    hung_up = select.poll()
    hung_up.register(sockets[-1], HANG_UP)
    for i, theirs in enumerate(sockets):
        with warnings.catch_warnings():
            # Python counts the threads of libraries, which take care of forks, as well.
            warnings.simplefilter("ignore", DeprecationWarning)
            number = os.fork()
        if not number:
            for other in (*sockets[:i], *sockets[i + 1 :]):
                other.close()
            mine = given[i * own : (i + 1) * own]
            be_fork(partial(_call, program.main, mine, theirs), theirs, parent)
    for theirs in sockets[:-1]:
        theirs.close()
    end_after_parent(hung_up, parent)


def _call(main: Callable[..., None], numbers: list[int], theirs: socket, _: Channel) -> None:
    main(*numbers, theirs.detach())
