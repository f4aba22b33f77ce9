"""Further interpreters that serve this process: their start and their end.

A new interpreter is used instead of a fork, because a fork copies the locks of other threads and
the CUDA context of this process.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from subprocess import DEVNULL, Popen, TimeoutExpired

from ..errors import WorkerError

_PROGRAM = (
    "import sys; from importlib import import_module; count = int(sys.argv[2]); "
    "sys.path[:] = sys.argv[3 + count:]; "
    "import_module(sys.argv[1]).main(*map(int, sys.argv[3:3 + count]))"
)
# Each thread of the process does one thread's work: libraries must not start more threads.
_ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OPENCV_FOR_THREADS_NUM": "1",
}


@dataclass(frozen=True)
class InterpreterTuning:
    """Waiting times.

    Attributes:
        end_seconds: for the end of a process that was killed.
        orphan_ms: between two looks whether the parent lives. They serve where a third process
            holds the parent's descriptors, so that the connection stays open.
    """

    end_seconds: float = 1.0
    orphan_ms: int = 5000


TUNING = InterpreterTuning()


class Interpreter:
    """A process that runs `main(*numbers)` of one of our modules.

    Args:
        module: full name of the module.
        numbers: arguments of `main`.
        descriptors: descriptors of this process that the new process may use.

    Raises:
        WorkerError: there is no Python interpreter to start.
        OSError: the interpreter cannot be started.
    """

    def __init__(self, module: str, numbers: Sequence[int], descriptors: Sequence[int]) -> None:
        if not sys.executable or getattr(sys, "frozen", False):
            raise WorkerError("worker processes need a Python interpreter, but there is none")
        arguments = [module, str(len(numbers)), *map(str, numbers), *sys.path]
        self._process = Popen(
            [sys.executable, "-c", _PROGRAM, *arguments],
            stdin=DEVNULL,
            pass_fds=descriptors,
            process_group=0,  # so that an interrupt at the keyboard does not reach the process
            env=os.environ | _ONE_THREAD,
        )

    def kill(self) -> None:
        """End the process at once, whatever it does."""
        self._process.kill()

    def end(self) -> None:
        """End the process and wait for its end; idempotent."""
        self.kill()
        self._reap()

    def fate(self) -> str:
        """Say how the process ended, for messages."""
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
            self._process.wait(TUNING.end_seconds)


def end_with_parent(connection: int) -> None:
    """Have this process end as soon as its parent ends.

    Args:
        connection: descriptor of a socket whose other end the parent has.
    """
    hung_up = select.poll()
    hung_up.register(connection, select.POLLRDHUP)
    threading.Thread(target=_wait_for_end, args=(hung_up, os.getppid()), daemon=True).start()


def _wait_for_end(hung_up: select.poll, parent: int) -> None:
    while not hung_up.poll(TUNING.orphan_ms) and os.getppid() == parent:
        pass
    os._exit(1)
