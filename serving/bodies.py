"""The bodies of requests and responses, which slow clients must not hold up."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext

from aiohttp import web

from .open_inference import SIZE_HEADER
from .requests import TIMEOUT, TOO_LARGE, RequestError

BODY_SECONDS = 60
"""Seconds for a client to send its request, or to take its response. Slower ones would keep their
place, and memory of a batch, for ever."""


async def body_of(request: web.Request, most: int) -> bytes:
    """Return the body of a request, decompressed, of at most so many bytes."""
    parts, size = [], 0
    content = request.content
    try:
        # A timeout costs as much as all else here, and most bodies come with their head.
        async with nullcontext() if content.is_eof() else asyncio.timeout(BODY_SECONDS):
            while part := await content.readany():
                parts.append(part)
                size += len(part)
                if size > most:
                    raise too_large(f"more than {most:,}", most)
    except TimeoutError:
        text = f"the request did not come within {BODY_SECONDS} s"
        raise RequestError(text, TIMEOUT) from None
    except web.RequestPayloadError as error:
        raise RequestError(f"the request's bytes are damaged: {error}") from None
    return b"".join(parts)  # no copy of one part


async def send(request: web.Request, parts: list[bytes | memoryview]) -> web.StreamResponse:
    """Send a response in parts: to join large ones would copy the outputs.

    The first part goes in one piece with the headers.
    """
    headers = {"Content-Type": "application/json", "Content-Length": str(sum(map(len, parts)))}
    if len(parts) > 1:
        headers["Content-Type"] = "application/octet-stream"
        headers[SIZE_HEADER] = str(len(parts[0]))
    response = web.Response(headers=headers)
    transport = request.transport
    if transport is None:
        raise ConnectionResetError("the client is gone")
    slow = asyncio.get_running_loop().call_later(BODY_SECONDS, transport.abort)
    try:
        await response.prepare(request)
        for part in parts:
            await response.write(part)
        await response.write_eof()
    finally:
        slow.cancel()
    return response


def too_large(size: str, most: int) -> RequestError:
    """Return the error of a request with so many bytes."""
    return RequestError(f"the request has {size} bytes; the server takes {most:,}", TOO_LARGE)
