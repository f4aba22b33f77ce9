"""Patterns in URLs: `s3://bucket/train-*.tar`, `https://host/**/[0-9]*.jpg`, a folder.

A web server's pages of links serve as folders. There a `?` begins the query, and is no pattern.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from ..storage.urls import Url
from .folder_rule import is_hidden

_WEB = ("http://", "https://")


def has_pattern(url: str) -> bool:
    """Return whether the path of a URL holds a pattern.

    >>> [has_pattern(f"{url}/a?") for url in ("s3://b", "http://h", "http://[::1]", "http://h/[ab]")]
    [True, False, False, True]
    """
    return _first_pattern(url) is not None


def static_folder(url: str) -> str:
    """Return the deepest folder that holds all that a pattern can name, with a slash at its end.

    >>> static_folder("s3://bucket/a/b*/c/d.tar"), static_folder("s3://bucket/a/?")
    ('s3://bucket/a/', 's3://bucket/a/')
    """
    at = _first_pattern(url)
    return url[: url.rindex("/", 0, at) + 1]


def matching_urls(pattern: str, options: Mapping[str, object]) -> list[str]:
    """Return the URLs of the files that a pattern names, sorted; [] for none.

    Hidden folders are left out, unless the pattern spells the first character of their names.

    Args:
        pattern: of a URL. `**` stands for any number of folders.
        options: `Reader.storage_options`.
    """
    base = static_folder(pattern)
    path, mark, query = _parts(pattern)
    *folders, last = path[len(base) :].split("/")
    places = [base]
    for name in folders:
        places = _inner_folders(places, name, options)
    if last == "**":
        places, last = _inner_folders(places, last, options), "*"
    found = {
        f"{place}{name}{mark}{query}"
        for place, (files, _) in zip(places, _listed(places, mark + query, options), strict=True)
        for name in files
        if fnmatchcase(name, last)
    }
    return sorted(found)


def names_beside(pattern: str, options: Mapping[str, object]) -> list[str]:
    """Return the names in the folder where a pattern begins; folders have a slash at their end.

    Raises:
        SourceError: there is no such folder, or it cannot be listed.
    """
    from ..remote.folders import list_folders  # needs optional libraries

    _, mark, query = _parts(pattern)
    (entries,) = list_folders([static_folder(pattern) + mark + query], options)
    return sorted(f"{name}/" if is_folder else name for name, is_folder in entries)


def _inner_folders(places: list[str], name: str, options: Mapping[str, object]) -> list[str]:
    if name != "**" and not re.search(r"[*?[]", name):
        return [f"{place}{name}/" for place in places]
    recursive, found = name == "**", list(places)
    level = places
    while level:
        level = [
            f"{place}{inner}/"
            for place, (_, folders) in zip(level, _listed(level, "", options), strict=True)
            for inner in folders
            if fnmatchcase(inner, "*" if recursive else name)
            and (name[:1] == "." or not is_hidden(inner))
        ]
        if not recursive:
            return level
        found += level
    return found


def _listed(
    places: Sequence[str], query: str, options: Mapping[str, object]
) -> list[tuple[list[str], list[str]]]:
    from ..remote.folders import folders_entries  # needs optional libraries

    return folders_entries([Url(place + query) for place in places], options)


def _parts(url: str) -> tuple[str, str, str]:
    return url.partition("?") if url.lower().startswith(_WEB) else (url, "", "")


def _first_pattern(url: str) -> int | None:
    path = _parts(url)[0]
    found = re.compile(r"[*?[]").search(path, path.find("/", path.find("://") + 3) + 1 or len(path))
    return found.start() if found else None
