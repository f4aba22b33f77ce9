"""Paths of data files with patterns: `shard-{000..127}.tar`, `train*.tfrecord`, a folder.

Braces are expanded as shells expand them; braces must not be nested. Globs and folders are looked
up in the local file system, or in the store of a URL. The URL of a folder ends with a slash. The
path of an existing file names that file, even if the path has special characters.
"""

from __future__ import annotations

import glob
import os
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from ...engine.errors import ArgumentError, SourceError
from ..hub.names import is_on_hub
from ..storage.opening import exists
from ..storage.urls import Url, is_url, shown
from .folder import folder_names
from .folder_rule import is_beside_data, is_hidden
from .layouts import refuse_layouts
from .path_globs import is_glob
from .url_patterns import has_pattern, matching_urls, names_beside

_BRACES = re.compile(r"\{([^{}]*)\}")
_RANGE = re.compile(r"(\d+)\.\.(\d+)(?:\.\.(\d+))?")

_NUMBER_OF = re.compile(r"(.*-)(\d+)-of-(\d+)(?:[^\d/][^/]*)?")

MAX_PATHS = 1_000_000
"""Largest number of paths of one pattern; a larger number is taken for a mistake."""


_NAMES_SHOWN = 5


def expand_paths(
    paths: Iterable[str], in_folders: str = "*", options: Mapping[str, object] | None = None
) -> list[str]:
    """Return the files that paths, globs, folders and braces stand for.

    The files of a glob or a folder come in the order of their names. Hidden names, and files beside
    the data, such as "_SUCCESS", are left out: see `folder_rule`. Files are not opened. Paths
    without a pattern need not exist.

    Args:
        paths: local paths, URLs, and names on the Hub.
        in_folders: glob that the names of a folder's files must match.
        options: `Reader.storage_options`, for URLs.

    Raises:
        ArgumentError: a range counts down or has too many numbers.
        SourceError: no file matches a glob, no file of a folder matches `in_folders`, or another
            program laid out the folder: see `layouts`.

    >>> expand_paths(["s3://bucket/shard-{008..010}.tar", "{train,val}.rec"])[1:]
    ['s3://bucket/shard-009.tar', 's3://bucket/shard-010.tar', 'train.rec', 'val.rec']
    """
    return [
        file
        for path in paths
        for pattern in ([path] if _is_file(path) else expand_braces(path))
        for file in _looked_up(pattern, in_folders, options or {})
    ]


def expand_braces(pattern: str) -> Iterator[str]:
    """Yield the texts that a pattern with braces stands for; see `expand_paths`.

    >>> list(expand_braces("{a,b}{1..2}"))
    ['a1', 'a2', 'b1', 'b2']
    """
    for match in _BRACES.finditer(pattern):
        choices = _choices(match[1], pattern)
        if choices is not None:
            before, behind = pattern[: match.start()], pattern[match.end() :]
            for choice in choices:
                yield from expand_braces(before + choice + behind)
            return
    yield pattern


def _choices(text: str, pattern: str) -> Iterable[str] | None:
    """Return the texts that a pair of braces stands for; None if the braces are literal."""
    numbers = _RANGE.fullmatch(text)
    if numbers is None:
        return text.split(",") if "," in text else None
    first, last, step = int(numbers[1]), int(numbers[2]), int(numbers[3] or 1)
    if last < first or step < 1 or (last - first) // step >= MAX_PATHS:
        raise ArgumentError(
            f"{pattern!r}: the range {{{text}}} must count up, by at least 1, to at most "
            f"{MAX_PATHS} numbers"
        )
    width = max(len(numbers[1]), len(numbers[2])) if _is_padded(numbers) else 0
    return (f"{number:0{width}}" for number in range(first, last + 1, step))


def _is_padded(numbers: re.Match[str]) -> bool:
    return any(text[0] == "0" and len(text) > 1 for text in (numbers[1], numbers[2]))


