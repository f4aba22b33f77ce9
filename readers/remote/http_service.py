"""Objects behind HTTP, through fsspec's aiohttp session."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from yarl import URL

from ...engine.errors import SourceError
from ..storage.urls import shown
from .retries import Passing
from .service import PIECE, Reply, Service, Version, refusal

_CONTENT_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")
_EMPTY = re.compile(r"bytes \*/0")
# Options that make fsspec's session or its lists of links; requests take the others.
_OF_SESSION = frozenset({"client_kwargs", "encoded", "get_client", "same_scheme", "simple_links"})


class HttpService(Service):
    """Makes its own requests in fsspec's session, because fsspec's `cat_file` hides the headers.

    Without the headers, a server that ignores ranges would send an object of any size into memory,
    and a replaced object would go unnoticed.
    """

    @asynccontextmanager
    async def get(
        self, url: str, offset: int, length: int, known: Version | None
    ) -> AsyncIterator[Reply]:
        """See `Service.get`."""
        session = await self.fs.set_session()
        options = {name: self.options[name] for name in self.options.keys() - _OF_SESSION}
        headers = {
            **options.pop("headers", {}),
            "Range": f"bytes={offset}-{offset + length - 1}",
            "Accept-Encoding": "identity",  # Ranges count the bytes as they are stored.
        }
        options.setdefault("timeout", aiohttp.ClientTimeout(total=None))
        try:
            async with session.get(
                URL(url, encoded=self.options.get("encoded", False)),
                headers=headers,
                read_bufsize=PIECE,
                **options,
            ) as response:
                yield _reply(url, response)
        # `from None`: these errors show the whole URL.
        except aiohttp.InvalidURL:
            raise SourceError(f"{shown(url)} is no valid URL") from None
        except aiohttp.TooManyRedirects as error:
            raise SourceError(
                f"{shown(url)}: gave up after {len(error.history)} redirects; the server sends "
                "requests in a circle"
            ) from None
        except (aiohttp.ClientSSLError, aiohttp.ClientResponseError) as error:
            raise SourceError(f"{shown(url)}: {shown(str(error))}") from None
        except (aiohttp.ClientError, ConnectionError) as error:
            reason = shown(str(error)) or type(error).__name__
            raise Passing(f"the connection failed ({reason})") from None


class _HttpReply(Reply):
    def __init__(self, response: aiohttp.ClientResponse, version: Version) -> None:
        self._content = response.content
        self.version = version
        self.offset = 0
        self.length = version.size

    async def read(self) -> bytes:
        return await self._content.readany()


def _reply(url: str, response: aiohttp.ClientResponse) -> Reply:
    headers = response.headers
    given = headers.get("Content-Range", "")
    marks = headers.get("ETag", ""), headers.get("Last-Modified", "")
    if response.status == 206 and (match := _CONTENT_RANGE.fullmatch(given)):
        first, last, size = map(int, match.groups())
        reply = _HttpReply(response, Version(size, *marks))
        reply.offset, reply.length = first, last + 1 - first
        return reply
    if response.status == 206:
        raise Passing(f"the server's Content-Range is {given!r}")
    if response.status == 416 and _EMPTY.fullmatch(given):
        return _HttpReply(response, Version(0, *marks))
    if response.status != 200:
        raise refusal(url, response.status, response.reason or "")
    reply = _HttpReply(response, Version(_size(url, headers), *marks))
    reply.ranged = False
    return reply


def _size(url: str, headers: Any) -> int:
    if headers.get("Content-Encoding", "identity") != "identity":
        raise SourceError(
            f"{shown(url)}: the server sends it compressed and ignores both `Range` and "
            "`Accept-Encoding: identity`; switch the compression off there"
        )
    try:
        return int(headers["Content-Length"])
    except (KeyError, ValueError):
        raise SourceError(
            f"{shown(url)}: the server neither serves ranges nor tells the object's size"
        ) from None
