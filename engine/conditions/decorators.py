"""The decorators of users: which functions are rewritten, and which are not."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar, overload

from .conversion import LEFT_ALONE

F = TypeVar("F", bound=Callable[..., object])
P = ParamSpec("P")
Result = TypeVar("Result")


@overload
def do_not_convert(func: None = None) -> Callable[[F], F]: ...


@overload
def do_not_convert(func: F) -> F: ...


def do_not_convert(func: Callable[..., object] | None = None) -> Callable[..., object]:
    """Leave a function as it is: `if` in it does not depend on data. A decorator.

    Functions that it calls stay as they are, too.

    >>> from penstock.pipeline import do_not_convert
    >>> @do_not_convert
    ... def largest(sizes):
    ...     return max(sizes) if sizes else 0
    """
    if func is None:
        return do_not_convert
    try:
        setattr(func, LEFT_ALONE, True)
    except AttributeError:  # a method, or a function of another language
        wrapped = functools.partial(func)
        setattr(wrapped, LEFT_ALONE, True)
        return wrapped
    return func


def convert(function: Callable[P, Result]) -> Callable[P, Result]:
    """Let `if` in a function depend on data, whoever calls the function. A decorator.

    With `enable_conditionals` a definition, and the functions that it calls, need no decorator.
    A block `with pipeline:` is no function: what it calls needs this decorator.
    """

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> Result:
        from .runtime import converted  # which most programs do not need

        changed: Callable[P, Result] = converted(function)
        return changed(*args, **kwargs)

    return call
