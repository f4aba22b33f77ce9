"""What the machine has, of which a process may use a part: cores and memory."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from time import process_time


def usable_cores() -> int:
    """Return how many cores this process may use; all cores, where the system does not say."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def busy_core_seconds() -> float:
    """Return the CPU time that all programs have used on the cores of this process, in seconds.

    It counts from the machine's start. Where the system does not say, it is 0.
    """
    if not hasattr(os, "sched_getaffinity"):
        return 0.0
    try:
        lines = Path("/proc/stat").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0.0
    cores = os.sched_getaffinity(0)
    ticks = 0
    for line in lines:
        name, *numbers = line.split()
        if name.startswith("cpu") and name[3:].isdigit() and int(name[3:]) in cores:
            user, nice, system, _idle, _waiting, *interrupts = map(int, numbers[:8])
            ticks += user + nice + system + sum(interrupts)
    return ticks / os.sysconf("SC_CLK_TCK")


def own_core_seconds() -> float:
    """Return the CPU time of this process and of those that it has started, in seconds.

    Processes that still run count with the processes below them, where the system names them.
    """
    times = os.times()
    ended = times.children_user + times.children_system
    return process_time() + ended + sum(_tree_seconds("self"))


def _tree_seconds(process: str) -> Iterator[float]:
    """Yield the CPU time of each process below a process. Any of them may end meanwhile."""
    children: list[str] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{process}/task"):
            with suppress(OSError):
                path = Path(f"/proc/{process}/task/{thread}/children")
                children += path.read_text(encoding="ascii").split()
    for child in children:
        with suppress(OSError):
            # The name in the second field may have spaces and parentheses of its own.
            fields = Path(f"/proc/{child}/stat").read_bytes().rpartition(b")")[2].split()
            yield sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        yield from _tree_seconds(child)


@cache
def memory_of_machine() -> int:
    """Return the bytes of this machine's memory."""
    return os.sysconf("SC_PHYS_PAGES") * mmap.PAGESIZE
