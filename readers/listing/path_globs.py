"""Globs over whole paths, as the Hugging Face hub and fsspec mean them."""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import translate
from functools import partial

_GLOB = re.compile(r"[*?[]")
_ANY_DEPTH = "**"


def is_glob(path: str) -> bool:
    """Return whether a path holds a character of a glob."""
    return _GLOB.search(path) is not None


def path_glob(pattern: str) -> Callable[[str], bool]:
    """Return a function that returns whether a glob stands for a path.

    `**` as a part of its own stands for any number of folders, at the end also for all files below.
    The work grows with the product of the parts, whatever the pattern: cards of others have some.

    >>> fits = path_glob("data/**/train-*[0-9].parquet")
    >>> [path for path in ("data/train-1.parquet", "data/a/b/train-x2.parquet") if fits(path)]
    ['data/train-1.parquet', 'data/a/b/train-x2.parquet']
    >>> path_glob("data/*")("data/a/b")
    False
    """
    parts = [
        None if part == _ANY_DEPTH else re.compile(translate(part)) for part in pattern.split("/")
    ]
    return partial(_fits, parts)


def _fits(parts: list[re.Pattern[str] | None], path: str) -> bool:
    names = path.split("/")
    reached = {0}  # how many of the names the parts so far may stand for
    for number, part in enumerate(parts):
        if part is None:
            least = min(reached, default=len(names) + 1)
            is_last = number == len(parts) - 1  # then it stands for a file at least
            reached = set(range(least + is_last, len(names) + 1))
        else:
            reached = {n + 1 for n in reached if n < len(names) and part.match(names[n])}
    return len(names) in reached
