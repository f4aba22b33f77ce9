"""Recognizing the format of a data set by the content of its files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from errno import ENOENT
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from ..engine.errors import ArgumentError, PenstockError, SourceError
from ..engine.suggestions import unknown
from ..formats.npy import MAGIC as NPY_MAGIC
from ..readers.archives.tar import BLOCK, TarError, parse_header
from ..readers.listing.path_patterns import expand_paths
from ..readers.lmdb.files import LMDBFiles
from ..readers.recordio.framing import MAGIC as RECORD_MAGIC
from ..readers.storage.index_cache import SUFFIX
from ..readers.storage.opening import exists, open_storage
from ..readers.storage.storage import Storage
from ..readers.storage.urls import Place, Url, is_url, text_of
from ..readers.tfrecord.index import is_record_file
from .manifest import NAME, Manifest, read_manifest
from .media import medium_of
from .stored.base import Location
from .stored.lmdb import value_format

_DATABASE = "data.mdb"
_ASIDE = (".jsonl", ".idx", ".lst", ".keys.txt", SUFFIX, "-lock", "lock.mdb", NAME)
"""Endings of files that accompany data files."""
_HEAD = 4096
_LOOKED_AT = 16  # files, or folders, whose content may tell the format


def locate(place: Place, format: str | None, options: Mapping[str, Any]) -> tuple[str, Location]:
    """Return the format and the files of the data set at a place.

    Args:
        place: a folder, a file, or a pattern such as "train-{000..127}.tar".
        format: its name, or None to have the content looked at.
        options: `Reader.storage_options`.

    Raises:
        SourceError: nothing there has a known format.
        OSError: there is no such path, or it cannot be read.
    """
    if isinstance(place, Url):
        return _locate_url(place, format, options)
    manifest = read_manifest(place) if place.is_dir() else None
    if manifest is not None and format in (None, manifest.format):
        return _of_manifest(place, manifest, options)
    files = data_files(place)
    has_folders = place.is_dir() and any(e.is_dir() and e.name[0] != "." for e in place.iterdir())
    location = Location(place, files, None, options)
    return format or _recognized(location, has_folders=has_folders), location


def _of_manifest(
    root: Place, manifest: Manifest, options: Mapping[str, Any]
) -> tuple[str, Location]:
    files = [text_of(root / name) for name in manifest.files() if not name.endswith(_ASIDE)]
    if not files:
        raise SourceError(f"{root / NAME} names no shard: the data set holds no sample")
    return manifest.format, Location(root, files, manifest, options)


def data_files(root: Path) -> list[str]:
    """Return the data files that a path stands for: without indexes, sorted by name."""
    if not root.is_dir():
        return expand_paths([str(root)])
    entries = [each for each in sorted(root.iterdir()) if not each.name.startswith(".")]
    databases = [str(each) for each in entries if (each / _DATABASE).is_file()]
    if (root / _DATABASE).is_file() or databases:
        return databases or [str(root)]
    return [str(each) for each in entries if each.is_file() and not each.name.endswith(_ASIDE)]


def _locate_url(url: Url, format: str | None, options: Mapping[str, Any]) -> tuple[str, Location]:
    files = expand_paths([url.text])
    if files != [url.text]:
        location = Location(url, files, None, options)
        return format or _recognized(location, has_folders=False), location
    # A web server may answer with a page where the name of a folder lacks the slash at its end.
    ways = [_locate_folder, _locate_object]
    for way in reversed(ways) if "." in url.name and not url.text.endswith("/") else ways:
        found = way(url, format, options)
        if found is not None:
            return found
    raise FileNotFoundError(ENOENT, "There is no such object, and no folder with files", str(url))


def _locate_object(
    url: Url, format: str | None, options: Mapping[str, Any]
) -> tuple[str, Location] | None:
    try:
        open_storage(url, options)
    except (FileNotFoundError, IsADirectoryError):
        return None
    location = Location(url, [url.text], None, options)
    return format or _recognized(location, has_folders=False), location


def _locate_folder(
    url: Url, format: str | None, options: Mapping[str, Any]
) -> tuple[str, Location] | None:
    manifest = read_manifest(url, options)
    if manifest is not None and format in (None, manifest.format):
        return _of_manifest(url, manifest, options)
    from ..readers.remote.folders import folder_entries  # needs optional libraries

    names, folders = folder_entries(url, options)
    files = [text_of(url / name) for name in names if not name.endswith(_ASIDE)]
    if not names:  # databases are folders, too
        inner = [url / folder for folder in folders[:_LOOKED_AT]]
        files = [text_of(each / _DATABASE) for each in inner if exists(each / _DATABASE, options)]
    if not files and not folders:
        return None
    location = Location(url, files, None, options)
    return format or _recognized(location, has_folders=bool(folders)), location


def _recognized(location: Location, *, has_folders: bool) -> str:
    for file in location.files[:_LOOKED_AT]:
        recognized = format_of_file(file, location.options)
        if recognized is not None:
            return recognized
    if has_folders:
        if isinstance(location.root, Path):
            _refuse_folders_of_tables(location.root)
        return "folder"
    raise SourceError(
        f"{location.root} is no data set of a known format: neither class folders, nor files of "
        "TFRecord, RecordIO, LMDB, WebDataset, Parquet, NumPy, COCO or NeMo, nor a list of files "
        f"with labels; if it is one, name the format{_loose(location)}"
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
    folders = sorted(each for each in root.iterdir() if each.is_dir() and each.name[0] != ".")
    for folder in folders[:16]:
        with os.scandir(folder) as entries:
            suffixes = {os.path.splitext(each.name)[1] for each in islice(entries, 64)}
        if suffixes & {".parquet", ".arrow"}:
            raise SourceError(
                f"{root} holds folders of Parquet or Arrow files, not of classes; name the folder "
                f"or the files of a split: {str(folder)!r}"
            )


def format_of_file(path: str, options: Mapping[str, Any] | None = None) -> str | None:
    """Return the format of a file, or of an LMDB folder; None if no format fits."""
    if not is_url(path) and os.path.isdir(path):
        return _format_of_database(path, options)
    storage = open_storage(path, options)
    (head,) = storage.read(np.zeros(1, np.int64), np.array([min(_HEAD, storage.size)]), np.empty)
    for name, fits in _TESTS:
        if fits(head.tobytes(), storage):
            return _format_of_database(path, options) if name == "lmdb" else name
    return None


def _format_of_database(path: str, options: Mapping[str, Any] | None) -> str:
    files = LMDBFiles([path], options=options)
    try:
        (content,) = files.read(np.zeros(1, np.int64), np.empty).views()
        return value_format(content)
    finally:
        files.close()


def _is_tar(head: bytes, _: Storage) -> bool:
    try:
        return len(head) >= BLOCK and any(head[:BLOCK]) and bool(parse_header(head[:BLOCK]).name)
    except TarError:
        return False


def _is_record_io(head: bytes, _: Storage) -> bool:
    return head[:4] == RECORD_MAGIC.to_bytes(4, "little")


def _is_tfrecord(_: bytes, storage: Storage) -> bool:
    try:
        return is_record_file(storage)
    except PenstockError:
        return False


def _is_lmdb(head: bytes, _: Storage) -> bool:
    return b"\xde\xc0\xef\xbe" in head[:32]


def _is_nemo(head: bytes, _: Storage) -> bool:
    try:
        return "audio_filepath" in json.loads(head.split(b"\n", 1)[0])
    except (ValueError, RecursionError, TypeError):
        return False


def _is_coco(head: bytes, _: Storage) -> bool:
    keys = (b'"images"', b'"annotations"', b'"categories"', b'"licenses"', b'"info"')
    return head.lstrip()[:1] == b"{" and any(key in head for key in keys)


def _is_file_list(head: bytes, _: Storage) -> bool:
    fields = head.split(b"\n", 1)[0].rsplit(None, 1)
    return b"\0" not in head and len(fields) == 2 and fields[1].isdigit()


_TESTS: tuple[tuple[str, Callable[[bytes, Storage], bool]], ...] = (
    ("parquet", lambda head, _: head[:4] == b"PAR1"),
    ("arrow", lambda head, _: head[:6] == b"ARROW1" or head[:4] == b"\xff\xff\xff\xff"),
    ("npy", lambda head, _: head[: len(NPY_MAGIC)] == NPY_MAGIC),
    ("npz", lambda head, _: head[:4] == b"PK\x03\x04"),
    ("recordio", _is_record_io),
    ("tfrecord", _is_tfrecord),
    ("lmdb", _is_lmdb),
    ("webdataset", _is_tar),
    ("nemo", _is_nemo),
    ("coco", _is_coco),
    ("filelist", _is_file_list),
)


def known(format: str, formats: Mapping[str, Any]) -> str:
    """Return the name of a format; raise ArgumentError for an unknown name."""
    if format not in formats:
        listed = ", ".join(formats)
        raise ArgumentError(f"the format is one of {listed}, not {unknown(format, formats)}")
    return format
