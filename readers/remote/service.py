"""The interface of a service: it answers requests for ranges of objects, and lists folders."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from errno import EACCES, ENOENT
from typing import Any, NamedTuple

from ...engine.errors import SourceError
from ..storage.urls import shown
from .retries import Passing

Entry = tuple[str, bool]
"""The name of a folder's entry, and whether it is a folder itself."""


@dataclass(frozen=True)
class Version:
    """A state of an object.

    Attributes:
        size: in bytes.
        tag: the service's name for this content (an ETag), "" if it gives none.
        modified: the time of its last change as the service writes it, "" if unknown.
        generation: the number by which Google's store asks for this state; else "".
    """

    size: int
    tag: str = ""
    modified: str = ""
    generation: str = field(default="", compare=False)

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

    def __str__(self) -> str:
        return f"{self.size} bytes, {self.tag or self.modified or 'without a tag'}"


class Changed(Exception):  # noqa: N818  (a state of the object; `objects` makes the error)
    """The service says that the object is no longer the version that was asked for."""


class Reply(NamedTuple):
    """The answer to a request: its headers have come, its bytes may be on their way.

    Attributes:
        version: version of the object.
        offset, length: the bytes that this reply holds.
        chunks: buffers of the bytes, one after the other, as they come.
        ranged: False if the service ignored the range and sends the object from its start.
    """

    version: Version
    offset: int
    length: int
    chunks: Iterable[Any]
    ranged: bool = True


class Service(ABC):
    """One kind of service. Any number of threads may ask at once."""

    @abstractmethod
    def get(self, url: str, offset: int | None, length: int, known: Version | None) -> Reply:
        """Ask for `length` bytes at `offset`, or for the last ones; wait for the headers.

        Args:
            url: the object.
            offset: None for the object's last bytes. An object that is shorter answers with all.
            length: number of bytes. An empty object answers with length 0.
            known: the object's version when it was opened, or None. The service is asked for this
                version alone. A service whose replies do not tell the version returns `known`.

        Raises:
            Passing: the fault may pass; also when the connection breaks between two chunks.
            Changed: the object is no longer the version `known`.
            OSError: another attempt would not help.
        """

    @abstractmethod
    def entries(self, url: str) -> list[Entry]:
        """Return the entries of a folder, in any order.

        Args:
            url: of the folder, with a slash at its end.

        Raises:
            Passing: the fault may pass.
            OSError: another attempt would not help. SourceError: folders cannot be listed.
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


def chunks_of_range(
    service: Service, url: str, version: Version, offset: int, length: int
) -> Iterator[tuple[int, Any]]:
    """Yield a range of an object as it comes, each chunk with its place in the range.

    Raises:
        SourceError: the object is no longer this version, or the server serves no ranges.
        Passing, OSError: see `Service.get`.
    """
    try:
        reply = service.get(url, offset, length, version)
    except Changed:
        now = service.get(url, 0, 1, None).version
        if not now.differs(version):
            raise Passing("the server says that the object has changed, which is not so") from None
        raise _changed(url, version, now) from None
    if reply.version.differs(version):
        raise _changed(url, version, reply.version)
    if not reply.ranged and (offset, length) != (0, version.size):
        raise SourceError(
            f"{shown(url)}: the server ignores requests for a range of bytes (no Range support), "
            "so only whole objects can be read from it: copy the file to another server or to a "
            "local disk"
        )
    if (reply.offset, reply.length) != (offset, length):
        raise Passing(
            f"the server sent {reply.length} bytes from {reply.offset} on instead of {length} from "
            f"{offset} on"
        )
    yield from _pieces(reply)


def content_of(reply: Reply) -> bytes:
    """Return the bytes of a reply."""
    return b"".join(chunk for _, chunk in _pieces(reply))


def _pieces(reply: Reply) -> Iterator[tuple[int, Any]]:
    came = 0
    for chunk in reply.chunks:
        start, came = came, came + len(chunk)
        if came <= reply.length:
            yield start, chunk
    if came != reply.length:
        raise Passing(f"{came} bytes came instead of {reply.length}")


def _changed(url: str, was: Version, now: Version) -> SourceError:
    return SourceError(
        f"{shown(url)} has changed since it was opened: it was {was}, now it is {now}; open it "
        "again"
    )
