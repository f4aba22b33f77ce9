"""`ThreadPool`: how many threads an operator's work on the CPU may take."""

from __future__ import annotations

import os
from typing import NamedTuple

from ...engine.machine import usable_cores

_THREADS_PER_CORE = 100  # more is a mistake of units: the machine would only switch threads
_chosen: list[int | None] = [None]


def get_num_threads() -> int:
    """Return the number of threads of contexts that name none.

    It is what `set_num_threads` was given, else the environment variable DALI_NUM_THREADS, else the
    number of cores that this process may use.
    """
    named = os.environ.get("DALI_NUM_THREADS")
    return _chosen[0] or (int(named) if named else usable_cores())


def set_num_threads(n: int | None) -> None:
    """Set the number of threads of contexts that name none; None sets the default.

    Raises:
        TypeError: `n` is no int.
        ValueError: `n` is not positive, or more than 100 for each core.
    """
    if n is not None:
        _check(n)
    _chosen[0] = n


def _check(n: object) -> None:
    if not isinstance(n, int) or isinstance(n, bool):
        raise TypeError(f"the number of threads must be an int, but is {n!r}")
    if not 0 < n <= _THREADS_PER_CORE * (os.cpu_count() or 1):
        raise ValueError(
            f"the number of threads must be from 1 to {_THREADS_PER_CORE} for each core, but is {n}"
        )


class _Pool(NamedTuple):
    num_threads: int
    device_id: int | None


class ThreadPool(_Pool):
    """A number of threads that contexts can share. The threads start when work needs them.

    Args:
        num_threads: by default `get_num_threads()`.
        device_id: CUDA device of the contexts.
    """

    __slots__ = ()

    def __new__(cls, num_threads: int | None = None, *, device_id: int | None = None) -> ThreadPool:
        if num_threads is None:
            num_threads = get_num_threads()
        _check(num_threads)
        return super().__new__(cls, num_threads, device_id)
