"""The line of the user's program that makes a call: for nodes, and for warnings."""

from __future__ import annotations

import sys
import warnings
from functools import cache
from pathlib import Path
from types import FrameType

_PACKAGE = Path(__file__).parents[2]


def caller() -> str:
    """Return file and line of the innermost frame outside of Penstock."""
    frame = _frame_of_caller()
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def warn_of_deprecation(message: str) -> None:
    """Warn the user's program of a deprecation."""
    warn_caller(message, DeprecationWarning)


def warn_caller(message: str, category: type[Warning]) -> None:
    """Warn the user's program, whose line the warning names."""
    frame = _frame_of_caller()
    warnings.warn_explicit(
        message,
        category,
        frame.f_code.co_filename,
        frame.f_lineno,
        frame.f_globals.get("__name__"),
        frame.f_globals.setdefault("__warningregistry__", {}),
    )


def _frame_of_caller() -> FrameType:
    frame = sys._getframe(1)
    while frame.f_back is not None and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


@cache
def is_ours(filename: str) -> bool:
    """Return whether a file is a module of the library, and no program that lies beside it."""
    path = Path(filename)
    folders = [folder for folder in path.parents if folder.is_relative_to(_PACKAGE)]
    return bool(folders) and all((folder / "__init__.py").is_file() for folder in folders)
