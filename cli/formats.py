"""What the help says of data sets: the names of formats come from their table."""

from __future__ import annotations

from collections.abc import Iterable

from ..datasets.formats.table import FORMATS


def listed(names: Iterable[str], last: str = "and") -> str:
    """Return names as words of a sentence.

    >>> listed(["lmdb", "npy", "coco"], "or")
    'lmdb, npy or coco'
    """
    *others, end = names
    return f"{', '.join(others)} {last} {end}" if others else end


FORMATS_READ = f"Formats: {listed(FORMATS)}."
DATA_SET = f"Data set: a folder, a file, a pattern or a URL. {FORMATS_READ}"
"""The help of an argument that takes a data set."""

INDEXED = listed([name for name, row in FORMATS.items() if row.index is not None])
"""Formats whose files have indexes."""
