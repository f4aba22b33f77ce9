"""A layout of folders as one row: what tells it, what it is, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from .folder import Folder


class Layout(NamedTuple):
    """A layout.

    Attributes:
        fits: returns whether a folder has it.
        title, advice: what it is, and what to do.
        format: name of the format by which `datasets` opens the folder; "" if none does.
    """

    fits: Callable[[Folder], bool]
    title: str
    advice: str
    format: str = ""


def holds(name: str, pattern: str) -> Callable[[Folder], bool]:
    """Return what tells whether a folder in a folder has a file whose name fits a pattern."""
    return lambda folder: name in folder.folders and folder.inner(name).has(pattern)
