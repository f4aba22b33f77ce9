"""Recognizing the format of a data set by the content of its files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from errno import ENOENT
from pathlib import Path

import numpy as np

from ..engine.errors import ArgumentError, PenstockError, SourceError
from ..formats.foreign import HEAD, foreign_file
from ..readers.hub.names import is_on_hub
from ..readers.listing.folder import Folder
from ..readers.listing.folder_rule import describes_data, is_beside_data, is_hidden
from ..readers.listing.layouts import found_layout, last_layout, said
from ..readers.listing.path_patterns import expand_paths, warn_of_missing_files
from ..readers.listing.splits import SplitChoice, files_of_split, splits_of
from ..readers.storage.opening import exists, open_storage
from ..readers.storage.storage import Storage
from ..readers.storage.urls import Place, Url, is_url, shown, text_of
from .formats.base import Location
from .formats.dataset_format import DatasetFormat
from .formats.folder import RECOGNIZED
from .formats.lmdb import DATA as DATABASE
from .formats.parquet.reader import ENDINGS
from .formats.table import FORMATS
from .manifest import NAME, Manifest, read_manifest
from .media import medium_of

_HEAD = 4096
TAR = ".tar"
_BY_TABLE = "fn.readers.file(file_root=..., table=..., columns=[...])"
_LOOKED_AT = 16  # files, or folders, whose content may tell the format

Located = tuple[DatasetFormat, Location]


def locate(
    place: Place,
    format: DatasetFormat | None,
    options: Mapping[str, object],
    part: SplitChoice | None = None,
) -> Located:
    """Return the format and the files of the data set at a place.

    Args:
        place: a folder, a file, or a pattern such as "train-{000..127}.tar".
        format: None to have the content looked at.
        options: `Reader.storage_options`.
        part: the split and the configuration of a folder; None where none is wanted.

    Raises:
        ArgumentError: the folder has not the part, or several and none is wanted.
        SourceError: nothing there has a known format.
        OSError: there is no such path, or it cannot be read.
    """
    if part is not None:
        return _of_part(Folder(place, options), format, options, part)
    if isinstance(place, Url):
        return _locate_url(place, format, options)
    manifest = read_manifest(place) if place.is_dir() else None
    if manifest is not None and (format is None or format.name == manifest.format):
        return _of_manifest(place, manifest, format, options)
    if not place.is_dir():
        return _of_files(place, expand_paths([str(place)]), format, options)
    folder = Folder(place, options)
    if databases := _databases(place):
        return _of_files(place, databases, format, options)
    return _of_folder(folder, folder.files, format, options)


def _of_part(
    folder: Folder, format: DatasetFormat | None, options: Mapping[str, object], part: SplitChoice
) -> Located:
    """Return the format and the files of a split of a folder."""
    root = folder.place
    endings = [ENDINGS, (TAR,)] if format is None else [format.endings or (TAR,)]
    for some in endings:
        if splits := splits_of(root, options, some, part.config):
            files = files_of_split(root, splits, part.split, options, part.config)
            return _of_files(root, files, format, options)
    whole = {} if part.config else _folders_of(folder, format)
    if part.split in whole:
        return whole[part.split], Location(root / part.split, [], None, options)
    reason = f"its splits are {', '.join(whole)}" if whole else "it holds no shards"
    raise ArgumentError(f"{root} has no split {part.split or part.config!r}: {reason}")


def _folders_of(folder: Folder, format: DatasetFormat | None) -> dict[str, DatasetFormat]:
    """Return the folders in a folder that are data sets as a whole, such as those of MDS."""
    found: dict[str, DatasetFormat] = {}
    for name in folder.visible_folders[:_LOOKED_AT]:
        layout = found_layout(folder.inner(name))
        row = FORMATS.get(layout.format) if layout and layout.format else None
        if row is not None and row.opens_folder and format in (None, row):
            found[name] = row
    return found


def _of_manifest(
    root: Place, manifest: Manifest, format: DatasetFormat | None, options: Mapping[str, object]
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
    format, location = _located(root, files, format, options, manifest)
    others = {} if isinstance(root, Url) else _unnamed(root, manifest)
    return format, replace(location, skipped={**location.skipped, **others})


def _unnamed(root: Path, manifest: Manifest) -> dict[str, Sequence[str]]:
    """Return the files and folders that look like shards beside those that a manifest names."""
    named = {name.partition("/")[0] for name in manifest.files()}
    endings = {os.path.splitext(name)[1] for name in named if not is_hidden(name)}
    others = [
        entry.name
        for entry in sorted(root.iterdir())
        if entry.name not in named and entry.suffix in endings and not is_beside_data(entry.name)
    ]
    return {f"files that {NAME} does not name": others} if others else {}


def data_files(root: Path) -> list[str]:
    """Return the data files that a path stands for: without indexes, sorted by name."""
    if not root.is_dir():
        return expand_paths([str(root)])
    files = [str(e) for e in sorted(root.iterdir()) if e.is_file() and not is_beside_data(e.name)]
    return _databases(root) or _without_companions(files, None)


def _databases(root: Path) -> list[str]:
    """Return the folders that are LMDB databases: those of a folder, or the folder itself."""
    databases = sorted(str(e) for e in root.iterdir() if not is_hidden(e.name) and _is_database(e))
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
    return [file for file in files if not file.endswith(tuple(others))]


def _of_files(
    root: Place, files: Sequence[str], format: DatasetFormat | None, options: Mapping[str, object]
) -> Located:
    location = Location(root, files, None, options)
    return _located(root, files, format or _recognized(location), options)


def _located(
    root: Place,
    files: Sequence[str],
    format: DatasetFormat,
    options: Mapping[str, object],
    manifest: Manifest | None = None,
) -> Located:
    if format.endings:
        chosen = [file for file in files if file.endswith(format.endings)]
        what = f"files without the ending {' or '.join(format.endings)}"
    elif manifest is None and format.recognize is not None and len(files) > 1:
        chosen = [file for file in files if not _describes(file, format, options)]
        what = "files that describe the data"
    else:
        chosen, what = list(files), ""
    if not files and format.recognize is not None:
        raise SourceError(f"{root} holds no file, so it is no data set of format {format.name!r}")
    kept = set(chosen)
    others = [os.path.basename(file) for file in files if file not in kept]
    skipped = {what: others} if chosen and others else {}
    return format, Location(root, chosen or files, manifest, options, skipped)


def _describes(file: str, format: DatasetFormat, options: Mapping[str, object]) -> bool:
    """Return whether a file only describes the data files of a format beside it."""
    name = os.path.basename(file)
    return describes_data(name) and format_of_file(file, options) != format


def _of_folder(
    folder: Folder,
    names: Sequence[str],
    format: DatasetFormat | None,
    options: Mapping[str, object],
) -> Located:
    """Return the format of a folder's files; a companion in one format may be data in another."""
    root = folder.place
    found = found_layout(folder) if format is None else None
    if found and not found.format:
        raise SourceError(f"{root} is {said(found)}")
    row = FORMATS.get(found.format) if found else format
    if row is not None and row.opens_folder:
        return row, Location(root, [], None, options)
    format = row
    files = [text_of(root / name) for name in names if not is_beside_data(name)]
    is_table = format is None or format.endings == ENDINGS
    if is_table and (splits := splits_of(root, options, ENDINGS)):
        others = [file for file in files if not file.endswith(ENDINGS)]
        files = [*files_of_split(root, splits, options=options), *others]
    if isinstance(root, Url) and is_on_hub(root.text) and not files:
        tars = splits_of(root, options, (TAR,))
        files = files_of_split(root, tars, options=options) if tars else []
    if format is None:
        candidates = dict.fromkeys(_without_companions(files, None))
        endings = tuple(ending for row in FORMATS.values() for ending in row.endings)
        candidates |= dict.fromkeys(file for file in files if file.endswith(endings))
        format = _recognized(Location(root, [*candidates], None, options), folder)
    files = _without_companions(files, format)
    warn_of_missing_files(files)
    return _located(root, files, format, options)


