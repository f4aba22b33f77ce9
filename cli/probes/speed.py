"""Rates at which a file can be read, from the disk and from the page cache.

Every way reads the same bytes in the same order into a buffer that is used again. A pass ends at
the file's end or after `MAX_PASS_SECONDS`, so a slow disk takes no longer than a fast disk.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from time import perf_counter

import numpy as np

from .finding import Cache, Context, Job, Rate

LARGEST = 256 << 20
"""Maximum number of bytes of a file to read."""

BLOCK = 1 << 20
"""Bytes that one system call reads."""

MAX_PASS_SECONDS = 2.0
"""Maximum time of one pass over the file."""

CACHED_PASSES = 3
"""Number of passes over a cached file, of which the fastest counts."""

FLUSH_BYTES = 16 << 20
"""Bytes written between two looks at the clock."""

MAX_CACHED_FRACTION = 0.05
"""Maximum fraction of a file's pages in memory at which the file counts as cold."""

_CACHES: tuple[Cache, ...] = ("cold", "warm")

Read = Callable[[int, int], int]
"""`read(offset, length)` returns the number of bytes that it read."""


@dataclass(frozen=True)
class Way:
    """A way to read: a function that opens a file for one thread, and the number of threads."""

    open: Callable[[str], AbstractContextManager[Read]]
    threads: int = 1


@contextmanager
def _preadv(path: str) -> Iterator[Read]:
    buffer = memoryview(bytearray(BLOCK))
    number = os.open(path, os.O_RDONLY)
    try:
        yield lambda offset, length: os.preadv(number, [buffer[:length]], offset)
    finally:
        os.close(number)


@contextmanager
def _mapped(path: str) -> Iterator[Read]:
    with open(path, "rb") as file:
        content = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
    buffer = np.empty(BLOCK, np.uint8)

    def read(offset: int, length: int) -> int:
        buffer[:length] = content[offset : offset + length]
        return length

    yield read


WAYS = {
    "preadv, 1 thread": Way(_preadv),
    "preadv, 4 threads": Way(_preadv, threads=4),
    "mmap": Way(_mapped),
}


def measure(way: str, cache: Cache, context: Context) -> Rate:
    """Read the file `context.path` (its first `LARGEST` bytes) and return the rate."""
    path = context.path
    assert path is not None
    size = min(os.path.getsize(path), LARGEST) // BLOCK * BLOCK
    with ExitStack() as stack:
        chosen = WAYS[way]
        reads = [stack.enter_context(chosen.open(path)) for _ in range(chosen.threads)]
        if cache == "cold":
            if not _empty_cache(path, size):
                return Rate(way, cache, remark="its pages stay in memory")
            done, seconds = _pass(reads, size, BLOCK)
        else:
            size, _ = _pass(reads, size, BLOCK)
            passes = [_pass(reads, size, BLOCK) for _ in range(CACHED_PASSES)]
            done, seconds = min(passes, key=lambda one: one[1] / one[0])
    return Rate(way, cache, done / seconds / 1e6)


def _pass(reads: Sequence[Read], size: int, block: int) -> tuple[int, float]:
    """Read up to `size` bytes, with one thread for each function in `reads`.

    The threads take blocks in turn, from the file's start.

    Returns:
        The number of bytes read, and the seconds that this took.
    """
    started = perf_counter()

    def walk(i: int) -> int:
        done = 0
        for offset in range(i * block, size, len(reads) * block):
            length = min(block, size - offset)
            if (count := reads[i](offset, length)) != length:
                raise OSError(f"{count} of {length} bytes came from offset {offset}")
            done += count
            if perf_counter() - started > MAX_PASS_SECONDS:
                break
        return done

    if len(reads) == 1:
        return walk(0), perf_counter() - started
    with ThreadPoolExecutor(len(reads)) as pool:
        done = sum(pool.map(walk, range(len(reads))))
    return done, perf_counter() - started


def _empty_cache(path: str, size: int) -> bool:
    """Ask the kernel to drop the file's pages; return whether the kernel did."""
    number = os.open(path, os.O_RDONLY)
    try:
        with suppress(AttributeError):  # a system without it may have the pages all the same
            os.posix_fadvise(number, 0, 0, os.POSIX_FADV_DONTNEED)
        pages = mmap.mmap(number, size, access=mmap.ACCESS_READ)
    finally:
        os.close(number)
    resident = np.empty(-(-size // mmap.PAGESIZE), np.uint8)
    address = np.frombuffer(pages, np.uint8).ctypes.data
    libc = ctypes.CDLL(None, use_errno=True)
    failed = libc.mincore(
        ctypes.c_void_p(address), ctypes.c_size_t(size), ctypes.c_void_p(resident.ctypes.data)
    )
    return not failed and float((resident & 1).mean()) <= MAX_CACHED_FRACTION


def write(context: Context) -> Rate:
    """Create the file `context.path`, of up to `context.size` bytes that do not compress."""
    assert context.path is not None
    random = np.random.default_rng(0)
    started, done = perf_counter(), 0
    with open(context.path, "xb", buffering=0) as file:
        while done < context.size and perf_counter() - started < MAX_PASS_SECONDS:
            block = random.bytes(min(FLUSH_BYTES, context.size - done))
            done += os.write(file.fileno(), block)
            os.fsync(file.fileno())  # the kernel cannot drop pages that are not on the disk yet
    return Rate("write", "cold", done / (perf_counter() - started) / 1e6)


JOBS: dict[str, Job] = {
    f"{way}, {cache}": partial(measure, way, cache) for way in WAYS for cache in _CACHES
}
JOBS["write"] = write
