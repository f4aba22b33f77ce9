"""How many requests, and how many bytes of them and of responses, a server has at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from .requests import BUSY, RequestError


class Admission:
    """Counts the requests in the server. All methods are for the thread of the event loop.

    Args:
        most_requests, most_bytes: more of them are refused.
    """

    def __init__(self, most_requests: int, most_bytes: int) -> None:
        self._most_requests = most_requests
        self._most_bytes = most_bytes
        self._requests = self._bytes = 0
        self._is_closed = False
        self._empty = asyncio.Event()
        self._empty.set()

    @property
    def is_open(self) -> bool:
        """Whether requests are admitted."""
        return not self._is_closed

    @contextmanager
    def admitted(self, size: int) -> Iterator[None]:
        """Have a request of so many bytes in the server during this block.

        Raises:
            RequestError: the server is full or ends.
        """
        if self._is_closed:
            raise RequestError("the server ends, and takes no more requests", BUSY)
        if self._requests >= self._most_requests:
            raise RequestError(
                f"the server has {self._requests} requests already, and takes no more at a time; "
                "send the request again later",
                BUSY,
            )
        with self.counted(size):
            self._requests += 1
            self._empty.clear()
            try:
                yield
            finally:
                self._requests -= 1
                if not self._requests:
                    self._empty.set()

    @contextmanager
    def counted(self, size: int) -> Iterator[None]:
        """Have so many bytes more of requests and responses in the server during this block.

        Raises:
            RequestError: the server is full.
        """
        if self._bytes + size > self._most_bytes:
            raise RequestError(
                f"the server has requests and responses of {self._bytes:,} bytes already, and "
                f"takes no more than {self._most_bytes:,} at a time; send the request again later",
                BUSY,
            )
        self._bytes += size
        try:
            yield
        finally:
            self._bytes -= size

    async def close(self) -> None:
        """Admit no more requests, and wait until none is left."""
        self._is_closed = True
        await self._empty.wait()
