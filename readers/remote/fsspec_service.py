"""Objects of all other services that fsspec knows, through `info` and `cat_file`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from errno import EISDIR
from typing import Any

from ...engine.errors import SourceError
from ..storage.urls import shown
from .retries import Limits, Passing
from .service import Reply, Service, Version

_TAGS = ("etag", "ETag", "md5Hash", "content_md5", "checksum")
_TIMES = ("mtime", "last_modified", "LastModified", "updated", "modified", "created")


class FsspecService(Service):
    """Asks for an object's version only when the object is opened.

    `cat_file` does not tell the version of its bytes, and asking each time would double the
    requests. So an object that is replaced while it is open is noticed only if the new object is
    shorter.
    """

    def __init__(self, fs: Any, limits: Limits, options: Mapping[str, Any]) -> None:
        super().__init__(fs, limits, options)
        # File systems without coroutines, such as FTP's, may have one connection for all threads.
        self._one_call = asyncio.Semaphore(1)

    @asynccontextmanager
    async def get(
        self, url: str, offset: int, length: int, known: Version | None
    ) -> AsyncIterator[Reply]:
        """See `Service.get`."""
        try:
            version = known or _version(url, await self._call("info", url))
            stop = min(offset + length, version.size)
            content = b""
            if offset < stop:
                content = await self._call("cat_file", url, start=offset, end=stop)
        except (FileNotFoundError, PermissionError, IsADirectoryError, SourceError):
            raise
        except (OSError, TimeoutError) as error:
            raise Passing(f"{type(error).__name__}: {shown(str(error))}") from None
        except Exception as error:
            raise SourceError(
                f"{shown(url)}: {type(error).__name__}: {shown(str(error))}"
            ) from None
        yield _FsspecReply(version, offset, content)

    async def _call(self, name: str, *arguments: Any, **options: Any) -> Any:
        if self.fs.async_impl:
            return await getattr(self.fs, "_" + name)(*arguments, **options)
        async with self._one_call:
            return await asyncio.to_thread(getattr(self.fs, name), *arguments, **options)


class _FsspecReply(Reply):
    def __init__(self, version: Version, offset: int, content: bytes) -> None:
        self.version = version
        self.offset = offset
        self.length = len(content)
        self._content = content

    async def read(self) -> bytes:
        content, self._content = self._content, b""
        return content


def _version(url: str, info: dict[str, Any]) -> Version:
    if info.get("type") == "directory":
        raise IsADirectoryError(EISDIR, "Is a directory, an object is needed", shown(url))
    size = info.get("size")
    if size is None:
        raise SourceError(f"{shown(url)}: the service does not tell the object's size")
    return Version(int(size), _first(info, _TAGS), _first(info, _TIMES))


def _first(info: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((str(info[name]) for name in names if info.get(name)), "")
