"""Arithmetic of `DataNode`s: Python's operators and `penstock.math`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...engine.arrays import Shape
from ...engine.errors import ArgumentError, LayoutError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import REQUIRED, STR, param
from ...engine.graph.row_arguments import try_rows
from ...engine.graph.rules import Input
from ...engine.tensors import TensorList, TensorListCPU, TensorListGPU, address_of
from ...engine.tensors.dtypes import to_numpy_type
from .functions import FUNCTIONS, zero_division
from .gpu_expression import broadcast, compute, operand

Memory = Callable[[tuple[int, ...], Any], Array]


@register
class Arithmetic(SampleOperator):
    """Computes an expression element by element.

    Result types follow the rules in `operators/elementwise/promotion.py`; Python's numbers count as
    int32 and float32, NumPy's have their own type. Shapes are broadcast as NumPy does it: aligned
    at the last dimension, an extent of 1 is repeated.

    Integers wrap around. `//` truncates towards zero and `%` takes the sign of the dividend, as
    in C; on floating point numbers `//` is plain division. `/` on integers gives float32. An
    integer to a negative integer power is 0. A shift by the type's width or more gives 0 (-1 for
    a negative number shifted right). Where an operand is not a number, neither is the result,
    also that of `min`, `max` and `clamp`. On the GPU, functions such as `sin` and `pow` may
    differ by a few units in the last place.

    Raises:
        ArgumentError: shapes cannot be broadcast, layouts contradict each other, or the function
            does not support the dtypes. Booleans support no arithmetic except multiplication, and
            floating point numbers support no bitwise operations.
        ZeroDivisionError: the divisor of an integer division or remainder is 0.
    """

    name = "_arithmetic"
    devices = ("cpu", "gpu")
    called = "arithmetic"
    inputs = (Input("operands", many=True, device="any"),)
    function = param(STR, REQUIRED, "Name of the function, as in `elementwise.FUNCTIONS`.")

    def prepare(self) -> None:
        if self.function not in FUNCTIONS:
            raise ArgumentError(f"there is no arithmetic function {self.function!r}")
        self._function = FUNCTIONS[self.function]
        longest = max(self.layouts, key=len, default="")
        if longest and not all(self.layouts):  # an operand without a layout may have more axes
            self.assumed_layouts = {len(longest): longest}

    def output_layouts(self) -> tuple[str, ...]:
        longest = max(self.layouts, key=len, default="")
        for layout in self.layouts:
            if not longest.endswith(layout):
                raise LayoutError(
                    f"operands of {self.function!r} have the layouts {longest!r} and {layout!r}; "
                    "one must be the end of the other. Transpose one, or set its layout with "
                    "fn.reshape(..., layout=...)"
                )
        return (longest,)

    def sample(self, workspace: Workspace, *operands: Array) -> Array:
        return self._compute(operands, workspace.empty)

    def batch(self, batch: BatchContext, *operands: TensorList) -> TensorListCPU:
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

    def batch_gpu(self, batch: BatchContext, *operands: TensorList) -> TensorListGPU:
        own = tuple([to_numpy_type(data.dtype) for data in operands])
        common, result = self._function.types(own)
        values = [operand(batch, data) for data in operands]
        extents, bad = broadcast(values)

        def check(row: int) -> None:
            _broadcast([tuple(value.extents[row].tolist()) for value in values])

        try_rows(batch, np.flatnonzero(bad), check)
        exact = self._function.compares and common.kind != "f"
        types = own if exact else (common,) * len(own)
        result_of = partial(compute, batch, self.function, values, types, extents, result)
        if not self._function.divides or common.kind == "f":
            return result_of()
        divisor = operands[-1]
        if isinstance(divisor, TensorListCPU):
            _refuse_zeros(batch, divisor)
            return result_of()
        marks = batch.device.upload(np.zeros(batch.size, np.uint8))
        out = result_of(address_of(marks) + np.arange(batch.size, dtype=np.uint64))
        _report(batch, marks)
        return out

    def _compute(self, operands: Sequence[Array], empty: Memory) -> Array:
        compute, result = self._function.types(tuple([a.dtype for a in operands]))
        out = empty(_broadcast([a.shape for a in operands]), result)
        with np.errstate(all="ignore"):
            self._function.compute(operands, compute, out)
        return out


def _refuse_zeros(batch: BatchContext, divisor: TensorListCPU) -> None:
    """Fail the rows in which something is divided by 0."""
    for row in range(batch.size):
        if not divisor.row(row).all():
            batch.fail_row(row, zero_division())


def _report(batch: BatchContext, marks: object) -> None:
    """Fail the rows that the device marks, once the device is done."""
    zeros = batch.device.to_host(TensorListGPU(marks), batch.empty).dense()

    def check() -> None:
        for row in np.flatnonzero(zeros).tolist():
            batch.fail_row(row, zero_division())

    batch.check_later(check)


def _align(arrays: list[Array]) -> list[Array]:
    """Insert axes after the batch's own, so that the samples' last dimensions line up."""
    ndim = max(array.ndim for array in arrays)
    return [
        array.reshape(array.shape[:1] + (1,) * (ndim - array.ndim) + array.shape[1:])
        for array in arrays
    ]


def _broadcast(shapes: Sequence[Shape]) -> Shape:
    shape: Shape = ()
    for other in shapes:
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
