"""What the machine has, of which a process may use a part: cores and memory."""

from __future__ import annotations

import mmap
import os
from functools import cache


def usable_cores() -> int:
    """Return how many cores this process may use; all cores, where the system does not say."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def memory_of_machine() -> int:
    """Return the bytes of this machine's memory."""
    return os.sysconf("SC_PHYS_PAGES") * mmap.PAGESIZE
