"""Single requests to services, for tests of the services."""

from __future__ import annotations

from typing import Any, NamedTuple

from penstock.readers.remote.endpoint import endpoint
from penstock.readers.remote.service import Version


class Answer(NamedTuple):
    """A reply with its bytes.

    Attributes:
        offset, length, ranged, version: see `Reply`.
        content: all bytes of the reply.
    """

    offset: int
    length: int
    ranged: bool
    version: Version
    content: bytes


def ask(
    url: str,
    offset: int,
    length: int,
    known: Version | None = None,
    options: dict[str, Any] | None = None,
) -> Answer:
    """Make one request, without another attempt."""
    reply = endpoint(url, options or {}).service.get(url, offset, length, known)
    content = b"".join(reply.chunks)
    return Answer(reply.offset, reply.length, reply.ranged, reply.version, content)
