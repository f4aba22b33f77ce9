"""The Python operators of `DataNode`s: `a + b`, `a < b`, `-a`."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


class NodeArithmetic(Generic[Result]):
    """Base that maps each Python operator to the name of an arithmetic function."""

    @abstractmethod
    def _binary(self, function: str, other: object, *, swapped: bool = False) -> Result:
        """Return the result of a function of two operands; `swapped` if `other` is the first."""

    @abstractmethod
    def _unary(self, function: str) -> Result:
        """Return the result of a function of this operand."""

    def __add__(self, other: object) -> Result:
        return self._binary("add", other)

    def __radd__(self, other: object) -> Result:
        return self._binary("add", other, swapped=True)

    def __sub__(self, other: object) -> Result:
        return self._binary("sub", other)

    def __rsub__(self, other: object) -> Result:
        return self._binary("sub", other, swapped=True)

    def __mul__(self, other: object) -> Result:
        return self._binary("mul", other)

    def __rmul__(self, other: object) -> Result:
        return self._binary("mul", other, swapped=True)

    def __truediv__(self, other: object) -> Result:
        return self._binary("truediv", other)

    def __rtruediv__(self, other: object) -> Result:
        return self._binary("truediv", other, swapped=True)

    def __floordiv__(self, other: object) -> Result:
        return self._binary("floordiv", other)

    def __rfloordiv__(self, other: object) -> Result:
        return self._binary("floordiv", other, swapped=True)

    def __mod__(self, other: object) -> Result:
        return self._binary("mod", other)

    def __rmod__(self, other: object) -> Result:
        return self._binary("mod", other, swapped=True)

    def __pow__(self, other: object) -> Result:
        return self._binary("pow", other)

    def __rpow__(self, other: object) -> Result:
        return self._binary("pow", other, swapped=True)

    def __and__(self, other: object) -> Result:
        return self._binary("and", other)

    def __rand__(self, other: object) -> Result:
        return self._binary("and", other, swapped=True)

    def __or__(self, other: object) -> Result:
        return self._binary("or", other)

    def __ror__(self, other: object) -> Result:
        return self._binary("or", other, swapped=True)

    def __xor__(self, other: object) -> Result:
        return self._binary("xor", other)

    def __rxor__(self, other: object) -> Result:
        return self._binary("xor", other, swapped=True)

    def __lshift__(self, other: object) -> Result:
        return self._binary("lshift", other)

    def __rlshift__(self, other: object) -> Result:
        return self._binary("lshift", other, swapped=True)

    def __rshift__(self, other: object) -> Result:
        return self._binary("rshift", other)

    def __rrshift__(self, other: object) -> Result:
        return self._binary("rshift", other, swapped=True)

    def __lt__(self, other: object) -> Result:
        return self._binary("lt", other)

    def __le__(self, other: object) -> Result:
        return self._binary("le", other)

    def __gt__(self, other: object) -> Result:
        return self._binary("gt", other)

    def __ge__(self, other: object) -> Result:
        return self._binary("ge", other)

    def __eq__(self, other: Any) -> Result:  # type: ignore[override]
        return self._binary("eq", other)

    def __ne__(self, other: Any) -> Result:  # type: ignore[override]
        return self._binary("ne", other)

    __hash__ = object.__hash__

    def __neg__(self) -> Result:
        return self._unary("neg")

    def __invert__(self) -> Result:
        return self._unary("invert")

    def __abs__(self) -> Result:
        return self._unary("abs")
