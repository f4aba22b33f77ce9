"""Batches of one value: `zeros`, `ones`, `full`, and the same in the shape of other data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine.errors import ArgumentError
from ..engine.operator import Array, BatchOperator, Operator, Row, SampleOperator, register
from ..engine.params import DTYPE, INTS, STR, param
from ..engine.tensors import TensorListCPU
from ..engine.types import INT32, to_numpy_type
from .random_numbers import wanted_shapes

if TYPE_CHECKING:
    from ..engine.batch import Batch


class _Shaped(Operator):
    """Base: a shape that may vary by sample, and a layout."""

    shape = param(INTS, None, "Shape of a sample's output; by default one number.", per_sample=True)
    layout = param(STR, "", "Layout of the output.")

    def output_layouts(self) -> tuple[str, ...]:
        return (self.layout,)

    def _check_layout(self, shape: tuple[int, ...]) -> None:
        if self.layout and len(self.layout) != len(shape):
            raise ArgumentError(
                f"fn.{self.name}: the layout {self.layout!r} does not describe the shape {shape}"
            )


class _Number(_Shaped, BatchOperator):
    """Base of the operators that fill everything with one number."""

    dtype = param(DTYPE, INT32, "Type of the output.")
    _number: int

    def batch(self, batch: Batch, *, shape: Any) -> TensorListCPU:
        shapes = wanted_shapes(batch, None, shape)
        dtype = to_numpy_type(self.dtype)
        for each in dict.fromkeys(shapes):
            self._check_layout(each)
        if len(set(shapes)) == 1:
            filled = batch.empty((batch.size, *shapes[0]), dtype)
            filled.fill(self._number)
            return TensorListCPU(filled, self.layout)
        return TensorListCPU([np.full(each, self._number, dtype) for each in shapes], self.layout)


@register
class Zeros(_Number):
    """Returns zeros."""

    name = "zeros"
    _number = 0


@register
class Ones(_Number):
    """Returns ones."""

    name = "ones"
    _number = 1


class _NumberLike(SampleOperator):
    inputs = ("data_like",)
    dtype = param(DTYPE, None, "Type of the output; by default that of the input.")
    _number: int

    def sample(self, row: Row, data_like: Array) -> Array:
        dtype = data_like.dtype if self.dtype is None else to_numpy_type(self.dtype)
        out = row.empty(data_like.shape, dtype)
        out.fill(self._number)
        return out


@register
class ZerosLike(_NumberLike):
    """Returns zeros in the shape, type and layout of the input."""

    name = "zeros_like"
    _number = 0


@register
class OnesLike(_NumberLike):
    """Returns ones in the shape, type and layout of the input."""

    name = "ones_like"
    _number = 1


@register
class Full(_Shaped, SampleOperator):
    """Returns the input, broadcast to a shape as NumPy does it; its type is the input's."""

    name = "full"
    inputs = ("fill_value",)

    def sample(self, row: Row, fill_value: Array, *, shape: Any) -> Array:
        wanted = fill_value.shape if shape is None else tuple(shape)
        self._check_layout(wanted)
        return _filled(row, fill_value, wanted, fill_value.dtype, self.name)


@register
class FullLike(SampleOperator):
    """Returns the second input, broadcast to the shape of the first, in its type and layout."""

    name = "full_like"
    inputs = ("data_like", "fill_value")

    def sample(self, row: Row, data_like: Array, fill_value: Array) -> Array:
        return _filled(row, fill_value, data_like.shape, data_like.dtype, self.name)


def _filled(
    row: Row, value: Array, shape: tuple[int, ...], dtype: np.dtype[Any], name: str
) -> Array:
    out = row.empty(shape, dtype)
    try:
        np.copyto(out, value, casting="unsafe")
    except ValueError:
        raise ArgumentError(
            f"fn.{name}: a fill value of shape {value.shape} cannot be broadcast to {shape}"
        ) from None
    return out
