"""Paths of tables: folders of the Hugging Face hub hold the files of several splits."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...engine.errors import ArgumentError, SourceError
from ...engine.suggestions import not_among
from ..listing.folder import folder_names
from ..listing.folder_rule import is_beside_data
from ..listing.layouts import refuse_layouts
from ..listing.path_patterns import expand_paths, warn_of_missing_files
from ..storage.urls import Place, Url, is_url, place_of, text_of

_NAMES = "train|training|validation|valid|val|dev|eval|test|testing"
_SPLITS = (
    re.compile(r"(.+)-\d{5}-of-\d{5}(?:-[^.]*)?\.(?:parquet|arrow)"),
    re.compile(rf"({_NAMES})(?![a-z])[^/]*\.(?:parquet|arrow)"),
)
_SUFFIXES = (".parquet", ".arrow")

Splits = dict[str, list[str]]
"""The files of each split. Where nothing tells one, it is "train", as for the hub."""


def table_paths(paths: Sequence[str], options: Mapping[str, Any], split: str = "") -> list[str]:
    """Return the files that paths, URLs, patterns and folders stand for.

    The URL of a folder ends with a slash, or its last part has not the suffix of a table.

    Args:
        paths: see there.
        options: for URLs: `Reader.storage_options`.
        split: of the folders; "" if there is only one.

    Raises:
        ArgumentError: a folder holds several splits, or has not the one that is asked for.
        SourceError: no file is there.
    """
    locations = []
    for path in paths:
        for location in [path] if os.path.isdir(path) else expand_paths([path]):
            files = _files_of_folder(location, options, split)
            if split and not files:
                raise ArgumentError(f"split={split!r} is one of a folder, but {location!r} is none")
            locations += files or [location]
    return locations


def _files_of_folder(path: str, options: Mapping[str, Any], split: str) -> list[str]:
    """Return the tables in a folder; [] if the path is no folder."""
    place, is_folder = place_of(path), os.path.isdir(path)
    if isinstance(place, Url):
        is_folder = path.endswith("/") or not place.name.endswith(_SUFFIXES)
    if not is_folder:
        return []
    refuse_layouts([path], options)
    if splits := splits_of(place, options):
        files = files_of_split(place, splits, split)
        warn_of_missing_files(files)
        return files
    if isinstance(place, Url) and not path.endswith("/") and not any(folder_names(place, options)):
        return []
    raise SourceError(f"no file '*.parquet' lies in {str(place)!r}")


def splits_of(folder: Place, options: Mapping[str, Any]) -> Splits:
    """Return the splits of a folder, as `datasets` and the hub lay them out; {} without a table.

    The tables lie in the folder, and their names tell the splits; or they lie in the folder "data"
    in it; or in a folder for each split, which has the name of one, or is part of a `DatasetDict`.

    Args:
        folder: a local folder or a URL.
        options: `Reader.storage_options`, for URLs.
    """
    files, folders = folder_names(folder, options)
    if tables := _tables(files):
        return _by_name(folder, tables)
    if "data" in folders and (tables := _tables(folder_names(folder / "data", options)[0])):
        return _by_name(folder / "data", tables)
    places = [folder / name for name in folders if "dataset_dict.json" in files or _is_split(name)]
    if "data" in folders:
        _, inner = folder_names(folder / "data", options)
        places += [folder / "data" / name for name in inner if _is_split(name)]
    found: Splits = {}
    for place in places:
        tables = _tables(folder_names(place, options)[0])
        if tables:
            found.setdefault(place.name, []).extend(text_of(place / table) for table in tables)
    return found


def _is_split(folder: str) -> bool:
    return re.fullmatch(_NAMES, folder) is not None


def files_of_split(folder: Place, splits: Splits, split: str = "") -> list[str]:
    """Return the files of a split, or of the only one.

    Raises:
        ArgumentError: there are several splits, or not the one that is asked for.
    """
    if split and split not in splits:
        raise ArgumentError(f"{str(folder)!r} has no split {not_among(split, list(splits))}")
    if split or len(splits) == 1:
        return splits[split or next(iter(splits))]
    last = max(splits)
    raise ArgumentError(
        f"{str(folder)!r} holds the splits {', '.join(sorted(splits))}, which are not one data "
        f"set; name the files of one of them: {_pattern(splits, last)!r} (fn.readers.parquet takes "
        f"split={last!r}, too)"
    )


def _pattern(splits: Splits, split: str) -> str:
    """Return a path that names the files of a split."""
    first = splits[split][0]
    others = [file for name, files in splits.items() if name != split for file in files]
    parent = os.path.dirname(first)
    if all(os.path.dirname(other) != parent for other in others):
        return str(place_of(parent))
    return str(place_of(first)) if is_url(first) else os.path.join(parent, f"{split}*")


def _tables(names: Sequence[str]) -> list[str]:
    """Return the tables among a folder's files: Parquet, unless there are only Arrow files.

    `datasets` keeps what it computed as "cache-*.arrow" beside the data.
    """
    data = [name for name in names if not is_beside_data(name) and not name.startswith("cache-")]
    found = ([name for name in data if name.endswith(suffix)] for suffix in _SUFFIXES)
    return next(filter(None, found), [])


def _by_name(folder: Place, tables: Sequence[str]) -> Splits:
    splits: Splits = {}
    paths = [text_of(folder / name) for name in tables]
    for name, path in zip(tables, paths, strict=True):
        matches = (split.fullmatch(name) for split in _SPLITS)
        if match := next(filter(None, matches), None):
            splits.setdefault(match[1], []).append(path)
    return splits if len(splits) > 1 else {next(iter(splits), "train"): paths}
