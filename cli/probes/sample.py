"""The file that is read to measure: the user's own, or one made for it and removed again."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Thread

from .finding import Context, Finding, size_text
from .jobs import run_jobs
from .speed import BLOCK, LARGEST, write

_SHARE = 4
"""A file takes at most one part in so many of the free space."""


@dataclass(frozen=True)
class Sample:
    """A file to look at, None for none, and why it is not measured ("" if it is)."""

    path: str | None = None
    reason: str = ""


def sample_size(free: int) -> int:
    """Return the bytes to write where so many are free: whole blocks, 0 if there is no room.

    >>> sample_size(1 << 40) >> 20, sample_size(100 << 20) >> 20, sample_size(3 << 20)
    (256, 25, 0)
    """
    return min(LARGEST, free // _SHARE // BLOCK * BLOCK)


@contextmanager
def sample_file(
    path: str, disk: Finding, *, limit: float, tick: Callable[[str], None]
) -> Iterator[Sample]:
    """Lend a file on the file system of `path`: that itself if it is a file.

    `disk` is what `storage.file_system` found.

    A file that was made is removed at the end, also after an exception or Ctrl-C.
    """
    if not disk.works:
        yield Sample(reason=f"{path}: {disk.detail}")
        return
    if disk.values["kind"] == "file":
        small = disk.values["size"] < BLOCK
        yield Sample(path, f"the file has less than {size_text(BLOCK)}" if small else "")
        return
    free = disk.values["free"]
    size = sample_size(free)
    name = os.path.join(path, f".penstock-doctor-{secrets.token_hex(6)}")
    try:
        outcome = run_jobs(
            write.__module__, ["write"], Context(name, size=size), limit=limit, tick=tick
        )
        if fault := outcome["write"].fault:
            yield Sample(reason=f"no file can be written in {path}: {fault}")
        elif not size:
            yield Sample(reason=f"only {size_text(free)} are free in {path}")
        else:
            yield Sample(name)
    finally:
        # In a thread, because a file system that has stopped answering would stop this one.
        remover = Thread(target=_remove, args=(name,), daemon=True)
        remover.start()
        remover.join(limit)


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)
