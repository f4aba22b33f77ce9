"""What `DataNode`'s Python operators and `penstock.math` compute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine.errors import ArgumentError
from ..engine.operator import Array, Row, SampleOperator, register
from ..engine.params import REQUIRED, STR, param
from ..engine.tensors import TensorList, TensorListCPU
from .elementwise import FUNCTIONS

if TYPE_CHECKING:
    from ..engine.batch import Batch

Memory = Callable[[tuple[int, ...], Any], Array]


@register
class Arithmetic(SampleOperator):
    """Computes an expression element by element.

    Result types follow the rules in `operators/promotion.py`; Python's numbers count as int32
    and float32, NumPy's have their own type. Shapes are broadcast as NumPy does it: aligned at
    the last dimension, an extent of 1 is repeated.

    Integers wrap around. `//` truncates towards zero and `%` takes the sign of the dividend, as
    in C; on floating point numbers `//` is plain division. `/` on integers gives float32. An
    integer to a negative integer power is 0. A shift by the type's width or more gives 0 (-1 for
    a negative number shifted right). Where an operand is not a number, neither is the result,
    also that of `min`, `max` and `clamp`.

    Raises:
        ArgumentError: the types do not go with the function (arithmetic on booleans except
            multiplication, bitwise operations on floating point numbers), shapes cannot be
            broadcast, or layouts contradict each other.
        ZeroDivisionError: an integer is divided by 0, or its remainder is asked for.
    """

    name = "_arithmetic"
    called = "arithmetic"
    inputs = ("*operands",)
    function = param(STR, REQUIRED, "Name of the function, as in `elementwise.FUNCTIONS`.")

    def prepare(self) -> None:
        if self.function not in FUNCTIONS:
            raise ArgumentError(f"there is no arithmetic function {self.function!r}")
        self._function = FUNCTIONS[self.function]

    def output_layouts(self) -> tuple[str, ...]:
        longest = max(self.layouts, key=len, default="")
        for layout in self.layouts:
            if not longest.endswith(layout):
                raise ArgumentError(
                    f"operands of {self.function!r} have the layouts {longest!r} and {layout!r}; "
                    "one must be the end of the other. Transpose one, or set its layout with "
                    "fn.reshape(..., layout=...)"
                )
        return (longest,)

    def sample(self, row: Row, *operands: Array) -> Array:
        return self._compute(operands, row.empty)

    def batch(self, batch: Batch, *operands: TensorList) -> TensorListCPU:
        """Compute a batch of small operands at once, as one expression if they are dense."""
        layout = self.output_layouts()[0]
        if all(data.is_dense_tensor() for data in operands):
            arrays = _align([data.dense() for data in operands])
            return TensorListCPU(self._compute(arrays, batch.empty), layout)
        rows = [
            self._compute([data.row(i) for data in operands], batch.empty)
            for i in range(batch.size)
        ]
        return TensorListCPU(rows, layout)

    def _compute(self, operands: Sequence[Array], empty: Memory) -> Array:
        compute, result = self._function.types(tuple([a.dtype for a in operands]))
        out = empty(_broadcast(operands), result)
        with np.errstate(all="ignore"):
            self._function.compute(operands, compute, out)
        return out


def _align(arrays: list[Array]) -> list[Array]:
    """Insert axes after the batch's own, so that the samples' last dimensions line up."""
    ndim = max(array.ndim for array in arrays)
    return [
        array.reshape(array.shape[:1] + (1,) * (ndim - array.ndim) + array.shape[1:])
        for array in arrays
    ]


def _broadcast(operands: Sequence[Array]) -> tuple[int, ...]:
    shape: tuple[int, ...] = ()
    for operand in operands:
        other = operand.shape
        if other == shape or not other:
            continue
        if not shape:
            shape = other
            continue
        try:
            shape = np.broadcast_shapes(shape, other)
        except ValueError:
            raise ArgumentError(
                f"operands of the shapes {shape} and {other} cannot be broadcast: seen from the "
                "last dimension, extents must be equal, or one of them must be 1"
            ) from None
    return shape
