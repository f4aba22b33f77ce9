"""Folders of data sets on the Hub, and patterns of files."""

from __future__ import annotations

from ...engine.errors import SourceError
from ..listing.path_globs import path_glob
from .names import hub_name
from .repository import pinned, repository

_NAMED = 6
"""Files that a message names."""


def names_in(url: str) -> tuple[list[str], list[str]]:
    """Return the names of a folder's files and of its folders, sorted; or none."""
    name = hub_name(pinned(url))
    return repository(name).folder(name.path)


def matching_names(url: str) -> list[str]:
    """Return the names of the files that a glob on the Hub stands for, sorted.

    Raises:
        SourceError: no file fits.
    """
    name = hub_name(pinned(url))
    files, fits = repository(name).files, path_glob(name.path)
    found = [str(name._replace(path=path)) for path in files if fits(path)]
    if not found:
        some = ", ".join(list(files)[:_NAMED]) or "nothing"
        raise SourceError(f"no file matches the pattern {str(name)!r}; it holds {some}")
    return found
