"""The results of probes: plain data for the table in `report` and for JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

Status = Literal["ok", "limited", "missing", "broken"]
Job = Callable[["Context"], "Finding | Rate"]
Cache = Literal["cold", "warm"]


@dataclass(frozen=True)
class Context:
    """The input of a job.

    Attributes:
        path: a file (a folder for the jobs of `storage`); None if there is no file to read.
        cuda: major version of CUDA that the driver supports; 0 if no driver answers.
        size: maximum number of bytes that the job "write" writes.
    """

    path: str | None = None
    cuda: int = 0
    size: int = 0

    def with_cuda(self, text: str) -> str:
        """Replace "{cuda}" by the driver's major version of CUDA, or by the newest version."""
        return text.format(cuda=12 if self.cuda == 12 else 13)


@dataclass(frozen=True)
class Finding:
    """One row of the table.

    Attributes:
        name: the library, device or resource.
        status: "limited" means that it works, but not as well as it could.
        detail: version and properties, or the reason why it is missing or broken.
        cost: the consequence for the user, in one line; "" if there is none.
        remedy: the command or the step that repairs it; "" if there is none.
        values: the details as numbers and lists, for programs.
    """

    name: str
    status: Status
    detail: str = ""
    cost: str = ""
    remedy: str = ""
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def works(self) -> bool:
        """Whether pipelines can use the library, device or resource."""
        return self.status in ("ok", "limited")


@dataclass(frozen=True)
class Rate:
    """The rate at which a file was read in one way.

    Attributes:
        way: the system call and the number of threads.
        cache: "warm" if the file's pages were in memory before, else "cold".
        mb_per_s: 10**6 bytes a second; None if the rate was not measured.
        remark: the reason if the rate was not measured.
    """

    way: str
    cache: Cache
    mb_per_s: float | None = None
    remark: str = ""


def describe(error: BaseException) -> str:
    """Return an exception's type and the first line of its text."""
    text = (error.strerror if isinstance(error, OSError) else None) or str(error)
    text = text.strip().split("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
