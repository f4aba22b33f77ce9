"""The file whose reading is measured: the user's file, or a temporary file."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Thread

from ..console import size_text
from .finding import Context, Finding
from .jobs import run_jobs
from .speed import BLOCK, LARGEST, write

_FREE_SPACE_DIVISOR = 4
"""A temporary file takes at most a quarter of the free space."""


@dataclass(frozen=True)
class SampleFile:
    """A file (None if there is none), and the reason not to measure its reading ("" for none)."""

    path: str | None = None
    reason: str = ""


def sample_size(free: int) -> int:
    """Return the size of a temporary file: whole blocks, 0 if the space is too small.

    >>> sample_size(1 << 40) >> 20, sample_size(100 << 20) >> 20, sample_size(3 << 20)
    (256, 25, 0)
    """
    return min(LARGEST, free // _FREE_SPACE_DIVISOR // BLOCK * BLOCK)


@contextmanager
def sample_file(
    path: str, disk: Finding, *, limit: float, tick: Callable[[str], None]
) -> Iterator[SampleFile]:
    """Lend the file `path`, or a temporary file in the folder `path`.

    `disk` is the finding of `storage.file_system`. The temporary file is removed at the end, also
    after an exception or Ctrl-C.
    """
    if not disk.works:
        yield SampleFile(reason=f"{path}: {disk.detail}")
        return
    if disk.values["file_type"] == "file":
        small = disk.values["size"] < BLOCK
        yield SampleFile(path, f"the file has less than {size_text(BLOCK)}" if small else "")
        return
    free = disk.values["free"]
    size = sample_size(free)
    name = os.path.join(path, f".penstock-doctor-{secrets.token_hex(6)}")
    try:
        outcome = run_jobs(
            write.__module__, ["write"], Context(name, size=size), limit=limit, tick=tick
        )
        if fault := outcome["write"].fault:
            yield SampleFile(reason=f"no file can be written in {path}: {fault}")
        elif not size:
            yield SampleFile(reason=f"only {size_text(free)} are free in {path}")
        else:
            yield SampleFile(name)
    finally:
        # A thread removes the file, because a file system that does not answer blocks its caller.
        remover = Thread(target=_remove, args=(name,), daemon=True)
        remover.start()
        remover.join(limit)


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)
