"""Class folders in object stores, and behind web servers whose pages list their folders."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from ...engine.errors import SourceError
from ..interrupt import wait_for
from ..listing.class_folders import ClassFolders, Entry
from ..storage.urls import Url, shown
from .endpoint import endpoint
from .retries import Passing
from .service import refusal


class RemoteClassFolders(ClassFolders):
    """See `ClassFolders`; the class folders are listed concurrently."""

    def __init__(
        self,
        options: Mapping[str, Any],
        root: bytes,
        file_filters: Sequence[str],
        dir_filters: Sequence[str] | None,
        *,
        case_sensitive: bool,
    ) -> None:
        """`options` are `Reader.storage_options`."""
        super().__init__(root, file_filters, dir_filters, case_sensitive=case_sensitive)
        self._endpoint = endpoint(os.fsdecode(root), options)

    def folders(self) -> list[bytes]:
        """Return the names of the class folders, sorted."""
        (entries,) = self._list([self.root])
        folders = {name for name, is_folder in entries if is_folder and self.dir_matches(name)}
        self._beside = [entry for entry in entries if entry[0] not in folders]
        return sorted(folders)

    def listed(self, folders: list[bytes]) -> Iterable[tuple[list[bytes], list[Entry]]]:
        """See `ClassFolders.listed`."""
        return map(self._split, self._list([self.root + folder for folder in folders]))

    def _listed(self, folder: bytes) -> tuple[list[bytes], list[Entry]]:
        (entries,) = self._list([folder])
        return self._split(entries)

    def _split(self, entries: list[Entry]) -> tuple[list[bytes], list[Entry]]:
        matches = self.file_matches
        files = [name for name, is_folder in entries if not is_folder and matches(name)]
        return sorted(files), [entry for entry in entries if entry[1] or not matches(entry[0])]

    def _list(self, urls: list[bytes]) -> list[list[Entry]]:
        return wait_for(self._endpoint.start(self._list_all(urls)))

    async def _list_all(self, urls: list[bytes]) -> list[list[Entry]]:
        requests = []
        for url in map(os.fsdecode, urls):
            attempt = partial(self._attempt, url.rstrip("/") + "/")
            requests.append(self._endpoint.request(attempt, f"the list of {shown(url)}"))
        return list(await asyncio.gather(*requests))

    async def _attempt(self, url: str) -> list[Entry]:
        fs = self._endpoint.service.fs
        fs.invalidate_cache()  # The folder may have changed since an earlier pipeline.
        try:
            if fs.async_impl:
                items = await fs._ls(url, detail=True)
            else:
                items = await asyncio.to_thread(fs.ls, url, detail=True)
        except FileNotFoundError:
            raise SourceError(f"there is no folder {shown(url)}") from None
        except PermissionError as error:
            raise SourceError(f"{shown(url)} cannot be listed: {shown(str(error))}") from None
        except Exception as error:
            raise _listing_error(url, error) from None
        # Some services list the folder itself.
        return [_entry(item) for item in items if not _ends_in(url, item["name"])]


def folder_entries(url: Url, options: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return the names of a folder's files and of its folders, sorted, hidden ones too.

    A folder that is not there, or that the service cannot list, has no entries.
    """
    root = os.fsencode(f"{url.text.rstrip('/')}/")
    try:
        files, folders = RemoteClassFolders(
            options, root, ["*"], None, case_sensitive=True
        ).entries()
    except (SourceError, FileNotFoundError):
        return [], []
    return sorted(files), sorted(folders)


def _listing_error(url: str, error: Exception) -> Exception:
    status = getattr(error, "status", None)  # of aiohttp's ClientResponseError
    if status is not None:
        return refusal(url, status, shown(str(error)))
    if isinstance(error, NotImplementedError):
        return SourceError(f"{shown(url)}: this kind of service cannot list folders; use `files`")
    return Passing(f"{type(error).__name__}: {shown(str(error))}")


def _ends_in(url: str, name: str) -> bool:
    return url.rstrip("/").endswith("/" + name.rstrip("/").rpartition("://")[2])


def _entry(item: dict[str, Any]) -> Entry:
    name = item["name"].rstrip("/").rpartition("/")[2]
    return os.fsencode(name), item["type"] == "directory"
