"""Other programs on the cores of this process, which make a measurement worth less."""

from __future__ import annotations

import os
from time import perf_counter

from ...engine.machine import busy_core_seconds, usable_cores

_MATTER = 0.1
"""Other programs that use a smaller fraction of the cores are not worth a line."""


class OtherPrograms:
    """What other programs use of this process's cores from now on."""

    def __init__(self) -> None:
        self._started = perf_counter()
        self._busy, self._own = busy_core_seconds(), _own_seconds()

    def cores(self) -> float:
        """Return how many cores they have used on average; 0 where the system does not say.

        Processes that this process has started count as others until they have ended.
        """
        busy = busy_core_seconds() - self._busy - (_own_seconds() - self._own)
        cores = busy / (perf_counter() - self._started)
        return min(max(0.0, cores), usable_cores())  # over a moment, a tick is more than there is


def busy_machine(others: float) -> str:
    """Return a sentence on other programs that use so many cores; "" if they hardly do."""
    if others < _MATTER * usable_cores():
        return ""
    return (
        f"other programs used {others:.1f} of {usable_cores()} cores meanwhile: measure again "
        "while they rest"
    )


def _own_seconds() -> float:
    """Return the CPU time of this process, and of processes that it started and that ended."""
    return sum(os.times()[:4])
