"""`types.Constant`: constants as nodes of the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..arrays import Array
from ..tensors.dtypes import DALIDataType, to_numpy_type
from .constants import ConstantOperator, constant_array
from .nodes import DataNode, add_node


class ConstantNode(DataNode):
    """The node of a constant. `Constant(2).uint8()` is the same constant as uint8."""

    def __init__(self, data: DataNode, value: Array) -> None:
        super().__init__(data.node, data.index, data.device, data.layout)
        self._value = value

    @staticmethod
    def _conversion(dtype: DALIDataType) -> Callable[[ConstantNode], DataNode]:
        def convert(self: ConstantNode) -> DataNode:
            return Constant(self._value, dtype, layout=self.layout, device=self.device)

        convert.__doc__ = f"Return the constant in the type {dtype.name}."
        return convert


for _dtype in DALIDataType:
    if _dtype != DALIDataType.NO_TYPE:
        setattr(ConstantNode, to_numpy_type(_dtype).name, ConstantNode._conversion(_dtype))


def Constant(  # noqa: N802  (the name that pipelines use)
    value: Any,
    dtype: Any = None,
    shape: Sequence[int] | None = None,
    layout: str | None = None,
    device: str | None = "cpu",
    name: str | None = None,
) -> DataNode:
    """Return a node that yields `value` for every sample.

    Args:
        value: a number, a (nested) sequence of numbers, or an array.
        dtype: element type; by default int32 for int, float32 for float, else the array's or the
            NumPy number's. Arrays of float64, int64 and uint64 become float32, int32 and uint32.
        shape: the value is brought into this shape, or broadcast to it.
        layout: one letter a dimension, as in "HWC".
        device: "cpu" or "gpu".
        name: name in the graph, in statistics and errors.
    """
    array = constant_array(value, dtype, shape)
    (node,) = add_node(ConstantOperator, (), {"value": array, "layout": layout}, name=name)
    return ConstantNode(node.gpu() if device == "gpu" else node, array)


ScalarConstant = Constant
