"""Folders of data sets on the Hub: class folders, and patterns of files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ...engine.errors import SourceError
from ..listing.class_folders import Entry
from ..listing.path_globs import path_glob
from ..remote.folders import RemoteClassFolders
from .names import hub_name
from .repository import pinned, repository

_NAMED = 6
"""Files that a message names."""


class HubClassFolders(RemoteClassFolders):
    """See `ClassFolders`; the list of the data set has all of them."""

    def __init__(
        self,
        options: Mapping[str, Any],
        root: bytes,
        file_filters: Sequence[str],
        dir_filters: Sequence[str] | None,
        *,
        case_sensitive: bool,
    ) -> None:
        """`options` are `Reader.storage_options`, of which the list of files needs none."""
        root = os.fsencode(pinned(os.fsdecode(root)).rstrip("/") + "/")
        super().__init__(options, root, file_filters, dir_filters, case_sensitive=case_sensitive)

    def _list(self, urls: list[bytes]) -> list[list[Entry]]:
        return [self._entries(os.fsdecode(url)) for url in urls]

    @staticmethod
    def _entries(url: str) -> list[Entry]:
        name = hub_name(url)
        files, folders = repository(name).folder(name.path)
        if name.path.strip("/") and not files and not folders:
            raise SourceError(f"there is no folder {url}")
        return [(os.fsencode(file), False) for file in files] + [
            (os.fsencode(folder), True) for folder in folders
        ]


def names_in(url: str) -> tuple[list[str], list[str]]:
    """Return the names of a folder's files and of its folders, sorted; or none."""
    name = hub_name(pinned(url))
    return repository(name).folder(name.path)


def matching_names(url: str) -> list[str]:
    """Return the names of the files that a glob on the Hub stands for, sorted.

    Raises:
        SourceError: no file fits.
    """
    name = hub_name(pinned(url))
    files, fits = repository(name).files, path_glob(name.path)
    found = [str(name._replace(path=path)) for path in files if fits(path)]
    if not found:
        some = ", ".join(list(files)[:_NAMED]) or "nothing"
        raise SourceError(f"no file matches the pattern {str(name)!r}; it holds {some}")
    return found
