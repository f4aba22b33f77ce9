"""Videos that stay open from one clip to the next."""

from __future__ import annotations

import math
import os
import resource
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, Protocol, TypeVar

from ...formats.media_ends import MediaFile
from ...formats.video.frame_index import FrameIndex
from ...formats.video.known_files import INDEXES, FileState, KnownFacts, OpenUrl, state_of
from .contexts import DisplayInfo
from .decoder_pool import DecoderPool
from .frames import FrameReader
from .sound import SoundTrack

MAX_IDLE_VIDEOS = 32
"""Open videos that no thread uses, of one `OpenVideos`."""

MAX_FRACTION_OF_LIMIT = 1 / 8
"""Fraction of the process's limit (`ulimit -n`), where that gives fewer."""

_DISPLAYS = KnownFacts[FileState, DisplayInfo]()


class OpenVideo(Protocol):
    """The reader of an open video."""

    def close(self) -> None:
        """Close the file."""


Video = TypeVar("Video", bound=OpenVideo)


class OpenVideos(Generic[Video]):
    """Opens videos, and keeps those open that were used last.

    Args:
        make: returns what reads a video, from a path or a file object and the file's state.
        open_url: opens what is no absolute path.
    """

    def __init__(
        self, make: Callable[[Any, FileState], Video], open_url: OpenUrl | None = None
    ) -> None:
        self._make = make
        self._open_url = open_url
        self._idle: list[tuple[FileState, Video]] = []  # the last one was used last
        self._lock = threading.Lock()

    def key_of(self, path: str) -> FileState:
        """Return a key that differs for other videos, and for older states of the file.

        Raises:
            OSError: there is no such file.
        """
        # An open URL tells itself whether the object has changed.
        return (path, 0, 0, 0, 0) if self._is_url(path) else state_of(path)

    @contextmanager
    def lend(self, path: str, cost: Callable[[Video], float] | None = None) -> Iterator[Video]:
        """Lend a video to one thread; a video in which an error occurred is closed.

        Args:
            path: absolute, or a URL.
            cost: of each one that is open: the one with the lowest cost is lent. If all costs are
                infinite, the video is opened again.

        Raises:
            OSError: the file cannot be opened.
            DecodeError: it is no video.
        """
        key = self.key_of(path)
        reader = self._take_idle(key, cost)
        if reader is None:
            if self._open_url is None or os.path.isabs(path):
                reader = self._make(path, key)
            else:
                reader = self._make(*self._open_url(path))
        try:
            yield reader
        except BaseException:
            reader.close()
            raise
        self._keep(key, reader)

    def close(self) -> None:
        """Close all videos that no thread uses."""
        with self._lock:
            idle, self._idle = self._idle, []
        for _, reader in idle:
            reader.close()

    def _is_url(self, path: str) -> bool:
        return self._open_url is not None and not os.path.isabs(path)

    def _take_idle(self, key: FileState, cost: Callable[[Video], float] | None) -> Video | None:
        with self._lock:
            idle = [entry for entry in self._idle if entry[0] == key]
            costs = [0 if cost is None else cost(reader) for _, reader in idle]
            lowest = min(costs, default=math.inf)
            if lowest == math.inf:
                return None
            best = idle[costs.index(lowest)]
            self._idle.remove(best)
            return best[1]

    def _keep(self, key: FileState, reader: Video) -> None:
        with self._lock:
            self._idle.append((key, reader))
            most = _most_idle()
            dropped = self._idle[:-most]
            del self._idle[:-most]
        for _, old in dropped:
            old.close()


def _most_idle() -> int:
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    of_limit = (
        MAX_IDLE_VIDEOS if limit == resource.RLIM_INFINITY else int(limit * MAX_FRACTION_OF_LIMIT)
    )
    return max(1, min(MAX_IDLE_VIDEOS, of_limit))


IndexOf = Callable[[str], FrameIndex]
"""Returns the index of a local file, out of a cache on disk if possible."""


def open_frames(
    file: MediaFile,
    state: FileState,
    index_of: IndexOf | None = None,
    pool: DecoderPool | None = None,
) -> FrameReader:
    """Open a video for its frames, with the index that is known; keep a new index.

    Args:
        file, state: file and state of the video.
        index_of: called with the path for an unknown index. By default, and for file objects, all
            packets are read.
        pool: lends the decoder: see `FrameReader`.
    """
    index = INDEXES.get(state)
    if index is None and index_of is not None and isinstance(file, str):
        index = index_of(file)
    reader = FrameReader(file, index, pool, _DISPLAYS.get(state))
    INDEXES.keep(state, reader.index)
    if reader.display is not None:
        _DISPLAYS.keep(state, reader.display)
    return reader


def open_sound(file: MediaFile, state: FileState) -> SoundTrack:
    """Open a video for its audio track."""
    return SoundTrack(file)
