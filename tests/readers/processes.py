"""Processes that tests start and wait for."""

import gc
import os
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

from penstock.engine.processes.helper_processes import WORTH_STARTING_SECONDS

_lost: set[int] = set()
"""Processes that ended before the test at hand, and that nobody has waited for."""


def children() -> list[int]:
    """Return the ids of the processes that this one has started.

    Python's tracker of shared memory is left out: libraries such as Dask start one, and it stays.
    So are those that `end_lost_processes` found.
    """
    pids = []
    for task in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
        with suppress(OSError):  # the thread has ended meanwhile
            pids += map(int, task.read_text().split())
    return [pid for pid in pids if pid not in _lost and b"resource_tracker" not in command_of(pid)]


def settled_children():
    """Return the same, once no pipeline that was closed is starting processes."""
    assert_soon(lambda: "penstock-starter" not in [thread.name for thread in threading.enumerate()])
    return children()


def end_lost_processes():
    """End processes of pipelines that earlier tests dropped; `children` leaves out the others."""
    gc.collect()
    subprocess.run(["true"], check=True)  # a new process makes Python wait for the lost ones
    _lost.update(pid for pid in children() if not alive(pid))


def command_of(pid: int) -> bytes:
    """Return a process's command line; b"" if the process has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def assert_soon(condition):
    """Assert that `condition()` holds within a time that is long on any machine."""
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def start(process):
    """Have a `ReadingProcess` start, and wait until it answers; return its id."""
    before = set(children())
    assert_soon(lambda: process.count(WORTH_STARTING_SECONDS) or process.is_there)
    (pid,) = set(children()) - before
    return pid
