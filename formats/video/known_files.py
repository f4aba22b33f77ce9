"""Facts of videos' files that this process has learned, for all of its threads."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable
from typing import BinaryIO, Generic, TypeVar

from .frame_index import FrameIndex

MAX_FACTS = 4096
"""Facts of one kind, such as indexes, in this process."""

FileState = tuple[str, int, int, int | str, int]
"""Path, inode, size and times of the last change; or URL, 0, size, version and 0."""

OpenUrl = Callable[[str], tuple[BinaryIO, FileState]]
"""Opens a URL as a seekable file, and tells the state of the object."""

Key = TypeVar("Key", bound=Hashable)
Fact = TypeVar("Fact")


def state_of(path: str) -> FileState:
    """Return the state of a file; raise OSError if there is none."""
    status = os.stat(path)
    return path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


class KnownFacts(Generic[Key, Fact]):
    """Facts by key; the oldest go if there are more than `MAX_FACTS`. Thread-safe.

    >>> widths = KnownFacts[str, int]()
    >>> widths.keep("a.mp4", 640)
    >>> widths.get("a.mp4"), widths.get("b.mp4")
    (640, None)
    """

    def __init__(self) -> None:
        self._facts: dict[Key, Fact] = {}
        self._lock = threading.Lock()

    def get(self, key: Key) -> Fact | None:
        """Return a fact; None if it is not known."""
        with self._lock:
            return self._facts.get(key)

    def keep(self, key: Key, fact: Fact) -> None:
        """Keep a fact from now on, as the newest one."""
        with self._lock:
            self._facts.pop(key, None)
            self._facts[key] = fact
            while len(self._facts) > MAX_FACTS:
                del self._facts[next(iter(self._facts))]


INDEXES = KnownFacts[FileState, FrameIndex]()
"""The indexes of videos that were read, or taken out of a cache on disk."""