def _locate_url(url: Url, format: DatasetFormat | None, options: Mapping[str, object]) -> Located:
    is_folder = url.text.endswith("/")
    files = [url.text] if is_folder else expand_paths([url.text], options=options)
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
    url: Url, format: DatasetFormat | None, options: Mapping[str, object]
) -> Located | None:
    try:
        open_storage(url, options)
    except (FileNotFoundError, IsADirectoryError):
        return None
    return _of_files(url, [url.text], format, options)


def _locate_folder(
    url: Url, format: DatasetFormat | None, options: Mapping[str, object]
) -> Located | None:
    manifest = read_manifest(url, options)
    if manifest is not None and (format is None or format.name == manifest.format):
        return _of_manifest(url, manifest, format, options)
    folder = Folder(url, options)
    names: Sequence[str] = folder.files
    if not any(not is_hidden(name) for name in names):  # databases are folders, too
        databases = [f"{inner}/{DATABASE}" for inner in folder.folders[:_LOOKED_AT]]
        names = [*names, *(name for name in databases if exists(url / name, options))]
    if not folder.folders and all(map(is_beside_data, names)):
        return None
    return _of_folder(folder, names, format, options)


def _recognized(location: Location, folder: Folder | None = None) -> DatasetFormat:
    has_folders = folder is not None and bool(folder.visible_folders)
    if not location.files and not has_folders:
        raise SourceError(f"{location.root} is a folder without files of data")
    damaged, foreign = None, ""
    for file in location.files[:_LOOKED_AT]:
        try:
            recognized = format_of_file(file, location.options)
        except (OSError, PenstockError) as error:  # another file may tell the format
            damaged = damaged or error
            continue
        if recognized is not None:
            return recognized
        foreign = foreign or _foreign(file, location.options)
    if damaged is not None:
        raise damaged
    if folder is not None and has_folders:
        if layout := last_layout(folder):
            raise SourceError(f"{location.root} is {said(layout)}")
        return RECOGNIZED
    if foreign:
        raise SourceError(foreign)
    raise SourceError(
        f"{location.root} is no data set of a known format: neither class folders, nor files of "
        f"{', '.join(name for name in FORMATS if name != 'folder')}; if it is one, name the "
        f"format{_loose(location)}"
    )


