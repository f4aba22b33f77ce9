"""An object as a `Storage`: ranges fetched concurrently, straight into the caller's memory."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

import numpy as np

from ...engine.arrays import Bytes
from ...engine.errors import SourceError
from ...engine.pending import Later, Pending, Then
from ..interrupt import wait_for
from ..source import Allocate
from ..storage.claims import check_claim
from ..storage.storage import Storage
from ..storage.urls import shown
from .endpoint import Endpoint, endpoint
from .retries import Passing
from .sequential import SequentialObject
from .service import Reply, Version

PART = 4 << 20
"""Maximum bytes of a request; longer ranges are fetched in parts. One connection to an object store
gives 50 to 100 MB/s, so a part takes longer than the round trip before it. If a connection breaks,
little is lost."""


_LARGEST = 1 << 50
"""Bytes. Object stores end at 50 TB; the sum of such sizes is a number of 64 bits."""


class RemoteFile(Storage):
    """An object in a remote store. `path` is None: nothing is written beside it."""

    path = None

    gap = 256 * 1024
    """Requests run concurrently, so one more request costs CPU time and no round trip: 0.25 ms over
    HTTP, 0.85 ms over S3. The event loop's thread passes on about 0.5 GB/s, so the transfer of this
    many bytes takes as long."""

    def __init__(self, url: str, options: Mapping[str, Any], version: Version) -> None:
        """Take the object and its version when it was opened.

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

    def start_read(self, offsets: Sequence[int], buffers: Sequence[Bytes]) -> Pending[None]:
        """See `Storage.start_read`; all requests are under way when this returns."""
        connection = endpoint(self._url, self._options)
        parts = [part for pair in zip(offsets, buffers, strict=True) for part in _parts(*pair)]
        if not parts:
            return Later(lambda: None)
        return Requested(connection.start(_fetch(connection, self._url, self._version, parts)))

    def sequential(self) -> Storage:
        """See `Storage.sequential`."""
        return SequentialObject(self, PART)

    def close(self) -> None:
        """Do nothing: connections belong to the service, not to one object."""


class Requested(Pending[Any]):
    """A request to a service."""

    def __init__(self, future: Future[Any]) -> None:
        self._future = future

    def result(self) -> Any:
        return wait_for(self._future)

    def cancel(self) -> None:
        self._future.cancel()


def start_open(url: str, options: Mapping[str, Any]) -> Pending[RemoteFile]:
    """Start to ask for the object's version.

    The result raises:
        FileNotFoundError, PermissionError, IsADirectoryError: there is no readable object.
        SourceError: the service does not answer, or does not tell the object's size.
    """
    connection = endpoint(url, options)
    work = connection.request(partial(_describe, connection, url), shown(url))
    return Then(Requested(connection.start(work)), partial(RemoteFile, url, options))


def start_whole(url: str, options: Mapping[str, Any], allocate: Allocate) -> Pending[Bytes]:
    """Start to fetch an object of unknown size. The result is its bytes.

    A small object takes one request. Larger objects are fetched in parts, unless the server ignores
    ranges.
    """
    connection = endpoint(url, options)
    return Requested(connection.start(_whole(connection, url, allocate)))


def _parts(offset: int, buffer: Bytes) -> list[tuple[int, Bytes]]:
    return [(offset + at, buffer[at : at + PART]) for at in range(0, buffer.size, PART)]


async def _describe(connection: Endpoint, url: str) -> Version:
    async with (
        asyncio.timeout(connection.limits.stall_seconds),
        connection.service.get(url, 0, 1, None) as reply,
    ):
        if reply.ranged:
            await reply.read()  # so that the connection can be reused
        return reply.version


async def _fetch(
    connection: Endpoint, url: str, version: Version, parts: list[tuple[int, Bytes]]
) -> None:
    """Fetch all parts; if one part fails for good, stop the others and raise its error."""
    try:
        async with asyncio.TaskGroup() as group:
            for offset, buffer in parts:
                attempt = partial(_attempt, connection, url, version, offset, buffer)
                request = f"{shown(url)}, bytes {offset} to {offset + buffer.size - 1}"
                group.create_task(connection.request(attempt, request))
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None


async def _attempt(
    connection: Endpoint, url: str, version: Version, offset: int, buffer: Bytes
) -> None:
    patience = _Patience(connection.limits.stall_seconds)
    async with patience, connection.service.get(url, offset, buffer.size, version) as reply:
        if reply.version.differs(version):
            raise SourceError(
                f"{shown(url)} has changed since it was opened: it was {_described(version)}, "
                f"now it is {_described(reply.version)}; open it again"
            )
        whole = offset == 0 and buffer.size == version.size
        if not reply.ranged and not whole:
            raise SourceError(
                f"{shown(url)}: the server ignores requests for a range of bytes (no Range "
                "support), so only whole objects can be read from it: copy the file to another "
                "server or to a local disk"
            )
        if (reply.offset, reply.length) != (offset, buffer.size):
            raise Passing(
                f"the server sent {reply.length} bytes from {reply.offset} on instead of "
                f"{buffer.size} from {offset} on"
            )
        await _receive(reply, buffer, patience)


async def _whole(connection: Endpoint, url: str, allocate: Allocate) -> Bytes:
    attempt = partial(_attempt_whole, connection, url, allocate)
    content, version, started = await connection.request(attempt, shown(url))
    rest = _parts(started, content[started:])
    if rest:
        await _fetch(connection, url, version, rest)
    return content


async def _attempt_whole(
    connection: Endpoint, url: str, allocate: Allocate
) -> tuple[Bytes, Version, int]:
    """Fetch the first part, or the whole object where the server ignores ranges."""
    patience = _Patience(connection.limits.stall_seconds)
    async with patience, connection.service.get(url, 0, PART, None) as reply:
        size = reply.version.size
        if (reply.offset, reply.length) != (0, min(size, PART) if reply.ranged else size):
            raise Passing(f"the server sent {reply.length} bytes from {reply.offset} on of {size}")
        check_claim(shown(url), size)
        content: Bytes = allocate((size,), np.uint8)
        await _receive(reply, content[: reply.length], patience)
        return content, reply.version, reply.length


async def _receive(reply: Reply, buffer: Bytes, patience: _Patience) -> None:
    filled = 0
    target = buffer.data
    while filled < buffer.size:
        piece = await reply.read()
        patience.renew()
        if not piece or filled + len(piece) > buffer.size:
            raise Passing(f"{filled + len(piece)} bytes came instead of {buffer.size}")
        target[filled : filled + len(piece)] = piece
        filled += len(piece)


class _Patience:
    """Ends a block by `Passing` when no byte has come for some time."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    async def __aenter__(self) -> None:
        self._timeout = asyncio.timeout(self._seconds)
        await self._timeout.__aenter__()

    async def __aexit__(self, *raised: Any) -> None:
        try:
            await self._timeout.__aexit__(*raised)
        except TimeoutError:
            raise Passing(f"no byte came for {self._seconds:g} s") from None

    def renew(self) -> None:
        self._timeout.reschedule(asyncio.get_running_loop().time() + self._seconds)


def _described(version: Version) -> str:
    return f"{version.size} bytes, {version.tag or version.modified or 'without a tag'}"
