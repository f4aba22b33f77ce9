"""The interface of a service: it answers requests for ranges of objects."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from errno import EACCES, ENOENT
from typing import Any

from ...engine.errors import SourceError
from ..storage.urls import shown
from .retries import Limits, Passing

PIECE = 1 << 18
"""Bytes that a connection receives in one turn of the event loop. The usual 64 KiB cost four times
as many turns, each of which holds the GIL."""


@dataclass(frozen=True)
class Version:
    """A state of an object.

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
        """A text that differs for other content; "" if the service gives no tag and no time."""
        mark = self.tag or self.modified
        return f"{self.size}:{mark}" if mark else ""

    def differs(self, other: Version) -> bool:
        """Return whether the two versions are known to have different content."""
        if self.size != other.size:
            return True
        if self.tag and other.tag:
            return self.tag != other.tag
        return bool(self.modified and other.modified and self.modified != other.modified)


class Reply(ABC):
    """The answer to a request: its headers have come, its bytes are on their way.

    Attributes:
        version: version of the object.
        offset, length: the bytes that this reply holds.
        ranged: False if the service ignored the range and sends the object from its start.
    """

    version: Version
    offset: int
    length: int
    ranged: bool = True

    @abstractmethod
    async def read(self) -> bytes:
        """Return the next bytes; b"" at the end."""


class Service(ABC):
    """One kind of service.

    Attributes:
        fs: the fsspec file system.
        limits: limits of the requests.
        options: `Reader.storage_options` without the limits.
    """

    def __init__(self, fs: Any, limits: Limits, options: Mapping[str, Any]) -> None:
        self.fs = fs
        self.limits = limits
        self.options = options

    async def connect(self) -> None:  # noqa: B027  (most have nothing to do)
        """Prepare for requests; may be called any number of times."""

    @abstractmethod
    def get(
        self, url: str, offset: int, length: int, known: Version | None
    ) -> AbstractAsyncContextManager[Reply]:
        """Ask for `length` bytes at `offset`; an empty object answers with length 0.

        `known` is the object's version when it was opened, or None. A service whose replies do not
        tell the version returns `known` in its replies.

        Raises:
            Passing: the fault may pass; also when the connection breaks while the reply is read.
            OSError: another attempt would not help.
        """


def refusal(url: str, status: int, reason: str) -> Exception:
    """Return the exception for an HTTP status that is no success."""
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
