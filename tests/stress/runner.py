"""Runs cases, each in a forked process with a time limit, and classifies their ends.

The runner never starts a thread or a pipeline, so that a fork of its process is clean. A forked
process has imported Penstock already, which makes a case cheap. The runner is the subreaper of its
descendants: processes that a case leaves behind become its children, where it finds them.
"""

from __future__ import annotations

import ctypes
import faulthandler
import os
import selectors
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

from .leaks import Census

_PR_SET_CHILD_SUBREAPER = 36
_MARK = "PENSTOCK_STRESS_CASE"
_DONE = b"done"

CaseFunction = Callable[[int], None]


@dataclass(frozen=True)
class Case:
    """One random test: the attack's name, and the seed of everything random in it."""

    attack: str
    seed: int

    def __str__(self) -> str:
        return f"--only {self.attack} --seed {self.seed} --cases 1"


@dataclass(frozen=True)
class Attempt:
    """The end of a case.

    Attributes:
        failure: "crash", "hang", "wrong", "leak" or "" if nothing was wrong.
        text: the traceback, the signal or the things that leaked.
    """

    case: Case
    failure: str = ""
    text: str = ""

    def __str__(self) -> str:
        return f"{self.failure.upper()} {self.case}\n{self.text}"


@dataclass
class _Child:
    case: Case
    process: int
    pipe: int
    log: Path
    deadline: float
    answer: bytes = b""


class Runner:
    """Runs cases side by side.

    Args:
        attacks: the function `case(seed)` of each attack by name.
        workers: maximum number of cases that run at the same time.
        limit: seconds after which a case counts as a hang.
    """

    def __init__(
        self, attacks: Mapping[str, CaseFunction], workers: int = 2, limit: float = 60
    ) -> None:
        self._attacks = attacks
        self._workers = workers
        self._limit = limit
        self._running: dict[int, _Child] = {}
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def run(self, cases: Iterable[Case], until: float) -> Iterator[Attempt]:
        """Run `cases` and yield their ends; start no case after the time `until`."""
        waiting = iter(cases)
        with selectors.DefaultSelector() as selector, tempfile.TemporaryDirectory() as folder:
            while True:
                while len(self._running) < self._workers and monotonic() < until:
                    case = next(waiting, None)
                    if case is None:
                        until = 0
                        break
                    child = self._start(case, Path(folder))
                    selector.register(child.pipe, selectors.EVENT_READ, child)
                if not self._running:
                    return
                for key, _ in selector.select(0.1):
                    self._receive(key.data)
                for child in [c for c in self._running.values() if self._has_ended(c)]:
                    selector.unregister(child.pipe)
                    yield self._finish(child)

    def _start(self, case: Case, folder: Path) -> _Child:
        reading, writing = os.pipe()
        home = folder / f"{case.attack}_{case.seed}"
        home.mkdir()
        log = home / "log"
        process = os.fork()
        if not process:
            os.close(reading)
            _work(self._attacks[case.attack], case, writing, home, self._limit)
        os.close(writing)
        child = _Child(case, process, reading, log, monotonic() + self._limit + 2)
        self._running[process] = child
        return child

    def _receive(self, child: _Child) -> None:
        child.answer += os.read(child.pipe, 1 << 16)

    def _has_ended(self, child: _Child) -> bool:
        if monotonic() > child.deadline:
            return True
        return os.waitid(os.P_PID, child.process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def _finish(self, child: _Child) -> Attempt:
        """Remove everything that the case left behind, and say how the case ended."""
        hung = os.waitid(os.P_PID, child.process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
        if hung:
            os.kill(child.process, signal.SIGKILL)
        _, status = os.waitpid(child.process, 0)
        os.set_blocking(child.pipe, False)
        with suppress(BlockingIOError):
            while data := os.read(child.pipe, 1 << 16):
                child.answer += data
        os.close(child.pipe)
        del self._running[child.process]
        orphans = _end_orphans(child.case)
        log = child.log.read_text(errors="backslashreplace")[-6000:]
        if hung:
            return Attempt(child.case, "hang", log)
        code = os.waitstatus_to_exitcode(status)
        if child.answer == _DONE and code == 0:
            return Attempt(child.case, "leak" if orphans else "", orphans)
        failure, _, text = child.answer.decode(errors="replace").partition("\n")
        if failure in ("wrong", "leak"):
            return Attempt(child.case, failure, text)
        return Attempt(child.case, "crash", f"exit status {code}\n{log}")


def _work(case: CaseFunction, which: Case, pipe: int, home: Path, limit: float) -> None:
    """Run the case in the forked process, answer through the pipe, and end the process."""
    os.environ[_MARK] = str(which)
    os.environ["XDG_CACHE_HOME"] = str(home / "cache")
    os.setsid()
    os.chdir(home)
    number = os.open(home / "log", os.O_WRONLY | os.O_CREAT)
    for standard in (1, 2):
        os.dup2(number, standard)
    faulthandler.enable()
    faulthandler.dump_traceback_later(limit, exit=False)
    answer = _DONE
    try:
        answer = _attempt(case, which.seed)
    except BaseException:
        answer = b"wrong\n" + traceback.format_exc().encode(errors="replace")
    with suppress(OSError):
        os.write(pipe, answer[: 1 << 15])
    os._exit(0)


def _attempt(case: CaseFunction, seed: int) -> bytes:
    """Run a case; run it again if things are left, because a first run may fill caches."""
    before = Census.take_census()
    case(seed)
    first = Census.settled(before)
    if not first.beyond(before):
        return _DONE
    case(seed)
    left = Census.settled(first).beyond(first)
    return f"leak\n{left}".encode() if left else _DONE


def _end_orphans(case: Case) -> str:
    """Kill the processes that a case left behind, after a second's grace; return their commands."""
    patience = monotonic() + 1
    while ((orphans := _processes_of(case)) or _one_starts()) and monotonic() < patience:
        _reap(orphans)
        sleep(0.05)
    for process in orphans:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    sleep(0.05 if orphans else 0)
    _reap(orphans)
    return "\n".join(f"process {process}: {command}" for process, command in orphans.items())


def _one_starts() -> bool:
    """Return whether a child of this process is about to run a program: it has no environment."""
    for children in Path("/proc/self/task").glob("*/children"):
        for process in children.read_text().split():
            with suppress(OSError):
                state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
                if state != "Z" and not Path(f"/proc/{process}/environ").read_bytes():
                    return True
    return False


def _reap(processes: Iterable[int]) -> None:
    for process in processes:
        with suppress(ChildProcessError):
            os.waitpid(process, os.WNOHANG)


def _processes_of(case: Case) -> dict[int, str]:
    """Return the commands of all processes whose environment names the case."""
    mark = f"{_MARK}={case}".encode()
    commands = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                words = (folder / "cmdline").read_bytes().split(b"\0")
                commands[int(folder.name)] = b" ".join(words).decode(errors="replace")
    return commands


if sys.platform != "linux":
    raise ImportError("the stress program needs /proc and prctl of Linux")
