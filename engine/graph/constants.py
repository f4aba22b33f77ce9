"""Constants: the operator that gives every sample one value, and the type of that value."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import ArgumentError
from ..tensors.dtypes import to_numpy_type
from .context import BatchContext
from .operator import BatchOperator, register
from .params import ARRAY, LAYOUT, REQUIRED, param
from .rules import BatchRules


@register
class ConstantOperator(BatchOperator):
    """The same value for every sample."""

    name = "_constant"
    batches = BatchRules(sample_independent=True)
    called = "types.Constant"
    value = param(ARRAY, REQUIRED, "What each sample gets.")
    layout = param(LAYOUT, "", "Meaning of the dimensions.")

    def output_layouts(self) -> tuple[str, ...]:
        return (self.layout,)

    def batch(self, batch: BatchContext) -> Any:
        return np.broadcast_to(self.value, (batch.size, *self.value.shape))


def constant_array(
    value: object, dtype: object = None, shape: Sequence[int] | None = None
) -> Array:
    """Return the array that a constant is: see `types.Constant`."""
    array = np.asarray(value)
    if dtype is not None:
        array = array.astype(to_numpy_type(dtype))
    elif array.ndim or not isinstance(value, np.ndarray | np.generic):
        array = narrow(array)
    return array if shape is None else _shaped(array, tuple(shape))


def data_array(value: object) -> Array:
    """Return the array that a number or array is where data are expected, of at most 32 bits.

    Unlike operands of arithmetic, NumPy's numbers have no types of their own there, as in DALI.
    """
    return narrow(constant_array(value))


def _shaped(array: Array, shape: tuple[int, ...]) -> Array:
    if any(extent < 0 for extent in shape):
        raise ArgumentError(
            f"types.Constant: extents of a shape must not be negative, but the shape is {shape}"
        )
    if array.size == prod(shape):
        return array.reshape(shape)
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise ArgumentError(
            f"types.Constant: a value of shape {array.shape} does not fill the shape {shape}"
        ) from None


def narrow(array: Array) -> Array:
    """Give Python's numbers, and arrays of 64 bits, the types that constants have: of 32 bits.

    The types are DALI's. A NumPy number, such as `np.int64(1)`, keeps its own type.
    """
    target = _NARROW.get(array.dtype.name)
    if target is None:
        return array
    with np.errstate(over="ignore"):  # infinite in float32
        narrow = array.astype(target)
    if target != "float32" and (narrow != array).any():
        worst = array[narrow != array].reshape(-1)[0] if array.ndim else array
        raise ArgumentError(
            f"integer constants are {target}, which cannot hold {worst}; say which type is meant "
            f"with types.Constant(value, dtype=types.{array.dtype.name.upper()})"
        )
    return narrow


_NARROW = {"float64": "float32", "int64": "int32", "uint64": "uint32"}
