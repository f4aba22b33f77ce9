"""The Python operators of `DataNode`s: `a + b`, `a < b`, `-a`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


def _of_two(
    function: str, *, swapped: bool = False
) -> Callable[[NodeArithmetic[Result], object], Result]:
    def operator(self: NodeArithmetic[Result], other: object) -> Result:
        return self._binary(function, other, swapped=swapped)

    return operator


def _of_one(function: str) -> Callable[[NodeArithmetic[Result]], Result]:
    return lambda self: self._unary(function)


class NodeArithmetic(Generic[Result]):
    """Base that maps each Python operator to the name of an arithmetic function."""

    @abstractmethod
    def _binary(self, function: str, other: object, *, swapped: bool = False) -> Result:
        """Return the result of a function of two operands; `swapped` if `other` is the first."""

    @abstractmethod
    def _unary(self, function: str) -> Result:
        """Return the result of a function of this operand."""

    __add__ = _of_two("add")
    __radd__ = _of_two("add", swapped=True)
    __sub__ = _of_two("sub")
    __rsub__ = _of_two("sub", swapped=True)
    __mul__ = _of_two("mul")
    __rmul__ = _of_two("mul", swapped=True)
    __truediv__ = _of_two("truediv")
    __rtruediv__ = _of_two("truediv", swapped=True)
    __floordiv__ = _of_two("floordiv")
    __rfloordiv__ = _of_two("floordiv", swapped=True)
    __mod__ = _of_two("mod")
    __rmod__ = _of_two("mod", swapped=True)
    __pow__ = _of_two("pow")
    __rpow__ = _of_two("pow", swapped=True)
    __and__ = _of_two("and")
    __rand__ = _of_two("and", swapped=True)
    __or__ = _of_two("or")
    __ror__ = _of_two("or", swapped=True)
    __xor__ = _of_two("xor")
    __rxor__ = _of_two("xor", swapped=True)
    __lshift__ = _of_two("lshift")
    __rlshift__ = _of_two("lshift", swapped=True)
    __rshift__ = _of_two("rshift")
    __rrshift__ = _of_two("rshift", swapped=True)
    __lt__ = _of_two("lt")
    __le__ = _of_two("le")
    __gt__ = _of_two("gt")
    __ge__ = _of_two("ge")

    def __eq__(self, other: Any) -> Result:  # type: ignore[override]
        return self._binary("eq", other)

    def __ne__(self, other: Any) -> Result:  # type: ignore[override]
        return self._binary("ne", other)

    __hash__ = object.__hash__

    __neg__ = _of_one("neg")
    __invert__ = _of_one("invert")
    __abs__ = _of_one("abs")
