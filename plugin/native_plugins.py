"""Plugins of compiled operators, which Penstock does not load.

Programs for DALI import these functions from its modules `plugin_manager` and `sysconfig`. Here the
functions say what takes the plugins' place.
"""

from __future__ import annotations

import os
from typing import NoReturn

from ..engine.errors import PenstockError

__all__ = ["get_include_dir", "get_lib_dir", "load_directory", "load_library"]


class NativePluginError(PenstockError, RuntimeError):
    """A program asks for a plugin of compiled operators."""


def load_library(library_path: str | os.PathLike[str], global_symbols: bool = False) -> NoReturn:
    """Raise NativePluginError: operators are classes of Python here."""
    raise NativePluginError(
        f"{library_path}: a library of operators for DALI is compiled for DALI alone. Write the "
        "operators as classes of Python, with CUDA kernels for the GPU: see docs/extending.md. A "
        "module that defines them registers them when it is imported"
    )


def load_directory(
    plugin_dir_path: str | os.PathLike[str], global_symbols: bool = False
) -> NoReturn:
    """Raise NativePluginError, as `load_library`."""
    load_library(plugin_dir_path)


def get_include_dir() -> NoReturn:
    """Raise NativePluginError: there are no headers to compile operators with."""
    raise NativePluginError(
        "operators of Penstock are classes of Python, which no compiler needs headers for: see "
        "docs/extending.md"
    )


def get_lib_dir() -> NoReturn:
    """Raise NativePluginError: there is no library to link operators with."""
    get_include_dir()
