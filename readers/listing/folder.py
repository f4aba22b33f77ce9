"""A folder, local or behind a URL, whose layout is asked for."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

import numpy as np

from ...engine.errors import PenstockError
from ...formats.endings import medium_of_name
from ..hub.names import is_on_hub
from ..storage.opening import open_storage
from ..storage.urls import Place, Url, place_of
from .folder_rule import is_hidden

LARGEST_MARKER = 1 << 20
"""Bytes of a marker that are looked at: an `index.json` lists thousands of shards."""


class Folder:
    """A folder whose layout is asked for.

    Attributes:
        place: the folder.
        files, folders: names of its entries, hidden ones too.
    """

    def __init__(
        self,
        place: Place,
        options: Mapping[str, object],
        names: tuple[Sequence[str], Sequence[str]] | None = None,
    ) -> None:
        """Take a folder; `names` are those of its files and folders, if they are known."""
        self.place = place
        self._options = options
        self._inner: dict[str, Folder] = {}
        self.files, self.folders = names or folder_names(place, options)

    def inner(self, name: str) -> Folder:
        """Return a folder in it, which is listed once."""
        if name not in self._inner:
            self._inner[name] = Folder(self.place / name, self._options)
        return self._inner[name]

    def beside(self, path: str) -> Folder:
        """Return another folder by its path or URL, as its owner would find it."""
        return Folder(place_of(path), self._options)

    def text(self, name: str, most: int = LARGEST_MARKER) -> str:
        """Return the start of a file in it; "" if it cannot be read."""
        try:
            storage = open_storage(self.place / name, self._options)
            content = np.empty(min(storage.size, most), np.uint8)
            storage.fill([0], [content])
        except (OSError, PenstockError):
            return ""
        return content.tobytes().decode("utf-8", "replace")

    def has(self, pattern: str) -> bool:
        """Return whether the name of a file fits a pattern."""
        return any(fnmatchcase(name, pattern) for name in self.files)

    def holds(self, *names: str) -> bool:
        """Return whether folders of these names lie in it."""
        return set(names) <= set(self.folders)

    @property
    def visible_folders(self) -> list[str]:
        """Names of its folders, without hidden ones."""
        return [name for name in self.folders if not is_hidden(name)]

    @property
    def has_media(self) -> bool:
        """Whether a file is an image, sound or video by its name."""
        return any(medium_of_name(name) and not is_hidden(name) for name in self.files)


def folder_names(place: Place, options: Mapping[str, object]) -> tuple[list[str], list[str]]:
    """Return the names of a folder's files and folders, hidden ones too, sorted; or none."""
    if isinstance(place, Url) and is_on_hub(place.text):
        from ..hub.folders import names_in  # needs an optional library

        return names_in(place.text)
    if isinstance(place, Url):
        from ..remote.folders import folders_entries  # needs optional libraries

        return folders_entries([place], options)[0]
    try:
        with os.scandir(place) as entries:
            pairs = sorted((entry.name, entry.is_dir()) for entry in entries)
    except OSError:
        return [], []
    return [n for n, is_folder in pairs if not is_folder], [n for n, inner in pairs if inner]
