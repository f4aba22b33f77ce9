"""Objects of all other services that fsspec knows, through `info` and `cat_file`."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from errno import EISDIR
from threading import Lock
from typing import Any

from ...engine.errors import ArgumentError, MissingDependencyError, SourceError, install_hint
from ..source import UnavailableError
from ..storage.urls import shown
from .retries import Limits, Passing
from .service import Entry, Reply, Service, Version

_TAGS = ("etag", "ETag", "md5Hash", "content_md5", "checksum")
_TIMES = ("mtime", "last_modified", "LastModified", "updated", "modified", "created")


class FsspecService(Service):
    """Asks for an object's version only when the object is opened.

    `cat_file` does not tell the version of its bytes, and asking each time would double the
    requests. So an object that is replaced while it is open is noticed only if the new object is
    shorter.
    """

    def __init__(self, url: str, options: Mapping[str, Any], limits: Limits) -> None:
        """Make the file system.

        Raises:
            MissingDependencyError: fsspec, or the library for the protocol, is not installed.
            ArgumentError: fsspec knows no such protocol, or the options are wrong.
            UnavailableError: there is no connection.
        """
        self._fs = _file_system(url, options)
        # File systems without coroutines, such as FTP's, may have one connection for all threads.
        self._turn = nullcontext() if self._fs.async_impl else Lock()

    def get(self, url: str, offset: int | None, length: int, known: Version | None) -> Reply:
        """See `Service.get`."""
        version = known or _version(url, self._call(url, "info", url))
        start = max(0, version.size - length) if offset is None else offset
        stop = max(start, min(start + length, version.size))
        return Reply(version, start, stop - start, self._chunks(url, start, stop))

    def _chunks(self, url: str, start: int, stop: int) -> Iterator[bytes]:
        if start < stop:
            yield self._call(url, "cat_file", url, start=start, end=stop)

    def entries(self, url: str) -> list[Entry]:
        """See `Service.entries`."""
        self._fs.invalidate_cache()  # The folder may have changed since an earlier pipeline.
        items = self._call(url, "ls", url, detail=True)
        own = url.rstrip("/").rpartition("://")[2]
        pairs = [(item["name"].rstrip("/"), item["type"] == "directory") for item in items]
        # Some services list the folder itself.
        return [(n.rpartition("/")[2], inner) for n, inner in pairs if not f"/{own}".endswith(n)]

    def _call(self, url: str, name: str, *arguments: Any, **options: Any) -> Any:
        try:
            with self._turn:
                return getattr(self._fs, name)(*arguments, **options)
        except (FileNotFoundError, PermissionError, IsADirectoryError):
            raise
        except (OSError, TimeoutError) as error:
            raise Passing(f"{type(error).__name__}: {shown(str(error))}") from None
        except NotImplementedError:
            raise SourceError(f"{shown(url)}: this kind of service has no {name!r}") from None
        except Exception as error:
            raise SourceError(
                f"{shown(url)}: {type(error).__name__}: {shown(str(error))}"
            ) from None


def _file_system(url: str, options: Mapping[str, Any]) -> Any:
    try:
        url_to_fs = importlib.import_module("fsspec.core").url_to_fs
    except ImportError as error:
        raise MissingDependencyError(
            f"{shown(url)} is read through fsspec ({error}): {install_hint('remote')}"
        ) from error
    try:
        return url_to_fs(url, **options, skip_instance_cache=True)[0]
    except ImportError as error:
        raise MissingDependencyError(
            f"{shown(url)}: the library for {url.partition(':')[0]}:// is not installed: {error}"
        ) from error
    except ValueError as error:
        raise ArgumentError(f"{shown(url)}: {error}") from error
    except TypeError as error:
        raise ArgumentError(f"{shown(url)}: `storage_options` do not fit: {error}") from error
    except OSError as error:  # of a protocol that connects at once, such as ftp://
        raise UnavailableError(f"{shown(url)}: no connection: {error}") from error


def _version(url: str, info: dict[str, Any]) -> Version:
    if info.get("type") == "directory":
        raise IsADirectoryError(EISDIR, "Is a directory, an object is needed", shown(url))
    size = info.get("size")
    if size is None:
        raise SourceError(f"{shown(url)}: the service does not tell the object's size")
    return Version(int(size), _first(info, _TAGS), _first(info, _TIMES))


def _first(info: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((str(info[name]) for name in names if info.get(name)), "")