def _foreign(file: str, options: Mapping[str, object]) -> str:
    """Return what a file of other software is, and what to do; "" for other files."""
    if not is_url(file) and os.path.isdir(file):  # a database
        return ""
    title = foreign_file(file, _head(open_storage(file, options), HEAD))
    return f"{shown(file)} is {title}" if title else ""


def _loose(location: Location) -> str:
    """Return what to say of files of no known format: media in no class, and other endings."""
    endings = Counter(os.path.splitext(path)[1].lower() for path in location.files)
    media = sum(count for ending, count in endings.items() if medium_of(ending[1:]))
    if not media:
        held = ", ".join(f"{end or 'no ending'} ({n:,})" for end, n in endings.most_common(6))
        archives = {".zip", ".7z", ".rar", ".tgz", ".gz"} & endings.keys()
        advice = "; unpack the archives first" if archives else ""
        if {".csv", ".tsv"} & endings.keys():
            advice += (
                f"; a table with the names of files and their targets is read by {_BY_TABLE}, "
                "where `file_root` is the folder of the files"
            )
        return f". The endings of its files: {held}{advice}"
    return (
        f". It holds {media:,} files of images, sound or video that lie in no class folder: put "
        "them into a folder for each class, list them with labels in a file, or read them with the "
        f"targets of a CSV or Parquet file by {_BY_TABLE}"
    )


def format_of_file(path: str, options: Mapping[str, object] | None = None) -> DatasetFormat | None:
    """Return the format of a file, or of an LMDB folder; None if no format fits."""
    if not is_url(path) and os.path.isdir(path):
        path = os.path.join(path, DATABASE)
    storage = open_storage(path, options)
    content = _head(storage, _HEAD)
    for row in FORMATS.values():
        if row.recognize is not None and row.recognize(content, storage):
            return row
    return None


def _head(storage: Storage, most: int) -> bytes:
    (head,) = storage.read(np.zeros(1, np.int64), np.array([min(most, storage.size)]), np.empty)
    return head.tobytes()
