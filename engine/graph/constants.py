"""Constants: the operator that gives every sample one value, and the type of that value."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ..errors import ArgumentError
from ..tensors.dtypes import to_numpy_type
from .context import Array, BatchContext
from .operator import BatchOperator, register
from .params import ARRAY, LAYOUT, REQUIRED, param


@register
class ConstantOperator(BatchOperator):
    """The same value for every sample."""

    name = "_constant"
    called = "types.Constant"
    value = param(ARRAY, REQUIRED, "What each sample gets.")
    layout = param(LAYOUT, "", "Meaning of the dimensions.")

    def output_layouts(self) -> tuple[str, ...]:
        return (self.layout,)

    def batch(self, batch: BatchContext) -> Any:
        return np.broadcast_to(self.value, (batch.size, *self.value.shape))


def constant_array(value: Any, dtype: Any = None, shape: Sequence[int] | None = None) -> Array:
    """Return the array that a constant is: see `types.Constant`."""
    array = np.asarray(value)
    if dtype is not None:
        array = array.astype(to_numpy_type(dtype))
    elif not isinstance(value, np.ndarray | np.generic):
        array = _narrow(array)
    return array if shape is None else _shaped(array, tuple(shape))


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


def _narrow(array: Array) -> Array:
    """Give Python's numbers the types that they have in pipelines: int32 and float32."""
    if array.dtype.kind == "f":
        return array.astype(np.float32)
    if array.dtype.kind not in "iu":
        return array
    narrow = array.astype(np.int32)
    if (narrow != array).any():
        raise ArgumentError(
            f"integer constants are int32, which cannot hold {array.max()}; say which type is "
            "meant with types.Constant(value, dtype=types.INT64) or a NumPy number"
        )
    return narrow
