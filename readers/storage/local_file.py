"""A file of the local file system as a `Storage`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ...engine.arrays import Bytes
from ...engine.errors import SourceError
from ...engine.pending import Later, Pending
from .descriptors import Descriptor, SharedFile, shared_file
from .local_reads import check_regular, identity, read_cached, read_waiting
from .read_team import READ_TEAM, parts_of
from .storage import Storage, Use

TWO_THREADS_BYTES = 8 << 20
"""A copy of this size takes a millisecond, and to start a thread 50 us."""


class LocalFile(Storage):
    """A file of the local file system.

    The file is read, not mapped: if another process cuts a mapped file short, this process is
    killed (SIGBUS).

    Attributes:
        location: the absolute path.
        identity: identity of the file when the storage was made.
    """

    gap = 16 * 1024
    """Copying 16 KiB from the page cache takes about as long as one more system call.

    Measured with `os.preadv`, warm, 200 runs of 1 KiB: read one by one, a run takes 1.2 us. As one
    read, a run takes 0.8 us with gaps of 16 KiB and 1.4 us with gaps of 32 KiB.
    """

    part = 1 << 20
    """A part of 1 MiB fits into a core's cache, and two threads end at about the same time."""

    def __init__(self, path: str, name: str | None = None) -> None:
        """Take the path, and the name of the file in messages, by default the path."""
        self.location = path if path.startswith("/") else os.path.abspath(path)
        self.name = name or self.location
        status = os.stat(self.location)
        check_regular(status, self.location)
        self.identity = identity(status)
        self.size = status.st_size
        self.stamp = self.identity.stamp
        self._file: SharedFile | None = shared_file(self.location, self.stamp)

    def __getstate__(self) -> dict[str, object]:
        return self.__dict__ | {"_file": None}

    @property
    def path(self) -> Path:
        """See `Storage.path`."""
        return Path(self.location)

    def opened(self) -> Descriptor:
        """Return the open file, for `read_cached`."""
        shared = self._file
        if shared is None:
            shared = self._file = shared_file(self.location, self.stamp)
        return shared.opened()

    def start_read(self, offsets: Sequence[int], buffers: Sequence[Bytes]) -> Pending[None]:
        """See `Storage.start_read`; reads cached bytes now and asks the disk for the others."""
        return self.start_read_using(offsets, buffers, None)

    def start_read_using(
        self, offsets: Sequence[int], buffers: Sequence[Bytes], use: Use | None
    ) -> Pending[None]:
        """See `Storage.start_read_using`."""
        late: list[tuple[range, list[int]]] = []

        def read(numbers: range) -> None:
            opened = self.opened()  # `finish` must not hold it: there may be many files
            fd = opened.number
            waiting = [i for i in numbers if not read_cached(fd, buffers[i], offsets[i])]
            if waiting:
                late.append((numbers, waiting))
            elif use is not None:
                use(numbers)

        def finish() -> None:
            for numbers, waiting in late:
                for i in waiting:
                    self.wait_for(offsets[i], buffers[i])
                if use is not None:
                    use(numbers)

        lengths = list(map(len, buffers))
        is_large = sum(lengths) >= TWO_THREADS_BYTES
        if is_large or use is not None:
            READ_TEAM.run_jobs(read, parts_of(lengths, self.part), threads=1 + is_large)
        else:
            read(range(len(buffers)))
        return Later(finish)

    def fill_cached(self, offset: int, buffer: Bytes) -> bool:
        """See `Storage.fill_cached`; if the bytes are not in memory, asks the disk for them."""
        opened = self.opened()  # held, so that no other thread closes it, and its number stays
        return read_cached(opened.number, buffer, offset)

    def wait_for(self, offset: int, buffer: Bytes) -> None:
        """Fill the buffer from `offset` on, waiting for the disk."""
        opened = self.opened()
        try:
            filled = read_waiting(opened.number, buffer, offset)
        except OSError as error:
            raise OSError(error.errno, error.strerror, self.name) from None
        if filled < buffer.size:
            raise SourceError(
                f"{self.name}: of {buffer.size} bytes at offset {offset} only {filled} are "
                f"there; the file had {self.size} bytes when it was opened and was cut short"
            )

    def close(self) -> None:
        """Close the file once no thread reads it, unless another storage of it is open."""
        self._file = None
