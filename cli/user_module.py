"""Modules of the user's: importing them, and saying which of their lines failed."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import traceback
from pathlib import Path
from types import ModuleType

from .commands import CommandFailed


def load_module(module: str) -> ModuleType:
    """Import a module of the user's: a Python file, or a module by its dotted name.

    Raises:
        CommandFailed: there is no such module, or the module's code fails.
    """
    try:
        if module.endswith(".py") or os.sep in module:
            return _load_file(Path(module))
        sys.path.insert(0, os.getcwd())
        return importlib.import_module(module)
    except CommandFailed:
        raise
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise failed(module, error) from error
        raise CommandFailed(
            f"there is no module {module!r}: neither in {os.getcwd()} nor among the "
            "installed packages; a file is given with its ending, as in train.py:NAME",
            2,
        ) from error
    except Exception as error:
        raise failed(module, error) from error


def _load_file(path: Path) -> ModuleType:
    """Run a Python file, as `python FILE` would, but under its own name.

    Worker processes import the module by this name, from the file's folder.
    """
    if not path.is_file():
        raise CommandFailed(f"{path}: there is no such file", 2)
    sys.path.insert(0, str(path.resolve().parent))
    name = path.stem if path.stem not in sys.modules else f"{path.stem}_of_{os.getpid()}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise CommandFailed(f"{path} is no Python file: its name does not end in .py", 2)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def loaded_module(module: str) -> ModuleType:
    """Return a module that `load_module` has imported, by the same name."""
    if not module.endswith(".py") and os.sep not in module:
        return sys.modules[module]
    path = os.path.abspath(module)
    files = {getattr(loaded, "__file__", None): loaded for loaded in list(sys.modules.values())}
    return files.get(path) or files[module]


def failed(target: str, error: Exception) -> CommandFailed:
    """Return the end of a command by an error of the user's code.

    Args:
        target: module, or module and name, as the user gave it.
        error: its message, its notes, and the last line of the module that ran are kept.
    """
    where = location_of(error, target.partition(":")[0]) or target
    failure = CommandFailed(f"{where}: {type(error).__name__}: {error}")
    for line in getattr(error, "__notes__", ()):
        failure.add_note(line)
    return failure


def location_of(error: Exception, module: str) -> str:
    """Return file and line of the user's code where an error arose; "" if in none of it."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}, line {error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if _is_file_of(frame.filename, module)]
    return f"{own[-1].filename}, line {own[-1].lineno}" if own else ""


def _is_file_of(filename: str, module: str) -> bool:
    if module.endswith(".py"):
        return os.path.abspath(filename) == os.path.abspath(module)
    path = module.replace(".", os.sep)
    return filename.endswith((f"{path}.py", os.path.join(path, "__init__.py")))
