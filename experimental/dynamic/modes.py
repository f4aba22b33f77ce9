"""`EvalMode`: when operators run."""

from __future__ import annotations

import threading
from enum import Enum


class EvalMode(Enum):
    """When operators run. As a context manager, a mode holds for the block in this thread.

    The values grow with the work that a call waits for.

    >>> with EvalMode.deferred:
    ...     EvalMode.current().name
    'deferred'
    >>> EvalMode.current() is EvalMode.default
    True
    """

    deferred = 1
    """At the first use of a result. An operator whose results nobody uses does not run."""

    eager = 2
    """In the call. Work on the GPU may still be under way when the call returns."""

    sync_cpu = 3
    """As `eager`: the CPU's work is always done when a call returns."""

    sync_full = 4
    """In the call, which also waits for the GPU."""

    default = eager

    def __enter__(self) -> EvalMode:
        _state.modes.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _state.modes.pop()

    @staticmethod
    def current() -> EvalMode:
        """Return the mode of this thread."""
        return _state.modes[-1]


class _ThreadState(threading.local):
    def __init__(self) -> None:
        self.modes = [EvalMode.default]


_state = _ThreadState()
