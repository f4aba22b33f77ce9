"""The HTTP server: the Open Inference Protocol for one model, on one port.

The event loop reads requests and writes responses. The pipeline's own threads compute. Requests
whose client is gone are dropped before their batch begins.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from ..engine.errors import MissingDependencyError, install_hint
from .admission import Admission
from .batcher import Batcher
from .model import Model
from .model_config import model_config, tensor_metadata
from .requests import NOT_FOUND, TOO_LARGE, RequestError

try:
    from aiohttp import web

    from .bodies import body_of, send, too_large
    from .connections import Connections, server_log
    from .open_inference import SIZE_HEADER, parse_request, response_bytes, write_response
except ImportError as error:
    raise MissingDependencyError(
        f"a server needs aiohttp and orjson ({error}): {install_hint('serve')}", name=error.name
    ) from error

DRAIN_SECONDS = 60
"""Seconds for the requests in the server, once it shall end."""

MOST_BYTES = 1 << 30
"""Bytes of all requests in the server at a time, unless one may be as large as that."""

STUCK_SECONDS = 60
"""Seconds after which a batch that is computed makes the server not ready: a function of the user
may hang, and no request would get an answer."""

LARGE_BYTES = 1 << 20
"""Bytes of a request or a response from which on a thread reads or writes it. The event loop would
answer nobody for some 10 ms."""

_VERSION = "1"
_EXTENSIONS = ["binary_tensor_data", "model_configuration", "model_repository", "statistics"]

_LOG = logging.getLogger("penstock.serving")

_Result = TypeVar("_Result")
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class ServerLimits:
    """What a server takes.

    Attributes:
        max_delay: seconds for which a batch that is not full waits for more requests.
        max_request_bytes: of one request, decompressed.
        max_response_bytes: of the outputs of one request, in JSON or as binary data.
        max_requests: that are in the server at a time.
    """

    max_delay: float = 0.0
    max_request_bytes: int = 64 << 20
    max_response_bytes: int = 256 << 20
    max_requests: int = 1024


class Server:
    """Answers the requests for a model.

    Args:
        model: to serve. `run` closes it.
        limits: what the server takes.
    """

    def __init__(self, model: Model, limits: ServerLimits) -> None:
        self._model = model
        self._limits = limits
        self._batcher: Batcher
        self._admission: Admission
        self._connections: Connections
        self._ended, self._hurried = asyncio.Event(), asyncio.Event()

    def end(self) -> None:
        """Let `run` answer the requests that are there, and return; at the second call, at once.

        This is for the thread of the event loop.
        """
        (self._hurried if self._ended.is_set() else self._ended).set()

    async def run(self, host: str, port: int, started: Callable[[str], None]) -> None:
        """Serve until `end` is called.

        Args:
            host, port: to listen to; port 0 takes a free one.
            started: called with the address once requests are answered.

        Raises:
            OSError: the server cannot listen there.
            Exception: of the pipeline, which computes no more.
        """
        limits = self._limits
        self._batcher = Batcher(self._model, limits.max_delay)
        largest = limits.max_request_bytes + limits.max_response_bytes
        self._admission = Admission(limits.max_requests, max(MOST_BYTES, largest))
        runner = web.AppRunner(
            self._application(),
            access_log=None,
            handler_cancellation=True,
            logger=server_log(),
            shutdown_timeout=1.0,
        )
        try:
            await runner.setup()
            server = runner.server
            assert server is not None
            self._connections = Connections(server, lambda: len(server.connections))
            loop = asyncio.get_running_loop()
            listener = await loop.create_server(
                self._connections.accept, host, port, backlog=1024, reuse_address=True
            )
            started(_address(listener))
            await _first(self._ended.wait(), asyncio.shield(self._batcher.broken))
            listener.close()
            if not self._batcher.broken.done():
                await _first(
                    self._admission.close(), self._hurried.wait(), asyncio.sleep(DRAIN_SECONDS)
                )
        finally:
            await runner.cleanup()
            is_broken = self._batcher.broken.done()
            await asyncio.to_thread(self._batcher.close)
            if is_broken:
                self._batcher.broken.result()

    def _application(self) -> web.Application:
        application = web.Application(middlewares=[self._count_head, _errors_as_json])
        router = application.router
        models = ("/v2/models/{model}", "/v2/models/{model}/versions/{version}")
        for model in models:  # first, because the router tries one after the other
            router.add_post(f"{model}/infer", self._of_model(self._infer))
        router.add_get("/v2", self._server_metadata)
        router.add_get("/v2/health/live", self._live)
        router.add_get("/v2/health/ready", self._ready)
        router.add_post("/v2/repository/index", self._index)
        router.add_get("/v2/models/stats", self._statistics)
        for model in models:
            router.add_get(model, self._of_model(self._metadata))
            router.add_get(f"{model}/ready", self._of_model(self._ready))
            router.add_get(f"{model}/config", self._of_model(self._config))
            router.add_get(f"{model}/stats", self._of_model(self._statistics))
        return application

    @web.middleware
    async def _count_head(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        self._connections.heard(request.transport)
        return await handler(request)

    def _of_model(self, handler: _Handler) -> _Handler:
        async def handle(request: web.Request) -> web.StreamResponse:
            name, version = request.match_info["model"], request.match_info.get("version")
            if name != self._model.name or version not in (None, _VERSION):
                which = f"model {name!r}" + (f" of version {version!r}" if version else "")
                raise RequestError(
                    f"there is no {which}; the model here is {self._model.name!r} of version "
                    f"{_VERSION!r}",
                    NOT_FOUND,
                )
            return await handler(request)

        return handle

    async def _server_metadata(self, _: web.Request) -> web.Response:
        from .. import __version__

        return web.json_response(
            {"name": "penstock", "version": __version__, "extensions": _EXTENSIONS}
        )

    async def _live(self, _: web.Request) -> web.Response:
        return web.json_response({"live": True})

    async def _ready(self, _: web.Request) -> web.Response:
        batcher = self._batcher
        works = not batcher.broken.done() and batcher.seconds_of_oldest < STUCK_SECONDS
        is_ready = self._admission.is_open and works
        return web.json_response({"ready": is_ready}, status=200 if is_ready else 503)

    async def _index(self, _: web.Request) -> web.Response:
        return web.json_response(
            [{"name": self._model.name, "version": _VERSION, "state": "READY"}]
        )

    async def _metadata(self, _: web.Request) -> web.Response:
        return web.json_response(
            {
                "name": self._model.name,
                "versions": [_VERSION],
                "platform": "penstock",
                "inputs": tensor_metadata(self._model.inputs),
                "outputs": tensor_metadata(self._model.outputs),
            }
        )

    async def _config(self, _: web.Request) -> web.Response:
        return web.json_response(model_config(self._model, self._limits.max_delay))

    async def _statistics(self, _: web.Request) -> web.Response:
        statistics = self._batcher.statistics.as_json(self._model.name)
        return web.json_response({"model_stats": [statistics]})

    async def _infer(self, request: web.Request) -> web.StreamResponse:
        most = self._limits.max_request_bytes
        length = request.content_length
        if length is not None and length > most:
            raise too_large(f"{length:,}", most)
        is_plain = length is not None and "Content-Encoding" not in request.headers
        with self._admission.admitted(length if is_plain and length is not None else most):
            body = await body_of(request, most)
            parsed = await _in_thread_if_large(
                len(body),
                parse_request,
                body,
                request.headers.get(SIZE_HEADER),
                self._model.inputs,
                list(self._model.outputs),
                self._model.max_batch_size,
            )
            del body
            outputs = await self._batcher.answer(parsed.samples)
            size = response_bytes(parsed, outputs)
            if size > self._limits.max_response_bytes:
                raise RequestError(
                    f"the outputs take up to {size:,} bytes; the server sends "
                    f"{self._limits.max_response_bytes:,} at most. Ask for smaller outputs, for "
                    "fewer samples, or for binary data",
                    TOO_LARGE,
                )
            with self._admission.counted(size):
                parts = await _in_thread_if_large(
                    size, write_response, self._model.name, parsed, outputs
                )
                return await send(request, parts)


@web.middleware
async def _errors_as_json(request: web.Request, handler: _Handler) -> web.StreamResponse:
    """Return an error as the protocol has it: JSON with an `error`."""
    try:
        return await handler(request)
    except RequestError as error:
        notes = getattr(error, "__notes__", ())  # of errors of the pipeline; they name its files
        if notes:
            _LOG.warning("a request failed: %s", "; ".join([str(error), *notes]))
        return web.json_response({"error": str(error)}, status=error.status)
    except web.HTTPException as error:
        text = f"{request.method} {request.path}: {error.reason}"
        return web.json_response({"error": text}, status=error.status)


async def _in_thread_if_large(
    size: int, function: Callable[..., _Result], *arguments: object
) -> _Result:
    """Call a function, in a thread if it works on many bytes."""
    if size < LARGE_BYTES:
        return function(*arguments)
    return await asyncio.to_thread(function, *arguments)


def _address(listener: asyncio.Server) -> str:
    host, port = listener.sockets[0].getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def _first(*waits: Awaitable[object]) -> None:
    """Wait for the first of these; do not wait for the others."""
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
