"""Paths of tables: folders of the Hugging Face hub hold the files of several splits."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from ...engine.errors import ArgumentError
from ..listing.path_patterns import expand_paths

_NAMES = "train|training|validation|valid|val|dev|eval|test|testing"
_SPLIT = re.compile(rf"({_NAMES})(?![a-z])[^/]*\.(?:parquet|arrow)")


def table_paths(paths: Sequence[str]) -> list[str]:
    """Return the files that paths, patterns and folders stand for.

    Raises:
        ArgumentError: a folder holds the files of several splits.
        SourceError: no file is there.
    """
    found = []
    for path in paths:
        if not os.path.isdir(path):
            found += expand_paths([path])
            continue
        kind = "*.arrow" if _has(path, ".arrow") and not _has(path, ".parquet") else "*.parquet"
        files = expand_paths([path], kind)
        refuse_several_splits(path, files)
        found += files
    return found


def refuse_several_splits(folder: str, files: Sequence[str]) -> None:
    """Raise ArgumentError if the names of a folder's files tell of several splits."""
    if not os.path.isdir(folder):
        return
    matches = [_SPLIT.fullmatch(os.path.basename(file)) for file in files]
    splits = sorted({match[1] for match in matches if match})
    if len(splits) > 1:
        one = os.path.join(folder, f"{splits[-1]}*")
        raise ArgumentError(
            f"{folder!r} holds the splits {', '.join(splits)}, which are not one data set; name "
            f"the files of one of them: {one!r}"
        )


def _has(folder: str, suffix: str) -> bool:
    return any(name.endswith(suffix) for name in os.listdir(folder))
