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
        are_parts: whether readers of shards may be meant to read a part of it.
        format: name of the format by which `datasets` opens the folder; "" if none does.
    """

    fits: Callable[[Folder], bool]
    title: str
    advice: str
    are_parts: bool = False
    format: str = ""
