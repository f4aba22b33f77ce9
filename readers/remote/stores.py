"""The stores of obstore: one for each bucket or host, made from `storage_options`."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from threading import Lock
from types import ModuleType
from typing import Any

from ...engine.errors import ArgumentError, MissingDependencyError, install_hint
from ..storage.urls import shown
from .aws import aws_options
from .retries import Limits

HTTP = ("http", "https")
_SCHEMES = {"s3a": "s3", "gcs": "gs", "azure": "az"} | {
    name: name for name in ("s3", "gs", "az", "adl", "abfs", "abfss", *HTTP)
}
ANY_HOST = ("s3", "s3a", *HTTP)
"""Protocols whose requests count together for all hosts and buckets."""

# fsspec's names of options, and obstore's.
_NAMES = {
    "s3": {
        "key": "access_key_id",
        "secret": "secret_access_key",
        "token": "session_token",
        "endpoint_url": "endpoint",
        "region_name": "region",
        "anon": "skip_signature",
        "requester_pays": "request_payer",
    },
    "gs": {
        "token": "application_credentials",
        "endpoint_url": "base_url",
        "anon": "skip_signature",
    },
    "az": {"sas_token": "sas_key", "endpoint_url": "endpoint", "anon": "skip_signature"},
}

_PLAIN = re.compile(r"(?:/[\w~!$&'()*+,;=:@-][\w.~!$&'()*+,;=:@-]*)+", re.ASCII)
"""Paths of URLs that obstore asks for as they are: no queries, escapes, empty or dotted parts."""

_MOST_STORES = 256
"""Stores that an endpoint keeps. A URL with a query has one of its own, with a connection."""


def is_known(url: str, options: Mapping[str, Any]) -> bool:
    """Return whether obstore reads such URLs; fsspec reads buckets of GCS whose readers pay."""
    scheme = _SCHEMES.get(url.partition("://")[0].lower())
    return scheme is not None and not (scheme == "gs" and "requester_pays" in options)


class Stores:
    """The stores of an endpoint."""

    def __init__(self, url: str, options: Mapping[str, Any], limits: Limits) -> None:
        """Take the options, without the limits.

        Raises:
            MissingDependencyError: obstore is not installed.
            ArgumentError: an option is wrong.
        """
        self.library = library()
        self._scheme = _SCHEMES[url.partition("://")[0].lower()]
        self._options = dict(options)
        self._made = lru_cache(_MOST_STORES)(self._make)
        self._lock = Lock()
        self._client = {
            "connect_timeout": f"{round(limits.stall_seconds * 1000)}ms",
            "read_timeout": f"{round(limits.stall_seconds * 1000)}ms",
            "timeout": f"{round(limits.total_seconds * 1000)}ms",
            "pool_max_idle_per_host": str(limits.at_once),
            **self._options.pop("client_options", {}),
        }

    def place(self, url: str) -> tuple[Any, str]:
        """Return the store of an object, and its path there.

        Raises:
            ArgumentError: an option is wrong, or the URL is no valid one.
        """
        scheme, _, rest = url.partition("://")
        host, slash, path = rest.partition("/")
        if self._scheme not in HTTP:
            return self._store(f"{_SCHEMES[scheme.lower()]}://{host}", url), path
        if _PLAIN.fullmatch(slash + path):
            return self._store(f"{scheme}://{host}", url), path
        return self._store(url, url), ""

    def _store(self, base: str, url: str) -> Any:
        try:
            with self._lock:  # of requests at once, the first one makes the store
                return self._made(base)
        except (ArgumentError, MissingDependencyError):
            raise
        except Exception as error:  # of obstore: its classes have no common one but this
            said = shown(str(error).partition("\n")[0])  # a dump of its structures follows
            raise ArgumentError(f"{shown(url)}: {said or type(error).__name__}") from None

    def _make(self, base: str) -> Any:
        options, client = dict(self._options), dict(self._client)
        more: dict[str, Any] = {}
        if self._scheme in HTTP:
            client["default_headers"] = options.pop("headers", {})
            client.setdefault("allow_http", self._scheme == "http")
        else:
            options = _renamed(self._scheme, options)
            if self._scheme == "s3":
                options, more = aws_options(base.partition("://")[2], options)
            client.setdefault("allow_http", _is_plain_http(options))
            more["config"] = options
            options = {}
        if options:
            raise ArgumentError(_unknown(self._scheme, options))
        stores = self.library.store
        make = stores.HTTPStore if self._scheme in HTTP else stores.from_url
        with suppress(self.library.exceptions.UnknownConfigurationKeyError):
            return make(base, client_options=client, retry_config={"max_retries": 0}, **more)
        raise ArgumentError(_unknown(self._scheme, self._options))


def _unknown(scheme: str, options: Mapping[str, Any]) -> str:
    known = ", ".join(sorted(_NAMES.get(scheme, {"headers": ""})))
    return (
        f"`storage_options` do not fit: {', '.join(sorted(options))}; {scheme}:// takes limits, "
        f"client_options, {known}" + (", and obstore's names" if scheme in _NAMES else "")
    )


def _renamed(scheme: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return fsspec's options by obstore's names."""
    names = _NAMES.get(scheme, _NAMES["az"])
    options |= options.pop("client_kwargs", {})
    if options.get("token") == "anon":  # of gcsfs
        options["anon"] = bool(options.pop("token"))
    return {names.get(name, name): value for name, value in options.items() if value is not None}


def _is_plain_http(options: Mapping[str, Any]) -> bool:
    of_services = ("AWS_ENDPOINT", "AZURE_STORAGE_ENDPOINT", "GOOGLE_BASE_URL")
    endpoints = [v for name, v in os.environ.items() if name.startswith(of_services)]
    endpoints += [value for value in options.values() if isinstance(value, str)]
    return any(value.startswith("http://") for value in endpoints)


_stale = False
"""Whether this process is a fork of one that may have used obstore."""


def _notice_fork() -> None:
    global _stale
    _stale = "obstore" in sys.modules


os.register_at_fork(after_in_child=_notice_fork)


def library() -> ModuleType:
    """Return obstore.

    Its threads do not survive a fork: in the child all requests would wait for ever. So a forked
    process loads another copy of the library, out of memory (15 MB, 60 ms).

    Raises:
        MissingDependencyError: it is not installed.
    """
    global _stale
    try:
        import obstore

        if _stale:
            _load_copy(obstore._obstore)
            _stale = False
        module = importlib.import_module("obstore")
        importlib.import_module("obstore.store")
    except ImportError as error:
        raise MissingDependencyError(
            f"URLs are read by obstore ({error}): {install_hint('remote')}"
        ) from error
    return module


def _load_copy(compiled: Any) -> None:
    """Load a copy of obstore's compiled part; the next import of obstore takes that."""
    with open(compiled.__file__, "rb") as file:
        copy = os.memfd_create("obstore")  # stays open: the system maps it
        while os.sendfile(copy, file.fileno(), os.lseek(copy, 0, os.SEEK_END), 1 << 30):
            pass
    for name in [name for name in sys.modules if name.partition(".")[0] == "obstore"]:
        del sys.modules[name]
    loader = ExtensionFileLoader(compiled.__name__, f"/proc/self/fd/{copy}")
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    sys.modules[spec.name] = module = module_from_spec(spec)
    loader.exec_module(module)
