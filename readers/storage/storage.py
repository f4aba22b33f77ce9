"""Byte ranges of files: what every record format reads through.

A `Storage` is one file, wherever it lies. Which reads fetch a set of ranges is planned by
`read_plan`; a storage only carries them out. A new kind of storage (object stores, HTTP)
implements `Storage.begin` and gets a line in `open_storages`.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SourceError
from ..source import Allocate
from .descriptors import Descriptor, descriptor, forget
from .local_reads import check_regular, identity, read_cached, read_waiting
from .read_plan import Int64s, plan_reads
from .sharing import share
from .urls import is_url

Bytes = NDArray[np.uint8]

Use = Callable[[range], None]
"""`use(numbers)` does something with the buffers of these numbers."""


class Storage(ABC):
    """Random access to the bytes of one file.

    Thread-safe. Picklable at any time, and usable after a fork: the copy opens the file
    again when it needs to.

    Attributes:
        name: absolute path or URL, for error messages.
        size: in bytes, when the storage was made.
        stamp: a text that changes whenever the content does; caches are valid for one stamp.
            "" where nothing tells that, so nothing may be cached.
        gap: ranges at most so many bytes apart are cheaper to read as one.
        part: longer runs of ranges are better read in parts of about so many bytes; None if
            the storage sees to that itself.
        path: in the local file system; None for what is not local.
    """

    name: str
    size: int
    stamp: str
    gap: int
    part: int | None = None
    path: Path | None

    @abstractmethod
    def begin(self, offsets: Sequence[int], buffers: Sequence[Bytes]) -> Callable[[], None]:
        """Begin to read from each of `offsets` as many bytes as its buffer holds.

        The function returned waits for the end of it; the buffers must not be used before.
        Whoever reads several storages begins with all before waiting for the first.

        Raises:
            OSError: the file cannot be read. SourceError if it ends too early. Both may
                come from the function returned, too.
        """

    def begin_using(
        self, offsets: Sequence[int], buffers: Sequence[Bytes], use: Use
    ) -> Callable[[], None]:
        """Do as `begin` does, and call `use` once for each buffer, after it was filled.

        Storage that is as fast as memory does that while caches still hold the bytes, in
        several threads; whatever `use` raises is raised here or by the function returned.
        """
        wait = self.begin(offsets, buffers)

        def finish() -> None:
            wait()
            use(range(len(buffers)))

        return finish

    def fill(self, offsets: Sequence[int], buffers: Sequence[Bytes]) -> None:
        """Read from each of `offsets` as many bytes as its buffer holds: see `begin`."""
        self.begin(offsets, buffers)()

    @abstractmethod
    def close(self) -> None:
        """Release what is open; a later `fill` opens it again."""

    def sequential(self) -> Storage:
        """Return this file for one thread that walks through it, from its front to its end."""
        return self

    def read(self, offsets: Int64s, lengths: Int64s, allocate: Allocate) -> list[Bytes]:
        """Return one uint8 array (length,) for each range, in the order asked.

        They are views of one block from `allocate`; ranges that overlap share memory.
        """
        self.check(offsets, lengths)
        plan = plan_reads(offsets, lengths, self.gap)
        block = allocate((plan.size,), np.uint8)
        self.fill(plan.offsets.tolist(), cut(block, plan.places, plan.lengths))
        return cut(block, plan.begins, lengths)

    def read_whole(self) -> bytes:
        """Return all bytes of the file: for small ones, such as indexes."""
        content: Bytes = np.empty(self.size, np.uint8)
        self.fill([0], [content])
        return content.tobytes()

    def check(self, offsets: Int64s, lengths: Int64s) -> None:
        """Raise SourceError unless all ranges lie in the file: before memory is taken."""
        # Written so that no sum can overflow.
        wrong = (offsets < 0) | (lengths < 0) | (offsets > self.size)
        wrong |= lengths > self.size - offsets
        if wrong.any():
            first = int(np.flatnonzero(wrong)[0])
            raise SourceError(
                f"{self.name}: {lengths[first]} bytes at offset {offsets[first]} are asked for, "
                f"but the file has {self.size} bytes"
            )


def cut(block: Bytes, begins: Int64s, lengths: Int64s) -> list[Bytes]:
    """Return the views of `block` of `lengths` bytes at `begins`."""
    ends = (begins + lengths).tolist()
    return [block[begin:end] for begin, end in zip(begins.tolist(), ends, strict=True)]


def open_storage(path: str | os.PathLike[str], options: Mapping[str, Any] | None = None) -> Storage:
    """Return the storage of one file: see `open_storages`."""
    return open_storages([path], options)[0]


def open_storages(
    paths: Sequence[str | os.PathLike[str]], options: Mapping[str, Any] | None = None
) -> list[Storage]:
    """Return the storage of each of `paths`: local files, or URLs such as "s3://bucket/key".

    All services are asked at once, so many files take about as long as one. `options` are
    `Reader.storage_options`.

    Raises:
        OSError: there is no such file, or it is no regular file.
        MissingDependencyError: the library for a protocol is not installed.
    """
    begun = [_begin_open(os.fspath(path), options or {}) for path in paths]
    return [wait() for wait in begun]


def _begin_open(path: str, options: Mapping[str, Any]) -> Callable[[], Storage]:
    if not is_url(path):
        return partial(LocalFile, path)
    from ..remote.storage import begin_open  # needs optional libraries

    return begin_open(path, options)


_WORTH_TWO_THREADS = 8 << 20
"""Copying so much takes a millisecond, in which a second thread (50 us) makes up for itself."""


class LocalFile(Storage):
    """A file of the local file system.

    It is read, not mapped: a file that another process cuts short while it is mapped kills
    this one (SIGBUS).

    Attributes:
        location: the absolute path.
        identity: of the file, when the storage was made.
    """

    gap = 16 * 1024
    """Copying so much from the page cache takes about as long as one more system call.

    Measured with `os.preadv`, warm: 200 runs of 1 KiB take 1.2 us each, read one by one; as one
    read with gaps of 16 KiB 0.8 us, with gaps of 32 KiB 1.4 us.
    """

    part = 1 << 20
    """A core's cache holds it, and two threads that take turns end at about the same time."""

    def __init__(self, path: str, name: str | None = None) -> None:
        """Take the path, and what messages call the file if not that."""
        self.location = os.path.abspath(path)
        self.name = name or self.location
        status = os.stat(self.location)
        check_regular(status, self.location)
        self.identity = identity(status)
        self.size = status.st_size
        self.stamp = f"{status.st_size}:{status.st_mtime_ns}"

    @property
    def path(self) -> Path:  # type: ignore[override]
        """See `Storage.path`."""
        return Path(self.location)

    def opened(self) -> Descriptor:
        """Return the open file, for `read_cached` and `wait_for`."""
        return descriptor(self.location, self.stamp)

    def begin(self, offsets: Sequence[int], buffers: Sequence[Bytes]) -> Callable[[], None]:
        """See `Storage.begin`; reads what is in memory and asks the disk for the rest."""
        return self.begin_using(offsets, buffers, lambda _: None)

    def begin_using(
        self, offsets: Sequence[int], buffers: Sequence[Bytes], use: Use
    ) -> Callable[[], None]:
        """See `Storage.begin_using`."""
        opened = self.opened()
        late: list[tuple[range, list[int]]] = []

        def read(numbers: range) -> None:
            fd = opened.number
            waiting = [i for i in numbers if not read_cached(fd, buffers[i], offsets[i])]
            if waiting:
                late.append((numbers, waiting))
            else:
                use(numbers)

        def finish() -> None:
            for numbers, waiting in late:
                for i in waiting:
                    self.wait_for(opened, offsets[i], buffers[i])
                use(numbers)

        ends = np.cumsum([len(buffer) for buffer in buffers])
        borders = (np.diff(ends // self.part).nonzero()[0] + 1).tolist()
        parts = [range(*pair) for pair in pairwise([0, *borders, len(buffers)])]
        if len(buffers) and ends[-1] >= _WORTH_TWO_THREADS:
            share(read, parts)
        else:
            for numbers in parts:
                read(numbers)
        return finish

    def wait_for(self, opened: Descriptor, offset: int, buffer: Bytes) -> None:
        """Fill the buffer from `offset` on, waiting for the disk."""
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
        """Close the file, unless another thread is reading it: then when that is done."""
        forget(self.location, self.stamp)
