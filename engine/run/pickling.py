"""Functions that are pickled whole; public as `penstock.pickling`."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

__all__ = ["pickle_by_value"]

F = TypeVar("F", bound=Callable[..., Any])

_MARK = "_pickle_by_value"


def pickle_by_value(fun: F) -> F:
    """Let `Pipeline.serialize` store the code of a function, and not the name of its module.

    A program that lacks the module can run the function then. The decorator is for functions of
    modules that can be imported: other functions are stored by value anyway.

    Raises:
        TypeError: `fun` is no function of Python.
    """
    if not isinstance(fun, FunctionType):
        raise TypeError(f"pickle_by_value is for functions of Python, not for {fun!r}")
    setattr(fun, _MARK, True)
    return fun


def is_marked(value: Any) -> bool:
    """Return whether `pickle_by_value` was called with this function."""
    return getattr(value, _MARK, False) is True
