"""Connections to a server: how many there may be, and how long one may stay without a request.

connection made ──► first head ──► request ──► response ──► next head ...
'── HEAD_SECONDS ──'
"""

from __future__ import annotations

import asyncio
import logging
import resource
from collections.abc import Callable
from typing import Any

from aiohttp.http_exceptions import HttpProcessingError

HEAD_SECONDS = 10.0
"""Seconds from a connection to the end of its first head. A client that sends none would keep a
descriptor."""

MOST_CONNECTIONS = 4096
"""Connections at a time. Each takes some 20 KB, and more while it has a request."""

FRACTION_OF_DESCRIPTORS = 0.5
"""Fraction of the process's limit (`ulimit -n`), where that gives fewer."""


def most_connections() -> int:
    """Return how many connections a server may have at a time."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return max(1, min(MOST_CONNECTIONS, int(limit * FRACTION_OF_DESCRIPTORS)))


class Connections:
    """The connections of a server. All methods are for the thread of the event loop.

    If there are too many, the one that has waited longest for its first head makes room. If all
    have sent one, the new connection is closed.

    Args:
        handler: makes the protocol that serves a connection.
        count: returns how many connections are served.
    """

    def __init__(
        self, handler: Callable[[], asyncio.BaseProtocol], count: Callable[[], int]
    ) -> None:
        self._handler = handler
        self._count = count
        self._most = most_connections()
        self._silent: dict[asyncio.BaseTransport, asyncio.TimerHandle] = {}  # the oldest first

    def accept(self) -> asyncio.Protocol:
        """Return the protocol of a new connection."""
        return _Accepted(self)

    def made(self, transport: asyncio.Transport) -> None:
        """Have a connection served, or close it."""
        if self._count() >= self._most:
            silent = next((each for each in self._silent if not each.is_closing()), None)
            if silent is None:
                transport.abort()
                return
            self._close(silent)
        loop = asyncio.get_running_loop()
        self._silent[transport] = loop.call_later(HEAD_SECONDS, self._close, transport)
        protocol = self._handler()
        transport.set_protocol(protocol)
        protocol.connection_made(transport)

    def heard(self, transport: asyncio.BaseTransport | None) -> None:
        """Note that a connection has sent a head."""
        timer = None if transport is None else self._silent.pop(transport, None)
        if timer is not None:
            timer.cancel()

    def _close(self, transport: asyncio.BaseTransport) -> None:
        self._silent.pop(transport).cancel()
        assert isinstance(transport, asyncio.Transport)
        transport.abort()


class _Accepted(asyncio.Protocol):
    """The protocol of a connection until it is served."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._connections.made(transport)


class OneLine(logging.Filter):
    """Tells in one line that a head was malformed: its traceback is aiohttp's alone."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Shorten a record; keep all records."""
        error: Any = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
        if isinstance(error, HttpProcessingError):
            text = " ".join(error.message.split())
            record.msg, record.args = f"{record.getMessage()}: {text:.200}", ()
            record.levelno, record.levelname = logging.WARNING, "WARNING"
            record.exc_info = record.exc_text = None
        return True


def server_log() -> logging.Logger:
    """Return where aiohttp writes about connections."""
    log = logging.getLogger("penstock.serving.http")
    if not any(isinstance(each, OneLine) for each in log.filters):
        log.addFilter(OneLine())
    return log
