"""Other programs on the cores of this process, which make a measurement worth less."""

from __future__ import annotations

import sys
from time import perf_counter, sleep

from ...engine.machine import busy_core_seconds, own_core_seconds, usable_cores

_MATTER = 0.1
"""Other programs that use a smaller fraction of the cores are not worth a line."""

_LOOK = 0.2
"""Seconds of a look before a measurement: 20 ticks of the system's clocks for each core."""


class OtherPrograms:
    """What other programs use of this process's cores from now on."""

    def __init__(self) -> None:
        self._started = perf_counter()
        self._busy, self._own = busy_core_seconds(), own_core_seconds()

    def cores(self) -> float:
        """Return how many cores they have used on average; 0 where the system does not say."""
        busy = busy_core_seconds() - self._busy - (own_core_seconds() - self._own)
        cores = busy / (perf_counter() - self._started)
        return min(max(0.0, cores), usable_cores())  # over a moment, a tick is more than there is


def look_first() -> None:
    """Say so on the stream of errors, before a measurement, if other programs use the cores."""
    others = OtherPrograms()
    sleep(_LOOK)
    if is_busy(used := others.cores()):
        print(
            f"penstock: other programs use {used:.1f} of {usable_cores()} cores: figures will "
            "mean nothing until they rest",
            file=sys.stderr,
        )


def is_busy(others: float) -> bool:
    """Return whether figures mean nothing beside other programs that use so many cores."""
    return others >= _MATTER * usable_cores()


def busy_machine(others: float) -> str:
    """Return a sentence on other programs that use so many cores; "" if they hardly do."""
    if not is_busy(others):
        return ""
    return (
        f"other programs used {others:.1f} of {usable_cores()} cores meanwhile: these figures mean "
        "nothing for a machine at rest; measure again while they rest"
    )
