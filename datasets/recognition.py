"""Recognizing the format of a data set by the content of its files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from errno import ENOENT
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from ..engine.errors import PenstockError, SourceError
from ..readers.listing.path_patterns import expand_paths
from ..readers.storage.index_cache import SUFFIX
from ..readers.storage.opening import exists, open_storage
from ..readers.storage.urls import Place, Url, is_url, text_of
from .formats.base import Location
from .formats.dataset_format import DatasetFormat
from .formats.lmdb import DATA as DATABASE
from .formats.table import FORMATS
from .manifest import NAME, Manifest, read_manifest
from .media import medium_of

_OWN = (SUFFIX, NAME)
"""Endings of files that accompany data of any format."""
_HEAD = 4096
_LOOKED_AT = 16  # files, or folders, whose content may tell the format


Located = tuple[DatasetFormat, Location]


def locate(place: Place, format: DatasetFormat | None, options: Mapping[str, Any]) -> Located:
    """Return the format and the files of the data set at a place.

    Args:
        place: a folder, a file, or a pattern such as "train-{000..127}.tar".
        format: None to have the content looked at.
        options: `Reader.storage_options`.

    Raises:
        SourceError: nothing there has a known format.
        OSError: there is no such path, or it cannot be read.
    """
    if isinstance(place, Url):
        return _locate_url(place, format, options)
    manifest = read_manifest(place) if place.is_dir() else None
    if manifest is not None and (format is None or format.name == manifest.format):
        return _of_manifest(place, manifest, format, options)
    if not place.is_dir():
        return _of_files(place, expand_paths([str(place)]), format, options)
    entries = [entry for entry in sorted(place.iterdir()) if not entry.name.startswith(".")]
    has_folders = any(entry.is_dir() for entry in entries)
    if databases := _databases(place):
        return _of_files(place, databases, format, options)
    files = [str(entry) for entry in entries if entry.is_file()]
    return _of_folder(place, files, format, options, has_folders=has_folders)


def _of_manifest(
    root: Place, manifest: Manifest, format: DatasetFormat | None, options: Mapping[str, Any]
) -> Located:
    format = format or FORMATS.get(manifest.format)
    if format is None:
        raise SourceError(
            f"{root / NAME} names the format {manifest.format!r:.100}, which this release does not "
            f"know; it knows {', '.join(FORMATS)}. If a package registers the format (see "
            "`penstock.extend.register_dataset_format`), import that package"
        )
    files = _without_companions([text_of(root / name) for name in manifest.files()], format)
    if not files:
        raise SourceError(f"{root / NAME} names no shard: the data set holds no sample")
    return _located(root, files, format, options, manifest)


def data_files(root: Path) -> list[str]:
    """Return the data files that a path stands for: without indexes, sorted by name."""
    if not root.is_dir():
        return expand_paths([str(root)])
    entries = [str(e) for e in sorted(root.iterdir()) if e.is_file() and e.name[0] != "."]
    return _databases(root) or _without_companions(entries, None)


def _databases(root: Path) -> list[str]:
    """Return the folders that are LMDB databases: those of a folder, or the folder itself."""
    databases = sorted(str(e) for e in root.iterdir() if e.name[0] != "." and _is_database(e))
    return databases or [str(root)] * _is_database(root)


def _is_database(folder: Path) -> bool:
    return (folder / DATABASE).is_file()


def _without_companions(files: Sequence[str], format: DatasetFormat | None) -> list[str]:
    """Return the files that accompany no data file in any format.

    Args:
        files: paths or URLs.
        format: a format whose own endings tell data files; None for no such format.
    """
    own = format.endings if format is not None else ()
    others = [e for row in FORMATS.values() for e in row.companions if e not in own]
    return [file for file in files if not file.endswith((*_OWN, *others))]


def _of_files(
    root: Place, files: Sequence[str], format: DatasetFormat | None, options: Mapping[str, Any]
) -> Located:
    location = Location(root, files, None, options)
    return _located(root, files, format or _recognized(location, has_folders=False), options)


def _located(
    root: Place,
    files: Sequence[str],
    format: DatasetFormat,
    options: Mapping[str, Any],
    manifest: Manifest | None = None,
) -> Located:
    chosen = [file for file in files if file.endswith(format.endings)]
    others = [os.path.basename(file) for file in files if not file.endswith(format.endings)]
    what = f"files without the ending {' or '.join(format.endings)}"
    skipped = {what: others} if chosen and others else {}
    return format, Location(root, chosen or files, manifest, options, skipped)


def _of_folder(
    root: Place,
    files: Sequence[str],
    format: DatasetFormat | None,
    options: Mapping[str, Any],
    *,
    has_folders: bool,
) -> Located:
    """Return the format of a folder's files; a companion in one format may be data in another."""
    if format is None:
        candidates = dict.fromkeys(_without_companions(files, None))
        endings = tuple(ending for row in FORMATS.values() for ending in row.endings)
        candidates |= dict.fromkeys(file for file in files if file.endswith(endings))
        format = _recognized(Location(root, [*candidates], None, options), has_folders=has_folders)
    return _located(root, _without_companions(files, format), format, options)


