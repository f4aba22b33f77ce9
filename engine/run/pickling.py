"""Functions that are pickled whole; public as `penstock.pickling`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType, ModuleType
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


@contextmanager
def by_value(cloudpickle: ModuleType, value: Any) -> Iterator[None]:
    """Have cloudpickle store the module's code of a function that is marked, in this block."""
    module = sys.modules.get(getattr(value, "__module__", ""))
    if not is_marked(value) or module is None or module.__name__ == "__main__":
        yield
        return
    cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        cloudpickle.unregister_pickle_by_value(module)
