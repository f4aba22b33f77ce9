"""The end of a pipeline: steps that run once, in reverse order, also after an interrupt."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

from ..closing import close_soon


class Shutdown:
    """Steps that free what a pipeline holds.

    A step leaves the list when it has returned. A step that raises an exception leaves the list,
    too, unless the step may be repeated. An interrupt leaves the step in the list, so another call
    of the object continues there. A forked child has no threads of its parent, and locks that other
    threads held stay locked there. So a call does nothing in a child once `bind` was called.
    """

    def __init__(self) -> None:
        self._steps: list[tuple[Callable[[], None], bool]] = []
        self._lock = threading.RLock()
        self._process: int | None = None

    def add(self, step: Callable[[], None], *, repeatable: bool = False) -> None:
        """Run `step` at the end, before all steps that were added earlier."""
        self._steps.append((step, repeatable))

    def bind(self) -> None:
        """Belong to this process alone from now on."""
        self._process = os.getpid()

    def __call__(self) -> None:
        """Run all steps, also if one of them raises; raise the first error at the end."""
        if self._process not in (None, os.getpid()):
            return
        with self._lock:
            first = self._run_steps()
        if first is not None:
            raise first

    def run_soon(self) -> None:
        """Have another thread run the steps, if there are any; for finalizers, at any line."""
        if self._steps:
            close_soon(self)

    def _run_steps(self) -> BaseException | None:
        first: BaseException | None = None
        for entry in reversed(list(self._steps)):
            step, repeatable = entry
            try:
                step()
            except Exception as error:
                first = first or error
                if repeatable:
                    continue
            self._steps.remove(entry)
        return first
