"""Globs over whole paths, as the Hugging Face hub and fsspec mean them."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|\[!?[^\]]+\]|[^*?\[]+|\[")
_GLOB = re.compile(r"[*?[]")


def is_glob(path: str) -> bool:
    """Return whether a path holds a character of a glob."""
    return _GLOB.search(path) is not None


def path_glob(pattern: str) -> re.Pattern[str]:
    """Return what matches the paths that a glob stands for: `**` alone stands for slashes, too.

    >>> fits = path_glob("data/**/train-*[0-9].parquet").fullmatch
    >>> [path for path in ("data/train-1.parquet", "data/a/b/train-x2.parquet") if fits(path)]
    ['data/train-1.parquet', 'data/a/b/train-x2.parquet']
    >>> bool(path_glob("data/*").fullmatch("data/a/b"))
    False
    """
    return re.compile("".join(map(_translated, _TOKEN.findall(pattern))))


def _translated(token: str) -> str:
    if token == "**/":
        return "(?:[^/]+/)*"
    if token == "**":
        return ".*"
    if token in ("*", "?"):
        return "[^/]" + "*" * (token == "*")
    if len(token) > 2 and token[0] == "[" and token[-1] == "]":
        negated = token[1] == "!"
        members = token[1 + negated : -1].replace("\\", r"\\").replace("[", r"\[")
        return f"[{'^' * negated}{members.replace('^', chr(92) + '^')}]"
    return re.escape(token)
