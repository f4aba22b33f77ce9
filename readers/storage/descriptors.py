"""Open files, shared by all readers of the process and bounded in number."""

from __future__ import annotations

import os
from contextlib import suppress

from .local_reads import OPEN_FLAGS

_OPEN_AT_MOST = 256
"""A process may usually hold 1024 descriptors; sockets, libraries and users need some."""


class Descriptor:
    """An open file, closed when nobody uses this object any more.

    Whoever reads holds a reference, so `forget` in another thread cannot make the number
    mean another file in the middle of a read.
    """

    def __init__(self, path: str) -> None:
        self.number = os.open(path, OPEN_FLAGS)

    def __del__(self) -> None:
        if hasattr(self, "number"):
            os.close(self.number)


# Without a lock, which a fork could copy while it is held: every access is one operation on
# the dict. The worst that threads can do to each other is to open a file twice.
_opened: dict[tuple[str, str], Descriptor] = {}


def descriptor(path: str, state: str) -> Descriptor:
    """Return the open file at `path`, opening it if it is not; raise OSError with its name.

    Whoever tells another `state` of the file shares no descriptor: the old file stays
    readable under its path for those who had it open before it was replaced.
    """
    held = _opened.get((path, state))
    if held is None:
        held = _opened[path, state] = Descriptor(path)
        while len(_opened) > _OPEN_AT_MOST:
            with suppress(StopIteration, RuntimeError):  # another thread was quicker
                forget(*next(iter(_opened)))
    return held


def forget(path: str, state: str) -> None:
    """Close the file once its readers are done; the next `descriptor` opens it again."""
    _opened.pop((path, state), None)
