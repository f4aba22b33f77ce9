"""Which functions are rewritten, and when: those that rewritten functions call.

A function is rewritten when a rewritten function calls it. So functions that a definition hands
over, such as those of `fn.python_function` and `fn.external_source`, stay as they are.
"""

from __future__ import annotations

import functools
import sys
from contextlib import suppress
from pathlib import Path
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from ..graph.callers import is_ours

RUNTIME = "_penstock_runtime"
"""The name of the module `runtime` in rewritten functions."""

LEFT_ALONE = "_penstock_do_not_convert"
"""The attribute of functions that stay as they are."""

_DONE = "_penstock_converted"

_FOREIGN = frozenset(
    {
        *("cupy", "cv2", "jax", "jaxlib", "keras", "lightning", "matplotlib", "mxnet", "numba"),
        *("numpy", "nvidia", "paddle", "pandas", "PIL", "pyarrow", "pytest", "scipy", "sklearn"),
        *("tensorflow", "torch", "torchaudio", "torchvision"),
    }
)
"""Libraries whose functions know nothing of nodes, and are large."""

_OWN = ("auto_aug", "experimental")
"""Modules and folders of this library whose functions are written like those of users."""

_codes: dict[tuple[CodeType, str], CodeType | None] = {}


def converted(function: Any, runtime: ModuleType) -> Any:
    """Return the rewritten function; other callables, and functions of libraries, as they are.

    Args:
        function: any callable.
        runtime: the module whose functions the rewritten function calls.
    """
    if getattr(function, LEFT_ALONE, False) is True:
        return function
    if isinstance(function, FunctionType):
        return _rewritten(function, runtime)
    if isinstance(function, MethodType):
        own = function.__func__
        if isinstance(own, FunctionType) and not getattr(own, LEFT_ALONE, False):
            return MethodType(_rewritten(own, runtime), function.__self__)
        return function
    if isinstance(function, functools.partial):
        return functools.partial(
            converted(function.func, runtime), *function.args, **function.keywords
        )
    if function is map or function is functools.reduce:
        return lambda called, *others: function(converted(called, runtime), *others)
    if isinstance(function, type):
        return function
    call = getattr(type(function), "__call__", None)  # noqa: B004  (how it is called)
    if isinstance(call, FunctionType) and not getattr(call, LEFT_ALONE, False):
        return MethodType(_rewritten(call, runtime), function)
    return function


def _rewritten(function: FunctionType, runtime: ModuleType) -> FunctionType:
    code = function.__code__
    if hasattr(function, _DONE) or not _is_users(function):
        return function
    key = code, code.co_filename
    if key not in _codes:
        _codes[key] = _rewritten_code(function)
    new = _codes[key]
    if new is None:
        return function
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    cells[RUNTIME] = CellType(runtime)
    closure = tuple(cells[name] for name in new.co_freevars)
    made = FunctionType(
        new, function.__globals__, function.__name__, function.__defaults__, closure
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = function.__qualname__
    made.__module__ = function.__module__
    made.__doc__ = function.__doc__
    made.__dict__.update(function.__dict__)
    setattr(made, _DONE, True)
    return made


def _rewritten_code(function: FunctionType) -> CodeType | None:
    from .rewriting import rewritten  # which most pipelines do not need
    from .source import tree_of

    code = function.__code__
    tree = tree_of(code, function.__globals__)
    if tree is None:
        return None
    scopes = code.co_qualname.split(".")[:-1]
    class_name = scopes[-1] if scopes and scopes[-1] != "<locals>" else ""
    return rewritten(tree, code, class_name, RUNTIME)


def _is_users(function: FunctionType) -> bool:
    """Return whether a function belongs to a user's program."""
    module = str(function.__globals__.get("__name__", ""))
    top = module.partition(".")[0]
    if top in _FOREIGN or (top in sys.stdlib_module_names and top != "__main__"):
        return False
    filename = function.__code__.co_filename
    if not is_ours(filename):
        return True
    folder = Path(__file__).parents[2]
    with suppress(ValueError):
        parts = Path(filename).relative_to(folder).parts
        return Path(parts[0]).stem in _OWN
    return False
