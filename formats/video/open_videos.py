"""Videos that stay open from one clip to the next, and the indexes that are known."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from .frame_index import FrameIndex
from .frames import FrameReader


@dataclass(frozen=True)
class OpenVideosTuning:
    """Numbers of videos that are kept.

    Attributes:
        most_idle: open videos that no thread uses, of one `OpenVideos`.
        most_indexes: indexes in this process.
    """

    most_idle: int = 32
    most_indexes: int = 4096


TUNING = OpenVideosTuning()

FileState = tuple[str, int, int, int]
"""Path, inode, size and time of the last change."""


def state_of(path: str) -> FileState:
    """Return the state of a file; raise OSError if there is none."""
    status = os.stat(path)
    return path, status.st_ino, status.st_size, status.st_mtime_ns


_indexes: OrderedDict[FileState, FrameIndex] = OrderedDict()


def known_index(state: FileState) -> FrameIndex | None:
    """Return the index of a file if this process has read it."""
    return _indexes.get(state)


def keep_index(state: FileState, index: FrameIndex) -> None:
    """Keep an index for this process; drop the oldest if there are too many."""
    _indexes[state] = index
    while len(_indexes) > TUNING.most_indexes:
        _indexes.popitem(last=False)


class OpenVideos:
    """Opens videos, and keeps those open that were used last."""

    def __init__(self) -> None:
        self._idle: list[tuple[FileState, FrameReader]] = []  # the last one was used last
        self._lock = threading.Lock()

    @contextmanager
    def lend(self, path: str) -> Iterator[FrameReader]:
        """Lend a video to one thread; a video in which an error occurred is closed.

        Raises:
            OSError: the file cannot be opened.
            DecodeError: it is no video.
        """
        state = state_of(path)
        reader = self._take_idle(state) or _open(state)
        try:
            yield reader
        except BaseException:
            reader.close()
            raise
        self._keep(state, reader)

    def close(self) -> None:
        """Close all videos that no thread uses."""
        with self._lock:
            idle, self._idle = self._idle, []
        for _, reader in idle:
            reader.close()

    def _take_idle(self, state: FileState) -> FrameReader | None:
        with self._lock:
            for number, (other, reader) in enumerate(self._idle):
                if other == state:
                    del self._idle[number]
                    return reader
        return None

    def _keep(self, state: FileState, reader: FrameReader) -> None:
        with self._lock:
            self._idle.append((state, reader))
            dropped = self._idle[: -TUNING.most_idle]
            del self._idle[: -TUNING.most_idle]
        for _, old in dropped:
            old.close()


def _open(state: FileState) -> FrameReader:
    reader = FrameReader(state[0], known_index(state))
    keep_index(state, reader.index)
    return reader
