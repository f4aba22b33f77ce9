"""Mathematical functions of tensors and batches, made public as `ndd.math`.

Operands are tensors, batches, arrays and numbers. Types of results are those of `penstock.math`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ...operators.elementwise import math_functions
from .calls import call


def _of(name: str) -> Callable[..., object]:
    documented = getattr(math_functions, name)
    count = len(inspect.signature(documented).parameters)

    def function(*operands: object) -> Any:
        if len(operands) != count:
            raise TypeError(f"math.{name}() takes {count} operands, but was given {len(operands)}")
        return call("_arithmetic", *operands, function=name)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = documented.__doc__
    vars(function)["__signature__"] = inspect.signature(documented)
    return function


def math_module(name: str) -> ModuleType:
    """Return the module with all functions.

    Args:
        name: of the module.
    """
    module = ModuleType(name, __doc__)
    vars(module).update({name: _of(name) for name in math_functions.__all__})
    vars(module)["__all__"] = [*math_functions.__all__]
    return module