def _is_file(path: str) -> bool:
    return not is_url(path) and os.path.isfile(path)


def _looked_up(path: str, in_folders: str, options: Mapping[str, object]) -> list[str]:
    """Return the files of one path without braces."""
    if is_on_hub(path) and is_glob(path):
        from ..hub.folders import matching_names  # needs an optional library

        return matching_names(path)
    if is_on_hub(path):
        return [path]
    if is_url(path):
        return _looked_up_url(path, in_folders, options)
    if os.path.isfile(path):
        return [path]
    if os.path.isdir(path):
        refuse_layouts([path])
        return _matching(os.path.join(glob.escape(path), in_folders), path)
    return _matching(path, path) if is_glob(path) else [path]


def _looked_up_url(url: str, in_folders: str, options: Mapping[str, object]) -> list[str]:
    is_folder = url.endswith("/")
    if not is_folder and not has_pattern(url):
        return [url]
    if is_folder:
        refuse_layouts([url], options)
    pattern = url + in_folders if is_folder else url
    matches = _data_files(matching_urls(pattern, options))
    if not matches:
        if not is_folder and (exists(url, options) or any(folder_names(Url(url), options))):
            return [url]
        raise _no_match(shown(pattern), shown(url), names_beside(pattern, options))
    warn_of_missing_files(matches, pattern)
    return matches


def _matching(pattern: str, path: str) -> list[str]:
    found = _data_files(sorted(glob.glob(pattern, recursive=True)))
    matches = [name for name in found if os.path.isfile(name)]
    if not matches:
        folder = re.split(r"[*?[]", pattern, maxsplit=1)[0] if path == pattern else path
        folder = os.path.dirname(folder) if path == pattern else folder
        beside = glob.glob("*", root_dir=folder or ".")
        raise _no_match(pattern, path, sorted(beside))
    warn_of_missing_files(matches, pattern)
    return matches


def _data_files(names: Iterable[str]) -> list[str]:
    return [name for name in names if not is_beside_data(name.partition("?")[0].rpartition("/")[2])]


def _no_match(pattern: str, path: str, beside: Sequence[str]) -> SourceError:
    """Return the error for a pattern that names nothing.

    Args:
        pattern, path: with the glob, and as it was given.
        beside: names in the folder where the pattern begins.
    """
    name = pattern.rpartition("/")[2]
    problem = "no file matches the pattern" if path == pattern else f"no file {name!r} lies in"
    beside = [other for other in beside if not is_hidden(other)]
    names = ", ".join(beside[:_NAMES_SHOWN]) + ", ..." * (len(beside) > _NAMES_SHOWN)
    return SourceError(f"{problem} {path!r}; " + (f"there are {names}" if names else "it is empty"))


def warn_of_missing_files(files: Iterable[str], pattern: str = "*") -> None:
    """Warn of missing files whose number the names of the others tell: `train-00001-of-00004.rec`.

    Args:
        files: paths or URLs that were found in a folder.
        pattern: glob that chose them: a missing file counts if it fits.
    """
    sets: dict[tuple[str, str], dict[int, re.Match[str]]] = {}
    for file in files:
        if match := _NUMBER_OF.fullmatch(file):
            sets.setdefault((match[1], match[3]), {})[int(match[2])] = match
    for (begin, last), found in sets.items():
        count, one = int(last), next(iter(found.values()))
        first = int(count in found)  # some programs count from 1
        names = (
            f"{begin}{number:0{len(one[2])}}{one.string[one.end(2) :]}"
            for number in range(first, first + min(count, MAX_PATHS))
            if number not in found
        )
        if missing := [name for name in names if fnmatchcase(name, pattern)]:
            warnings.warn(
                f"{len(missing)} of {count} files are missing, as the names of the others tell: "
                f"the first is {missing[0]!r}. Fetch them, or name the files that you want by "
                "braces",
                RuntimeWarning,
                stacklevel=2,
            )
