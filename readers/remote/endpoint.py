"""The connections of one service, and the limit of its concurrent requests."""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import Future
from types import ModuleType
from typing import Any, TypeVar

from ...engine.errors import ArgumentError, MissingDependencyError, install_hint
from ..source import UnavailableError
from ..storage.urls import shown
from .retries import Limits, persist, split_options
from .service import Service

Answer = TypeVar("Answer")

_HTTP = ("http", "https")
_S3 = ("s3", "s3a")
_ANY_HOST = _HTTP + _S3  # protocols whose connections serve all hosts and buckets
_INSTALL = {
    **dict.fromkeys(("gs", "gcs"), "pip install gcsfs"),
    **dict.fromkeys(("az", "abfs", "abfss"), "pip install adlfs"),
}


class Endpoint:
    """One service with one set of options, shared by all objects in it.

    All requests of the process run in fsspec's event loop, which is one thread. A thread for each
    request would contend for the GIL.
    """

    def __init__(self, url: str, options: Mapping[str, Any]) -> None:
        self.limits, rest = split_options(options)
        self.service = _service(url, rest, self.limits)
        self._slots = asyncio.Semaphore(self.limits.at_once)
        self._loop: asyncio.AbstractEventLoop = fsspec_module("fsspec.asyn").get_loop()

    def start(self, work: Coroutine[Any, Any, Answer]) -> Future[Answer]:
        """Start `work` in the event loop's thread."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def request(self, attempt: Callable[[], Awaitable[Answer]], what: str) -> Answer:
        """Run `attempt` when a slot is free, and again when it fails: see `persist`.

        A request keeps its slot while it waits for the next attempt, so an overloaded service gets
        fewer requests.
        """
        await self.service.connect()
        async with self._slots:
            return await persist(attempt, what, self.limits)


# By process, because neither threads nor connections survive a fork. The child keeps the parent's
# entries: dropping them would close sockets that the parent uses.
_endpoints: dict[tuple[int, str, str], Endpoint] = {}


def endpoint(url: str, options: Mapping[str, Any]) -> Endpoint:
    """Return the endpoint of an object.

    Raises:
        MissingDependencyError: the library for its protocol is not installed.
        ArgumentError: no library knows the protocol, or the options are wrong.
    """
    scheme, _, rest = url.partition("://")
    host = "" if scheme in _ANY_HOST else rest.partition("/")[0]
    key = os.getpid(), f"{scheme}://{host}", repr(sorted(options.items()))
    held = _endpoints.get(key)
    if held is None:
        held = _endpoints.setdefault(key, Endpoint(url, options))
    return held


def fsspec_module(name: str) -> ModuleType:
    """Import a module of fsspec's; say what to install if it is missing."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingDependencyError(
            f"URLs are read through fsspec ({error}): {install_hint('remote')}"
        ) from error


def _service(url: str, options: dict[str, Any], limits: Limits) -> Service:
    protocol = url.partition("://")[0].lower()
    try:
        if protocol in _S3:
            options = _s3_options(options, limits)
        url_to_fs = fsspec_module("fsspec.core").url_to_fs
        fs, _ = url_to_fs(url, **options, skip_instance_cache=True)
        return _service_class(protocol)(fs, limits, options)
    except MissingDependencyError:
        raise
    except ImportError as error:
        wanted = install_hint("remote") if protocol in _ANY_HOST else _INSTALL.get(protocol)
        raise MissingDependencyError(
            f"{shown(url)}: the library for {protocol}:// is not installed: "
            + (wanted or str(error))
        ) from error
    except ValueError as error:
        raise ArgumentError(f"{shown(url)}: {error}") from error
    except TypeError as error:
        raise ArgumentError(f"{shown(url)}: `storage_options` do not fit: {error}") from error
    except OSError as error:  # of a protocol that connects at once, such as ftp://
        raise UnavailableError(f"{shown(url)}: no connection: {error}") from error


def _s3_options(options: dict[str, Any], limits: Limits) -> dict[str, Any]:
    """Return `options` for s3fs with one connection for each request, and without retries.

    botocore's retries would multiply with the retries of `persist`.
    """
    config = {
        "max_pool_connections": limits.at_once,
        "retries": {"max_attempts": 0},
        "connect_timeout": limits.stall_seconds,
        "read_timeout": 2
        * limits.stall_seconds,  # `stall_seconds` comes first, with a better message
        **options.get("config_kwargs", {}),
    }
    return {**options, "config_kwargs": config}


def _service_class(protocol: str) -> type[Service]:
    # Imported here, because two of these modules need libraries that may not be installed.
    if protocol in _S3:
        from .s3_service import S3Service

        return S3Service
    if protocol in _HTTP:
        from .http_service import HttpService

        return HttpService
    from .fsspec_service import FsspecService

    return FsspecService
