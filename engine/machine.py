"""What the machine has, of which a process may use a part: cores and memory."""

from __future__ import annotations

import mmap
import os
from functools import cache
from pathlib import Path


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


@cache
def memory_of_machine() -> int:
    """Return the bytes of this machine's memory."""
    return os.sysconf("SC_PHYS_PAGES") * mmap.PAGESIZE
