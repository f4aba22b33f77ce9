"""Further interpreters, which serve this one: how they are started, and how they end.

A new interpreter, not a fork: whatever threads, locks and CUDA contexts this process has, the
other one is clean.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from subprocess import DEVNULL, Popen, TimeoutExpired

from .errors import WorkerError

_PROGRAM = (
    "import sys; from importlib import import_module; count = int(sys.argv[2]); "
    "sys.path[:] = sys.argv[3 + count:]; "
    "import_module(sys.argv[1]).main(*map(int, sys.argv[3:3 + count]))"
)
# Each thread of it is one thread's worth of work: libraries must not start more.
_ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OPENCV_FOR_THREADS_NUM": "1",
}
_PATIENCE_SECONDS = 1.0  # with a process that was killed
_ORPHAN_MS = 5000  # until it is noticed, if another process holds the parent's descriptors


class Interpreter:
    """A process that runs `main(*numbers)` of one of our modules.

    Args:
        module: its full name.
        numbers: what `main` is called with.
        descriptors: of this process, which the other one may use.

    Raises:
        WorkerError: there is no interpreter to start.
        OSError: it cannot be started.
    """

    def __init__(self, module: str, numbers: Sequence[int], descriptors: Sequence[int]) -> None:
        if not sys.executable or getattr(sys, "frozen", False):
            raise WorkerError("worker processes need a Python interpreter, but there is none")
        arguments = [module, str(len(numbers)), *map(str, numbers), *sys.path]
        self._process = Popen(
            [sys.executable, "-c", _PROGRAM, *arguments],
            stdin=DEVNULL,
            pass_fds=descriptors,
            process_group=0,  # an interrupt at the keyboard is not for it
            env=os.environ | _ONE_THREAD,
        )

    def kill(self) -> None:
        """End it at once, whatever it does."""
        self._process.kill()

    def end(self) -> None:
        """End it and wait for that; idempotent."""
        self.kill()
        self._reap()

    def fate(self) -> str:
        """Say how it ended, for messages."""
        self._reap()
        code = self._process.returncode
        if code is None:
            return "does not answer"
        if code >= 0:
            return f"ended with exit status {code}"
        hint = " (perhaps the system was short of memory)" if code == -signal.SIGKILL else ""
        return f"was ended by the signal {signal.Signals(-code).name}{hint}"

    def _reap(self) -> None:
        with suppress(TimeoutExpired):
            self._process.wait(_PATIENCE_SECONDS)


def end_with_parent(connection: int) -> None:
    """Have this process end with its parent, whatever it does then.

    Args:
        connection: descriptor of a socket whose other end the parent has.
    """
    hung_up = select.poll()
    hung_up.register(connection, select.POLLRDHUP)
    threading.Thread(target=_wait_for_end, args=(hung_up, os.getppid()), daemon=True).start()


def _wait_for_end(hung_up: select.poll, parent: int) -> None:
    while not hung_up.poll(_ORPHAN_MS) and os.getppid() == parent:
        pass
    os._exit(1)
