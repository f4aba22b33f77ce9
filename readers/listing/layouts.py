"""Folders that other software lays out, told by their markers and refused by name.

Such a folder must not be taken for what it is not: its parts are no classes, and its splits no one
data set. A new layout is a row of `STORES` or `MEDIA`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from ...engine.errors import SourceError
from ..storage.urls import is_url, place_of
from .folder import Folder
from .layout import Layout
from .layouts_of_media import DESCRIBED, MEDIA
from .layouts_of_stores import STORES

_LOOKED_INTO = 8
"""Folders in a folder of no known layout that are looked into: behind a URL, each is a request."""


def found_layout(folder: Folder, layouts: Iterable[Layout] = (*STORES, *MEDIA)) -> Layout | None:
    """Return the layout of a folder, or None."""
    return next((layout for layout in layouts if layout.fits(folder)), None)


def last_layout(folder: Folder) -> Layout | None:
    """Return the layout of what would be class folders, because no format knows a file there."""
    return DESCRIBED if DESCRIBED.fits(folder) else None


def layout_of(folder: Folder, *, opened: bool = False) -> str:
    """Return what another program laid out in a folder, and what to do; "" for no such layout.

    Args:
        folder: the folder.
        opened: whether layouts that `datasets` opens count, too.
    """
    found = found_layout(folder) or (last_layout(folder) if opened else None)
    return "" if found is None or (found.format and not opened) else said(found)


def inner_layout(folder: Folder) -> str:
    """Return what another program laid out in a folder inside of a folder; "" if none is."""
    for name in folder.visible_folders[:_LOOKED_INTO]:
        if found := found_layout(folder.inner(name)):
            return f"its folder {name!r} is {said(found)}"
    return ""


def said(layout: Layout) -> str:
    """Return what a layout is, and what to do."""
    return f"{layout.title}; {layout.advice}"


def refuse_layouts(paths: Sequence[str], options: Mapping[str, object] | None = None) -> None:
    """Raise SourceError if a path is a folder of shards that another program laid out.

    Args:
        paths: local paths or URLs; those of files are passed over.
        options: `Reader.storage_options`, for URLs.
    """
    for path in paths:
        is_folder = path.endswith("/") if is_url(path) else os.path.isdir(path)
        # Of a layout of media, such a reader may be meant to read a part.
        if is_folder and (found := found_layout(Folder(place_of(path), options or {}), STORES)):
            raise SourceError(f"{place_of(path)} is {said(found)}")
