"""Functions that are pickled whole; public as `penstock.pickling`."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import ArgumentError

if TYPE_CHECKING:
    from ..processes.python_workers import UserPickler

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


def is_marked(value: object) -> bool:
    """Return whether `pickle_by_value` was called with this function."""
    return getattr(value, _MARK, False) is True


def by_value(cloudpickle: ModuleType, value: object) -> AbstractContextManager[None]:
    """Have cloudpickle store the module's code of a function that is marked, in a block."""
    module = sys.modules.get(getattr(value, "__module__", ""))
    is_main = module is not None and module.__name__ == "__main__"
    return module_by_value(cloudpickle, module if is_marked(value) and not is_main else None)


@contextmanager
def module_by_value(cloudpickle: Any, module: ModuleType | None) -> Iterator[None]:
    """Have cloudpickle store the code of a module's functions, in a block; None for no module."""
    if module is None:
        yield
        return
    cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        cloudpickle.unregister_pickle_by_value(module)


def user_pickler(given: object) -> UserPickler:
    """Return what pickles users' functions for Python workers.

    Args:
        given: the pipeline's argument `py_callback_pickler`.

    Raises:
        ArgumentError: this is no pickler.
    """
    from ..processes.python_workers import UserPickler  # most pipelines need not spend the time

    if given is None:
        return UserPickler(_dumps, pickle.dumps(pickle.loads))
    parts = given if isinstance(given, tuple | list) else (given,)
    pickler, for_dumps, for_loads = (*parts, *[None] * (3 - len(parts)))[:3]
    if not (hasattr(pickler, "dumps") and hasattr(pickler, "loads")) or len(parts) > 3:
        raise ArgumentError(
            "py_callback_pickler must be a module or object with the functions dumps and loads, or "
            "a tuple of it with keyword arguments for dumps and keyword arguments for loads, but "
            f"is {given!r}"
        )
    loads = partial(pickler.loads, **for_loads or {})
    return UserPickler(partial(pickler.dumps, **for_dumps or {}), pickle.dumps(loads))


def _dumps(value: object) -> bytes:
    """Return the pickle of a user's object, by value if cloudpickle is there."""
    try:
        import cloudpickle
    except ImportError:
        return pickle.dumps(value)
    with by_value(cloudpickle, value):
        data: bytes = cloudpickle.dumps(value)
        return data
