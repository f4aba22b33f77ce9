"""Constants in the graph: numbers and arrays that every sample shares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import ArgumentError
from .graph import DataNode, add_node
from .operator import Array, BatchOperator, register
from .params import ARRAY, REQUIRED, STR, param
from .types import DALIDataType, to_numpy_type

if TYPE_CHECKING:
    from .batch import Batch


@register
class Constant(BatchOperator):
    """The same value for every sample."""

    name = "_constant"
    called = "types.Constant"
    value = param(ARRAY, REQUIRED, "What each sample gets.")
    layout = param(STR, "", "Meaning of the dimensions.")

    def output_layouts(self) -> tuple[str, ...]:
        return (self.layout,)

    def batch(self, batch: Batch) -> Any:
        return np.broadcast_to(self.value, (batch.size, *self.value.shape))


class ConstantNode(DataNode):
    """What `types.Constant` returns: data, and `Constant(2).uint8()` is the same in that type."""

    def __init__(self, data: DataNode, value: Array) -> None:
        super().__init__(data.node, data.index, data.device, data.layout)
        self._value = value

    @staticmethod
    def _conversion(dtype: DALIDataType) -> Callable[[ConstantNode], DataNode]:
        def convert(self: ConstantNode) -> DataNode:
            return constant_node(self._value, dtype, layout=self.layout, device=self.device)

        convert.__doc__ = f"Return the constant in the type {dtype.name}."
        return convert


for _dtype in DALIDataType:
    if _dtype != DALIDataType.NO_TYPE:
        setattr(ConstantNode, to_numpy_type(_dtype).name, ConstantNode._conversion(_dtype))


def constant_node(
    value: Any,
    dtype: Any = None,
    shape: Sequence[int] | None = None,
    layout: str | None = None,
    device: str | None = "cpu",
) -> DataNode:
    """Add a constant to the graph being defined: see `types.Constant`."""
    array = np.asarray(value)
    if dtype is not None:
        array = array.astype(to_numpy_type(dtype))
    elif not isinstance(value, np.ndarray | np.generic):
        array = _narrow(array)
    if shape is not None:
        array = _shaped(array, tuple(shape))
    (node,) = add_node(Constant, (), {"value": array, "layout": layout})
    return ConstantNode(node.gpu() if device == "gpu" else node, array)


def _shaped(array: Array, shape: tuple[int, ...]) -> Array:
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
