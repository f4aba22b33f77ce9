"""How fast a file is read, one way after another, from the page cache and past it.

All ways read the same bytes in the same order into buffers that are used again. A pass ends
with the file or after `_SECONDS`, so a slow disk takes no longer than a fast one.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from time import perf_counter
from typing import Any

import numpy as np

from .finding import Cache, Context, Job, Rate

LARGEST = 256 << 20
"""Bytes of a file that are read at most."""

BLOCK = 1 << 20
"""Bytes that one system call reads."""

_GPU_BLOCK = 64 << 20
"""Bytes that one call of KvikIO reads: it divides them between threads of its own."""

_SECONDS = 2.0
"""A pass over the file takes about so long at most."""

_PASSES = 3
"""The best of so many passes over a cached file counts."""

_FLUSH = 16 << 20
"""Bytes written between two looks at the clock."""

_CACHED = 0.05
"""A file of which no greater part is in memory counts as cold."""

_CACHES: tuple[Cache, ...] = ("cold", "warm")

Read = Callable[[int, int], int]
"""Reads `length` bytes at `offset`; returns how many came."""


@dataclass(frozen=True)
class Way:
    """A way to read: what opens a file for one thread, bytes a call, and threads."""

    open: Callable[[str], AbstractContextManager[Read]]
    block: int = BLOCK
    threads: int = 1


@contextmanager
def _preadv(path: str, flags: int = 0) -> Iterator[Read]:
    buffer = memoryview(mmap.mmap(-1, BLOCK))  # O_DIRECT wants memory that is aligned
    number = os.open(path, os.O_RDONLY | flags)
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


@contextmanager
def _kvikio(path: str, arrays: str) -> Iterator[Read]:
    buffer: Any = import_module(arrays).empty(_GPU_BLOCK, "uint8")
    import_module("kvikio.defaults").set("num_threads", 4)
    with import_module("kvikio").CuFile(path, "r") as file:
        file.read(buffer, BLOCK)  # makes buffers and, at first, the CUDA context
        yield lambda offset, length: int(file.read(buffer, length, offset))


WAYS = {
    "preadv, 1 thread": Way(_preadv),
    "preadv, 4 threads": Way(_preadv, threads=4),
    "O_DIRECT, 4 threads": Way(partial(_preadv, flags=os.O_DIRECT), threads=4),
    "mmap": Way(_mapped),
    "KvikIO to host, 4 threads": Way(partial(_kvikio, arrays="numpy"), _GPU_BLOCK),
    "KvikIO to device, 4 threads": Way(partial(_kvikio, arrays="cupy"), _GPU_BLOCK),
}


def job_names(*, kvikio: bool) -> list[str]:
    """Return which jobs to run. O_DIRECT passes the cache by, so that is one measurement."""
    return [
        name
        for name in JOBS
        if name != "write"
        and (kvikio or "KvikIO" not in name)
        and name != "O_DIRECT, 4 threads, warm"
    ]


def measure(way: str, cache: Cache, context: Context) -> Rate:
    """Read the file `context.path` (its first `LARGEST` bytes) and return how fast that was."""
    path = context.path
    assert path is not None
    size = min(os.path.getsize(path), LARGEST) // BLOCK * BLOCK
    with ExitStack() as stack:
        chosen = WAYS[way]
        reads = [stack.enter_context(chosen.open(path)) for _ in range(chosen.threads)]
        if cache == "cold":
            if "O_DIRECT" not in way and not _empty_cache(path, size):
                return Rate(way, cache, note="its pages stay in memory")
            done, seconds = _pass(reads, size, chosen.block)
        else:
            size, _ = _pass(reads, size, chosen.block)
            passes = [_pass(reads, size, chosen.block) for _ in range(_PASSES)]
            done, seconds = min(passes, key=lambda one: one[1] / one[0])
    return Rate(way, cache, done / seconds / 1e6)


def _pass(reads: Sequence[Read], size: int, block: int) -> tuple[int, float]:
    """Read up to `size` bytes, in as many threads as there are functions.

    Return the bytes read, from the front on without gaps but for the threads' last blocks, and
    the seconds taken.
    """
    started = perf_counter()

    def walk(i: int) -> int:
        done = 0
        for offset in range(i * block, size, len(reads) * block):
            length = min(block, size - offset)
            if (count := reads[i](offset, length)) != length:
                raise OSError(f"{count} of {length} bytes came from offset {offset}")
            done += count
            if perf_counter() - started > _SECONDS:
                break
        return done

    if len(reads) == 1:
        return walk(0), perf_counter() - started
    with ThreadPoolExecutor(len(reads)) as pool:
        done = sum(pool.map(walk, range(len(reads))))
    return done, perf_counter() - started


def _empty_cache(path: str, size: int) -> bool:
    """Have the kernel forget the file's pages; return whether it did."""
    number = os.open(path, os.O_RDONLY)
    try:
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
    return not failed and float((resident & 1).mean()) <= _CACHED


def write(context: Context) -> Rate:
    """Write the file `context.path` anew: up to `context.size` bytes that do not compress."""
    assert context.path is not None
    random = np.random.default_rng(0)
    started, done = perf_counter(), 0
    with open(context.path, "xb", buffering=0) as file:
        while done < context.size and perf_counter() - started < _SECONDS:
            block = random.bytes(min(_FLUSH, context.size - done))
            done += os.write(file.fileno(), block)
            os.fsync(file.fileno())  # pages not yet on the disk stay in memory
    return Rate("write", "cold", done / (perf_counter() - started) / 1e6)


JOBS: dict[str, Job] = {
    f"{way}, {cache}": partial(measure, way, cache) for way in WAYS for cache in _CACHES
}
JOBS["write"] = write
