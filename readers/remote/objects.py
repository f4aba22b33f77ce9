"""An object as a `Storage`: ranges fetched concurrently, straight into the caller's memory.

This opens any URL as an object with ranges. Each range carries the ETag that the object had when it
was opened (`If-Match`), and a reply of another version is an error:

    headers = {"headers": {"Authorization": "Bearer ..."}}
    file = start_open("https://host/a.parquet", headers, tail=65_536).result()
    file.fill([0], [buffer])

`headers` go with each request of `http(s)://`. Redirects are followed; another host does not get
`Authorization`. The other options are those of `Reader.storage_options`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from threading import Lock
from typing import Any

import numpy as np

from ...engine.arrays import Bytes
from ...engine.errors import SourceError
from ...engine.pending import Later, Pending, Then
from ...formats.foreign import LARGEST_POINTER
from ..source import Allocate
from ..storage.claims import check_claim
from ..storage.storage import Storage, copy_into
from ..storage.urls import shown
from .endpoint import Endpoint, endpoint
from .requests import Requests, ServiceRequest
from .retries import Passing
from .sequential import SequentialObject
from .service import Version, chunks_of_range, content_of

PART = 8 << 20
"""Maximum bytes of a request; longer ranges are fetched in parts. One connection to an object store
gives 50 to 100 MB/s, so a part takes longer than the round trip before it. If a connection breaks,
little is lost."""


_LARGEST = 1 << 50
"""Bytes. Object stores end at 50 TB; the sum of such sizes is a number of 64 bits."""

_ALLOCATING = Lock()
"""Memory is asked for by one thread at a time, as callers of `start_whole` expect."""


class RemoteFile(Storage):
    """An object in a remote store. `path` is None: nothing is written beside it."""

    path = None

    gap = 256 * 1024
    """Requests run concurrently, so one more request costs CPU time and no round trip: 0.15 to 0.25
    ms. The transfer of this many bytes from a store takes longer."""

    def __init__(
        self, url: str, options: Mapping[str, Any], version: Version, tail: bytes = b""
    ) -> None:
        """Take the object, its version when it was opened, and its last bytes if they are there.

        Raises:
            SourceError: the service claims more bytes than an object can have.
        """
        if version.size > _LARGEST:
            raise SourceError(
                f"{shown(url)}: the server claims {version.size} bytes; no object is larger than "
                f"{_LARGEST} bytes: the server or what lies between is at fault"
            )
        self.name = shown(url)
        self.size = version.size
        self.stamp = version.stamp
        self._url = url
        self._options = dict(options)
        self._version = version
        self._tail = tail

    def start_read(self, offsets: Sequence[int], buffers: Sequence[Bytes]) -> Pending[None]:
        """See `Storage.start_read`; all requests are under way when this returns.

        Any number of threads may ask for the result.
        """
        pairs = zip(offsets, buffers, strict=True)
        parts = [part for pair in pairs if not self.fill_cached(*pair) for part in _parts(*pair)]
        if not parts:
            return Later(lambda: None)
        place = endpoint(self._url, self._options)
        return Requests(place, _range_requests(place, self._url, self._version, parts))

    def fill_cached(self, offset: int, buffer: Bytes) -> bool:
        """See `Storage.fill_cached`: the bytes that came when the object was opened."""
        tail = self._tail
        start = offset - (self.size - len(tail))
        if start < 0 or start + buffer.size > len(tail):
            return False
        buffer[:] = np.frombuffer(tail, np.uint8)[start : start + buffer.size]
        return True

    def sequential(self) -> Storage:
        """See `Storage.sequential`."""
        return SequentialObject(self, PART)

    def close(self) -> None:
        """Drop the last bytes. Connections belong to the service, not to one object."""
        self._tail = b""


def start_open(url: str, options: Mapping[str, Any], tail: int = 0) -> Pending[RemoteFile]:
    """Start to ask for the object's version.

    Args:
        url: the object.
        options: `Reader.storage_options`.
        tail: so many of the last bytes come with the version, in the same request: see
            `Storage.fill_cached`. All bytes of an object come so that may be a pointer of Git LFS.

    The result raises:
        FileNotFoundError, PermissionError, IsADirectoryError: there is no readable object.
        SourceError: the service does not answer, or does not tell the object's size.
    """
    place = endpoint(url, options)
    found: list[tuple[Version, bytes]] = []
    requests = Requests(
        place, [ServiceRequest(partial(_opened, place, url, tail), found.append, shown(url))]
    )
    return Then(requests, lambda _: RemoteFile(url, options, *found[0]))


def start_whole(url: str, options: Mapping[str, Any], allocate: Allocate) -> Pending[Bytes]:
    """Start to fetch an object of unknown size. The result is its bytes.

    A small object takes one request. Larger objects are fetched in parts, unless the server ignores
    ranges.
    """
    place = endpoint(url, options)
    contents: list[Bytes] = []

    def take(answer: tuple[Version, Any]) -> None:
        version, first = answer
        with _ALLOCATING:
            content: Bytes = allocate((version.size,), np.uint8)
        contents.append(content)
        start = len(first)
        content[:start] = np.frombuffer(first, np.uint8)
        requests.add(_range_requests(place, url, version, _parts(start, content[start:])))

    requests = Requests(place, [])
    requests.add([ServiceRequest(partial(_first_part, place, url), take, shown(url))])
    return Then(requests, lambda _: contents[0])


def _parts(offset: int, buffer: Bytes) -> list[tuple[int, Bytes]]:
    return [(offset + at, buffer[at : at + PART]) for at in range(0, buffer.size, PART)]


def _opened(place: Endpoint, url: str, tail: int) -> Iterator[tuple[Version, bytes]]:
    """Fetch the last bytes, if any are wanted, or those of a small object; else the version."""
    reply = place.service.get(url, None if tail else 0, tail or LARGEST_POINTER, None)
    size = reply.version.size
    wanted = reply.ranged and (tail or size <= LARGEST_POINTER)
    if wanted and reply.offset + reply.length != size:
        raise Passing(f"the server sent {reply.length} bytes from {reply.offset} on of {size}")
    yield reply.version, content_of(reply) if wanted else b""


def _first_part(place: Endpoint, url: str) -> Iterator[tuple[Version, bytes]]:
    """Fetch the first part, or the whole object where the server ignores ranges."""
    reply = place.service.get(url, 0, PART, None)
    size = reply.version.size
    if (reply.offset, reply.length) != (0, min(size, PART) if reply.ranged else size):
        raise Passing(f"the server sent {reply.length} bytes from {reply.offset} on of {size}")
    check_claim(shown(url), size)
    yield reply.version, content_of(reply)


def _range_requests(
    place: Endpoint, url: str, version: Version, parts: list[tuple[int, Bytes]]
) -> list[ServiceRequest]:
    return [
        ServiceRequest(
            partial(chunks_of_range, place.service, url, version, offset, buffer.size),
            partial(_fill, buffer),
            f"{shown(url)}, bytes {offset} to {offset + buffer.size - 1}",
        )
        for offset, buffer in parts
    ]


def _fill(buffer: Bytes, piece: tuple[int, Any]) -> None:
    start, content = piece
    copy_into(buffer[start : start + len(content)], memoryview(content))
