"""What probes find: plain data, which `cli/report.py` shows and JSON carries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

Status = Literal["ok", "limited", "missing", "broken"]
Job = Callable[["Context"], "Finding | Rate"]
Cache = Literal["cold", "warm"]


@dataclass(frozen=True)
class Context:
    """What a job is told.

    Attributes:
        path: a file (a folder, for the jobs of `storage`); None where there is none to read.
        cuda: major version of CUDA that the driver speaks; 0 where no driver answers.
        size: bytes that the job "write" may write.
    """

    path: str | None = None
    cuda: int = 0
    size: int = 0

    def remedy(self, text: str) -> str:
        """Put the CUDA version to install for into "{cuda}": the driver's, or the newest."""
        return text.format(cuda=12 if self.cuda == 12 else 13)


@dataclass(frozen=True)
class Finding:
    """One row of the table.

    Attributes:
        name: what was looked at.
        status: "limited" works, but not as well as it could.
        detail: version and properties; for what is missing or broken, what happened.
        cost: what the user goes without, in one line; "" if nothing.
        remedy: the command or the step that mends it; "" if nothing does.
        values: the same as numbers and lists, for programs.
    """

    name: str
    status: Status
    detail: str = ""
    cost: str = ""
    remedy: str = ""
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def works(self) -> bool:
        """Whether it can be used."""
        return self.status in ("ok", "limited")


@dataclass(frozen=True)
class Rate:
    """How fast a file was read one way.

    Attributes:
        way: the system calls or the library used.
        cache: whether the file's pages were in memory before.
        mb_per_s: 10**6 bytes a second; None if it was not measured.
        note: why not.
    """

    way: str
    cache: Cache
    mb_per_s: float | None = None
    note: str = ""


def describe(error: BaseException) -> str:
    """Return an exception's type and the first line of its text."""
    text = (error.strerror if isinstance(error, OSError) else None) or str(error)
    text = text.strip().split("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def size_text(size: float) -> str:
    """Return a number of bytes for people.

    >>> size_text(8 << 20), size_text(150_754_820_096), size_text(512)
    ('8 MiB', '140.4 GiB', '512 B')
    """
    units = ["GiB", "MiB", "KiB", "B"]
    while size >= 1024 and len(units) > 1:
        size /= 1024
        units.pop()
    return f"{size:.1f}".removesuffix(".0") + f" {units[-1]}"
