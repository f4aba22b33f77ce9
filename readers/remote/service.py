"""What a kind of service must do: answer a request for a range of an object."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from errno import EACCES, ENOENT
from typing import Any
from urllib.parse import urlsplit

from ...engine.errors import SourceError
from .retries import Limits, Passing

PIECE = 1 << 18
"""Bytes that a connection takes in before the next turn of the event loop: the usual 64 KiB cost
four times as many turns, which hold the interpreter's lock."""


@dataclass(frozen=True)
class Version:
    """Which state of an object it is.

    Attributes:
        size: in bytes.
        tag: the service's name for this content (an ETag), "" if it gives none.
        modified: the time of its last change as the service writes it, "" if unknown.
    """

    size: int
    tag: str = ""
    modified: str = ""

    @property
    def stamp(self) -> str:
        """A text that differs for other content; "" if the service says nothing to tell."""
        mark = self.tag or self.modified
        return f"{self.size}:{mark}" if mark else ""

    def differs(self, other: Version) -> bool:
        """Whether the two are known to be different content."""
        if self.size != other.size:
            return True
        if self.tag and other.tag:
            return self.tag != other.tag
        return bool(self.modified and other.modified and self.modified != other.modified)


class Reply(ABC):
    """The answer to a request: its head has come, its bytes are on their way.

    Attributes:
        version: of the object.
        offset, length: the bytes that this reply holds.
        ranged: False if the service sent the object from its beginning, whatever was asked.
    """

    version: Version
    offset: int
    length: int
    ranged: bool = True

    @abstractmethod
    async def read(self) -> bytes:
        """Return some of the bytes, in order; b"" when there are no more."""


class Service(ABC):
    """A kind of service. `fs` is its fsspec file system."""

    def __init__(self, fs: Any, limits: Limits) -> None:
        self.fs = fs
        self.limits = limits

    async def connect(self) -> None:  # noqa: B027  (most have nothing to do)
        """Get ready for requests; may be called any number of times."""

    @abstractmethod
    def get(
        self, url: str, offset: int, length: int, known: Version | None
    ) -> AbstractAsyncContextManager[Reply]:
        """Ask for `length` bytes at `offset`; an empty object answers with length 0.

        `known` is what the object was like when it was opened, if it was: a service whose
        replies do not tell the version gives it back.

        Raises:
            Passing: see there; also when the connection breaks while the reply is read.
            OSError: asking again would not help.
        """


def shown(url: str) -> str:
    """Return `url` without a password, for messages and logs."""
    host = urlsplit(url).netloc
    return url.replace(host, "***@" + host.rpartition("@")[2], 1) if "@" in host else url


def refusal(url: str, status: int, reason: str) -> Exception:
    """Return what to raise for an HTTP status that is no success."""
    if status in (404, 410):
        return FileNotFoundError(ENOENT, "There is no such object", shown(url))
    if status in (401, 403):
        return PermissionError(
            EACCES,
            f"The server refuses access (status {status}); see `storage_options`",
            shown(url),
        )
    if status in (408, 425, 429) or status >= 500:
        return Passing(f"the server answered with status {status} ({reason})")
    return SourceError(f"{shown(url)}: the server answered with status {status} ({reason})")
