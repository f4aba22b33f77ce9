"""The connections of one service, and how many requests it gets at once."""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import Future
from types import ModuleType
from typing import Any, TypeVar

from ...engine.errors import ArgumentError, MissingDependencyError
from .retries import Limits, persist, split_options
from .service import Service, shown

Result = TypeVar("Result")

_HTTP = ("http", "https")
_S3 = ("s3", "s3a")
_INSTALL = {
    **dict.fromkeys(_HTTP + _S3, "'penstock[remote]'"),
    **dict.fromkeys(("gs", "gcs"), "gcsfs"),
    **dict.fromkeys(("az", "abfs", "abfss"), "adlfs"),
}


class Endpoint:
    """One service with one set of options, shared by all objects in it.

    All requests run in fsspec's event loop, one thread for the whole process: a thread for
    each request would cost more of the interpreter's lock.
    """

    def __init__(self, url: str, options: Mapping[str, Any]) -> None:
        self.limits, rest = split_options(options)
        self.service = _service(url, rest, self.limits)
        self._slots = asyncio.Semaphore(self.limits.at_once)
        self._loop: asyncio.AbstractEventLoop = fsspec_module("fsspec.asyn").get_loop()

    def start(self, work: Coroutine[Any, Any, Result]) -> Future[Result]:
        """Begin `work` in the event loop's thread."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def request(self, attempt: Callable[[], Awaitable[Result]], what: str) -> Result:
        """Run `attempt` when its turn comes, and again when it fails: see `persist`.

        A request keeps its turn while it waits to be tried again: a service that is
        overloaded gets fewer requests then.
        """
        await self.service.connect()
        async with self._slots:
            return await persist(attempt, what, self.limits)


# By process, because neither threads nor connections survive a fork. The parent's entries are
# kept in the child: to drop them would close sockets that the parent uses.
_endpoints: dict[tuple[int, str, str], Endpoint] = {}


def endpoint(url: str, options: Mapping[str, Any]) -> Endpoint:
    """Return the endpoint of an object.

    Raises:
        MissingDependencyError: the library for its protocol is not installed.
        ArgumentError: no library knows the protocol, or the options are wrong.
    """
    key = os.getpid(), url.partition("://")[0], repr(sorted(options.items()))
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
            f"URLs are read through fsspec ({error}): pip install 'penstock[remote]'"
        ) from error


def _service(url: str, options: dict[str, Any], limits: Limits) -> Service:
    protocol = url.partition("://")[0].lower()
    try:
        if protocol in _S3:
            options = _s3_options(options, limits)
        find_class = fsspec_module("fsspec").get_filesystem_class
        fs = find_class(protocol)(**options, skip_instance_cache=True)
        return _kind(protocol)(fs, limits)
    except MissingDependencyError:
        raise
    except ImportError as error:
        wanted = _INSTALL.get(protocol)
        raise MissingDependencyError(
            f"{shown(url)}: the library for {protocol}:// is not installed: "
            + (f"pip install {wanted}" if wanted else str(error))
        ) from error
    except ValueError as error:
        raise ArgumentError(f"{shown(url)}: {error}") from error
    except TypeError as error:
        raise ArgumentError(f"{shown(url)}: `storage_options` do not fit: {error}") from error


def _s3_options(options: dict[str, Any], limits: Limits) -> dict[str, Any]:
    """Return `options` for s3fs with as many connections as requests, and no retries of its own.

    botocore's retries would multiply with ours, and their time with it.
    """
    config = {
        "max_pool_connections": limits.at_once,
        "retries": {"max_attempts": 0},
        "connect_timeout": limits.stall_seconds,
        "read_timeout": 2 * limits.stall_seconds,  # ours comes first, and says what it waited for
        **options.get("config_kwargs", {}),
    }
    return {**options, "config_kwargs": config}


def _kind(protocol: str) -> type[Service]:
    # Imported here: two of these need a library that may not be installed.
    if protocol in _S3:
        from .s3_service import S3Service

        return S3Service
    if protocol in _HTTP:
        from .http_service import HttpService

        return HttpService
    from .fsspec_service import FsspecService

    return FsspecService
