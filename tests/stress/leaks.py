"""The threads, child processes and descriptors of this process."""

from __future__ import annotations

import gc
import os
import threading
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

_GRACE = 1.5
"""Seconds in which threads may end after a pipeline was closed."""


@dataclass(frozen=True)
class Census:
    """The numbers of things that a process holds, by name.

    Python's threads are counted by name without digits, descriptors by their target.
    """

    counts: Counter[str]

    @classmethod
    def take_census(cls) -> Census:
        """Count the things that this process holds now."""
        names = (f"thread {thread.name.rstrip('0123456789-_')}" for thread in threading.enumerate())
        counts = Counter(names)
        counts["threads of all libraries"] = len(os.listdir("/proc/self/task"))
        for number in os.listdir("/proc/self/fd"):
            with suppress(OSError):
                target = os.readlink(f"/proc/self/fd/{number}")
                counts[f"descriptor of {target.split('[')[0]}"] += 1
        for task in os.listdir("/proc/self/task"):
            with suppress(OSError):
                children = Path(f"/proc/self/task/{task}/children").read_text().split()
                counts["child processes"] += len(children)
        return cls(counts)

    @classmethod
    def settled(cls, before: Census) -> Census:
        """Count as soon as nothing is beyond `before`, or when the time of grace is over."""
        gc.collect()
        until = monotonic() + _GRACE
        while (now := cls.take_census()).beyond(before) and monotonic() < until:
            sleep(0.02)
        return now

    def beyond(self, before: Census) -> str:
        """Return the things that this census has beyond the earlier one, as text; "" if none."""
        more = self.counts - before.counts
        return ", ".join(f"{number} x {name}" for name, number in more.items())
