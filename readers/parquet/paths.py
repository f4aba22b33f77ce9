"""Paths of tables: folders of the Hugging Face hub hold the files of several splits."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from ...engine.errors import ArgumentError, SourceError
from ..listing.folder import folder_names
from ..listing.layouts import refuse_layouts
from ..listing.path_patterns import expand_paths, warn_of_missing_files
from ..listing.splits import split_files
from ..storage.urls import Url, is_url, place_of

ENDINGS = (".parquet", ".arrow")


def table_paths(
    paths: Sequence[str], options: Mapping[str, object], split: str = "", config: str = ""
) -> list[str]:
    """Return the files that paths, URLs, patterns and folders stand for.

    The URL of a folder ends with a slash, or its last part has not the suffix of a table.

    Args:
        paths: see there.
        options: for URLs: `Reader.storage_options`.
        split, config: of the folders; "" if there is only one: see `splits_of`.

    Raises:
        ArgumentError: a folder holds several splits, or has not the one that is asked for.
        SourceError: no file is there.
    """
    locations = []
    for path in paths:
        for location in _patterns(path, options):
            files = _files_of_folder(location, options, split, config)
            if (split or config) and not files:
                asked = f"split={split!r}" if split else f"config={config!r}"
                raise ArgumentError(f"{asked} is one of a folder, but {location!r} is none")
            locations += files or [location]
    return locations


def _patterns(path: str, options: Mapping[str, object]) -> list[str]:
    is_folder = path.endswith("/") if is_url(path) else os.path.isdir(path)
    return [path] if is_folder else expand_paths([path], options=options)


def _files_of_folder(
    path: str, options: Mapping[str, object], split: str, config: str
) -> list[str]:
    """Return the tables in a folder; [] if the path is no folder."""
    place, is_folder = place_of(path), os.path.isdir(path)
    if isinstance(place, Url):
        is_folder = path.endswith("/") or not place.name.endswith(ENDINGS)
    if not is_folder:
        return []
    refuse_layouts([path], options)
    if files := split_files(path, options, ENDINGS, split, config):
        warn_of_missing_files(files)
        return files
    if isinstance(place, Url) and not path.endswith("/") and not any(folder_names(place, options)):
        return []
    raise SourceError(f"no file '*.parquet' lies in {str(place)!r}")
