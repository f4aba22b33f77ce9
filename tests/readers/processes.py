"""Processes that tests start and wait for."""

import os
import time
from pathlib import Path

from penstock.readers.process.reading_process import WORTH_STARTING_SECONDS


def children():
    """Return the ids of the processes that this one has started."""
    tasks = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return [int(pid) for task in tasks for pid in task.read_text().split()]


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(condition):
    deadline = time.monotonic() + 40
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def start(process):
    """Have a `ReadingProcess` start, and wait until it answers; return its id."""
    before = set(children())
    wait_for(lambda: process.count(WORTH_STARTING_SECONDS) or process.is_there)
    (pid,) = set(children()) - before
    return pid
