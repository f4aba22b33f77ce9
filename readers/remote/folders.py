"""Class folders in object stores, and behind web servers whose pages list their folders."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...engine.errors import SourceError
from ..listing.class_folders import ClassFolders, Entry
from ..source import UnavailableError
from ..storage.urls import Url, shown
from .endpoint import Endpoint, endpoint
from .requests import Requests, ServiceRequest


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
        self._options = options

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
        texts = [os.fsdecode(url).rstrip("/") + "/" for url in urls]
        return [
            [(os.fsencode(name), is_folder) for name, is_folder in entries]
            for entries in list_folders(texts, self._options)
        ]


def list_folders(urls: Sequence[str], options: Mapping[str, Any]) -> list[list[tuple[str, bool]]]:
    """Return the entries of each folder, whose path ends in a slash: see `Service.entries`.

    Raises:
        SourceError: a folder is not there, or cannot be listed. UnavailableError: no answer came.
    """
    if not urls:
        return []
    place = endpoint(urls[0], options)
    found: dict[int, list[tuple[str, bool]]] = {}
    requests = [
        ServiceRequest(
            partial(_entries, place, url),
            partial(found.__setitem__, number),
            f"the list of {shown(url)}",
        )
        for number, url in enumerate(urls)
    ]
    Requests(place, requests).result()
    return [found[number] for number in range(len(urls))]


def _entries(place: Endpoint, url: str) -> Iterator[list[tuple[str, bool]]]:
    try:
        yield place.service.entries(url)
    except FileNotFoundError:
        raise SourceError(f"there is no folder {shown(url)}") from None
    except PermissionError as error:
        raise SourceError(f"{shown(url)} cannot be listed: {shown(str(error))}") from None


def folders_entries(
    urls: Sequence[Url], options: Mapping[str, Any]
) -> list[tuple[list[str], list[str]]]:
    """Return the names of each folder's files and of its folders, sorted, hidden ones too.

    A folder that is not there, or that the service cannot list, has no entries.
    """
    try:
        listed = list_folders([url.as_folder() for url in urls], options)
    except UnavailableError:
        raise
    except SourceError:
        if len(urls) == 1:
            return [([], [])]
        return [names for url in urls for names in folders_entries([url], options)]
    return [
        (sorted(n for n, inner in entries if not inner), sorted(n for n, inner in entries if inner))
        for entries in listed
    ]
