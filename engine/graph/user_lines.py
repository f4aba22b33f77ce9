"""The line of the user's program that makes a node, for messages."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parents[2]


def line_of_user() -> str:
    """Return file and line of the innermost frame outside of Penstock."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


@cache
def _is_ours(filename: str) -> bool:
    """Return whether a file is a module of the library, and no program that lies beside it."""
    path = Path(filename)
    folders = [folder for folder in path.parents if folder.is_relative_to(_PACKAGE)]
    return bool(folders) and all((folder / "__init__.py").is_file() for folder in folders)
