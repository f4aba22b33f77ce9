"""Byte ranges of files: every record format reads through them.

A `Storage` is one file, local or remote. Which reads fetch a set of ranges is planned by
`read_plan`; a storage only carries the reads out. `opening` makes the storage of a path or a URL.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ...engine.arrays import Bytes, Int64s
from ...engine.errors import SourceError
from ...engine.pending import Pending, Then
from ..source import Allocate
from .claims import check_claim
from .local_reads import Identity
from .read_plan import plan_reads

WITH_GIL_BYTES = 256 * 1024
"""Bytes that a thread copies while it keeps the GIL. NumPy releases it, and waits for it behind
other threads that copy: tars took 1.14 to 1.25 times the CPU time, by twice as many switches."""

Use = Callable[[range], None]
"""`use(numbers)` works on the buffers of these numbers, which are filled."""


class Storage(ABC):
    """Random access to the bytes of one file.

    A storage is thread-safe, picklable at any time, and usable after a fork: the copy opens the
    file again when it reads.

    Attributes:
        name: absolute path or URL, for error messages.
        size: in bytes, when the storage was made.
        stamp: a text that changes whenever the content does; caches are valid for one stamp.
            "" if the service tells no version, so nothing may be cached.
        gap: bytes; ranges at most this far apart are cheaper to read as one range.
        part: bytes; longer runs of ranges are read in parts of about this size. None if the storage
            divides them itself.
        path: in the local file system; None for a remote object.
        identity: identity of a local file, when the storage was made; None for all others.
    """

    name: str
    size: int
    stamp: str
    gap: int
    part: int | None = None
    identity: Identity | None = None

    @property
    def path(self) -> Path | None:
        return None

    @abstractmethod
    def start_read(self, offsets: Sequence[int], buffers: Sequence[Bytes]) -> Pending[None]:
        """Start to read from each of `offsets` as many bytes as its buffer holds.

        With the result all buffers are filled; they must not be used before. A caller that reads
        several storages starts all reads before it waits for the first: see `wait_all`.

        Raises:
            OSError: the file cannot be read. SourceError if it ends too early. The result may raise
                both, too.
        """

    def start_read_using(
        self, offsets: Sequence[int], buffers: Sequence[Bytes], use: Use
    ) -> Pending[None]:
        """Do as `start_read` does, and call `use` once for each buffer.

        A storage that is as fast as memory calls `use` in several threads, while caches still hold
        the bytes. Exceptions of `use` are raised here or by the result.
        """
        return Then(self.start_read(offsets, buffers), lambda _: use(range(len(buffers))))

    def fill(self, offsets: Sequence[int], buffers: Sequence[Bytes]) -> None:
        """Read from each of `offsets` as many bytes as its buffer holds: see `start_read`."""
        self.start_read(offsets, buffers).result()

    def wait_for(self, offset: int, buffer: Bytes) -> None:
        """Fill the buffer from `offset` on, in this thread."""
        self.fill([offset], [buffer])

    def fill_cached(self, offset: int, buffer: Bytes) -> bool:
        """Fill the buffer from memory; return False if that has to wait, and be done by `fill`."""
        return False

    @abstractmethod
    def close(self) -> None:
        """Release the file; a later `fill` opens it again."""

    def sequential(self) -> Storage:
        """Return this file for one thread that reads it from its front to its end."""
        return self

    def read(self, offsets: Int64s, lengths: Int64s, allocate: Allocate) -> list[Bytes]:
        """Return one uint8 array (length,) for each range, in the order asked.

        The arrays are views of one block from `allocate`; ranges that overlap share memory.
        """
        self.check(offsets, lengths)
        plan = plan_reads(offsets, lengths, self.gap)
        check_claim(self.name, plan.size)
        block = allocate((plan.size,), np.uint8)
        self.fill(plan.offsets.tolist(), cut(block, plan.block_offsets, plan.lengths))
        return cut(block, plan.starts, lengths)

    def read_whole(self) -> bytes:
        """Return all bytes of a small file, such as an index."""
        check_claim(self.name, self.size)
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


def copy_into(buffer: Bytes, content: memoryview) -> None:
    """Copy bytes into a buffer of as many bytes, which other threads copy into, too."""
    if buffer.size > WITH_GIL_BYTES:
        buffer[:] = np.frombuffer(content, np.uint8)
    else:
        buffer.data[:] = content


def cut(block: Bytes, starts: Int64s, lengths: Int64s) -> list[Bytes]:
    """Return the views of `block` of `lengths` bytes at `starts`."""
    ends = (starts + lengths).tolist()
    return [block[start:end] for start, end in zip(starts.tolist(), ends, strict=True)]