def _locate_url(url: Url, format: DatasetFormat | None, options: Mapping[str, Any]) -> Located:
    files = expand_paths([url.text])
    if files != [url.text]:
        return _of_files(url, files, format, options)
    # A web server may answer with a page where the name of a folder lacks the slash at its end.
    ways = [_locate_folder, _locate_object]
    for way in reversed(ways) if "." in url.name and not url.text.endswith("/") else ways:
        located = way(url, format, options)
        if located is not None:
            return located
    raise FileNotFoundError(ENOENT, "There is no such object, and no folder with files", str(url))


def _locate_object(
    url: Url, format: DatasetFormat | None, options: Mapping[str, Any]
) -> Located | None:
    try:
        open_storage(url, options)
    except (FileNotFoundError, IsADirectoryError):
        return None
    return _of_files(url, [url.text], format, options)


def _locate_folder(
    url: Url, format: DatasetFormat | None, options: Mapping[str, Any]
) -> Located | None:
    manifest = read_manifest(url, options)
    if manifest is not None and (format is None or format.name == manifest.format):
        return _of_manifest(url, manifest, format, options)
    from ..readers.remote.folders import folder_entries  # needs optional libraries

    names, folders = folder_entries(url, options)
    files = [text_of(url / name) for name in names]
    if not names:  # databases are folders, too
        inner = [url / folder for folder in folders[:_LOOKED_AT]]
        files = [
            text_of(folder / DATABASE) for folder in inner if exists(folder / DATABASE, options)
        ]
    if not folders and not _without_companions(files, format):
        return None
    return _of_folder(url, files, format, options, has_folders=bool(folders))


def _recognized(location: Location, *, has_folders: bool) -> DatasetFormat:
    if not location.files and not has_folders:
        raise SourceError(f"{location.root} is a folder without files of data")
    damaged: Exception | None = None
    for file in location.files[:_LOOKED_AT]:
        try:
            recognized = format_of_file(file, location.options)
        except (OSError, PenstockError) as error:  # another file may tell the format
            damaged = damaged or error
            continue
        if recognized is not None:
            return recognized
    if damaged is not None:
        raise damaged
    if has_folders:
        if isinstance(location.root, Path):
            _refuse_folders_of_tables(location.root)
        return FORMATS["folder"]
    raise SourceError(
        f"{location.root} is no data set of a known format: neither class folders, nor files of "
        f"{', '.join(name for name in FORMATS if name != 'folder')}; if it is one, name the "
        f"format{_loose(location)}"
    )


def _loose(location: Location) -> str:
    """Return what to say of a folder of images or sound that are in no class."""
    media = sum(bool(medium_of(os.path.splitext(path)[1][1:])) for path in location.files)
    if not media:
        return ""
    return (
        f". It holds {media:,} files of images, sound or video that lie in no class folder: put "
        "them into a folder for each class, or list them with labels in a file"
    )


def _refuse_folders_of_tables(root: Path) -> None:
    """Raise SourceError if the folders hold tables, as `datasets` and its hub lay them out."""
    folders = sorted(entry for entry in root.iterdir() if entry.is_dir() and entry.name[0] != ".")
    for folder in folders[:16]:
        with os.scandir(folder) as entries:
            suffixes = {os.path.splitext(entry.name)[1] for entry in islice(entries, 64)}
        if suffixes & {".parquet", ".arrow"}:
            raise SourceError(
                f"{root} holds folders of Parquet or Arrow files, not of classes; name the folder "
                f"or the files of a split: {str(folder)!r}"
            )


def format_of_file(path: str, options: Mapping[str, Any] | None = None) -> DatasetFormat | None:
    """Return the format of a file, or of an LMDB folder; None if no format fits."""
    if not is_url(path) and os.path.isdir(path):
        path = os.path.join(path, DATABASE)
    storage = open_storage(path, options)
    (head,) = storage.read(np.zeros(1, np.int64), np.array([min(_HEAD, storage.size)]), np.empty)
    content = head.tobytes()
    for row in FORMATS.values():
        if row.recognize is not None and row.recognize(content, storage):
            return row
    return None
