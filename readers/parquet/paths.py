"""Paths of tables: folders of the Hugging Face hub hold the files of several splits."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...engine.errors import ArgumentError, SourceError
from ..listing.path_patterns import expand_paths
from ..storage.urls import Url, is_url, place_of

_NAMES = "train|training|validation|valid|val|dev|eval|test|testing"
_SPLIT = re.compile(rf"({_NAMES})(?![a-z])[^/]*\.(?:parquet|arrow)")
_SUFFIXES = (".parquet", ".arrow")


def table_paths(paths: Sequence[str], options: Mapping[str, Any]) -> list[str]:
    """Return the files that paths, URLs, patterns and folders stand for.

    The URL of a folder ends with a slash, or its last part has not the suffix of a table.

    Args:
        paths: see there.
        options: for URLs: `Reader.storage_options`.

    Raises:
        ArgumentError: a folder holds the files of several splits.
        SourceError: no file is there.
    """
    locations = []
    for path in paths:
        expanded = [path] if os.path.isdir(path) else expand_paths([path])
        for location in expanded:
            files = _files_of_folder(location, options)
            refuse_several_splits(location, files)
            locations += files or [location]
    return locations


def refuse_several_splits(folder: str, files: Sequence[str]) -> None:
    """Raise ArgumentError if the names of a folder's files tell of several splits."""
    if not (os.path.isdir(folder) or is_url(folder)):
        return
    matches = [(file, _SPLIT.fullmatch(place_of(file).name)) for file in files]
    splits = {match[1]: file for file, match in matches if match}
    if len(splits) > 1:
        last = max(splits)
        one = splits[last] if is_url(folder) else os.path.join(folder, f"{last}*")
        raise ArgumentError(
            f"{str(place_of(folder))!r} holds the splits {', '.join(sorted(splits))}, which are "
            f"not one data set; name the files of one of them: {str(place_of(one))!r}"
        )


def _files_of_folder(path: str, options: Mapping[str, Any]) -> list[str]:
    """Return the tables in a folder; [] if the path is no folder."""
    if os.path.isdir(path):
        return expand_paths([path], f"*{_kind(os.listdir(path))}")
    place = place_of(path)
    if not isinstance(place, Url) or (place.name.endswith(_SUFFIXES) and not path.endswith("/")):
        return []
    from ..remote.folders import folder_entries  # needs optional libraries

    names, _ = folder_entries(place, options)
    tables = [(place / name).text for name in names if name.endswith(_kind(names))]
    if not tables and (names or path.endswith("/")):
        raise SourceError(f"no file '*.parquet' lies in {str(place)!r}")
    return tables


def _kind(names: Sequence[str]) -> str:
    """Return the suffix of a folder's tables: Parquet files, unless there are only Arrow files."""
    parquet, arrow = (any(name.endswith(suffix) for name in names) for suffix in _SUFFIXES)
    return ".arrow" if arrow and not parquet else ".parquet"
