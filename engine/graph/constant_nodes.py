"""`types.Constant`: constants as nodes of the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..arrays import Array
from ..tensors.dtypes import ELEMENT_TYPES, DALIDataType, to_dali_type, to_numpy_type
from .constants import ConstantOperator, constant_array, narrow
from .nodes import DataNode, add_node


class ConstantOutput(DataNode):
    """The node of a constant. `Constant([2]).uint8()` is the same constant as uint8."""

    def __init__(self, data: DataNode, array: Array) -> None:
        super().__init__(data.node, data.index, data.device, data.layout)
        self._array = array

    @property
    def dtype(self) -> DALIDataType:
        """Element type."""
        return to_dali_type(self._array.dtype)

    @staticmethod
    def _conversion(dtype: DALIDataType) -> Callable[[ConstantOutput], DataNode]:
        def convert(self: ConstantOutput) -> DataNode:
            is_plain = self.device == "cpu" and not self.layout
            if isinstance(self, ScalarConstant) and is_plain:
                return ScalarConstant(self.value, dtype)
            return Constant(self._array, dtype, layout=self.layout, device=self.device)

        convert.__doc__ = f"Return the constant in the type {dtype.name}."
        return convert


for _dtype in ELEMENT_TYPES:
    setattr(ConstantOutput, to_numpy_type(_dtype).name, ConstantOutput._conversion(_dtype))


class ScalarConstant(ConstantOutput):
    """A number as a node. Of whole numbers `int` and `bool` are known, of others `float`.

    Args:
        value: a number.
        dtype: element type; by default as for `Constant`.

    >>> int(ScalarConstant(3)), float(ScalarConstant(3).float32()), ScalarConstant(3).dtype.name
    (3, 3.0, 'INT32')
    """

    def __init__(self, value: object, dtype: object = None) -> None:
        array = constant_array(value, dtype)
        if array.ndim:
            raise TypeError(f"ScalarConstant holds one number, not {value!r}; use Constant")
        super().__init__(_node_of(array, None, None), array)

    @property
    def value(self) -> Any:
        """The number, of Python's types."""
        return self._array.item()

    def _checked(self, wanted: str, kinds: str) -> Any:
        if self._array.dtype.kind not in kinds:
            raise TypeError(
                f"a constant of type {self.dtype.name} is no {wanted}; convert it first, as in "
                "`constant.int32()` or `constant.float32()`"
            )
        return self.value

    def __bool__(self) -> bool:
        return bool(self._checked("bool", "biu"))

    def __int__(self) -> int:
        return int(self._checked("int", "biu"))

    def __float__(self) -> float:
        return float(self._checked("float", "f"))


def _node_of(array: Array, layout: str | None, name: str | None) -> DataNode:
    (node,) = add_node(ConstantOperator, (), {"value": array, "layout": layout}, name=name)
    return node


def Constant(  # noqa: N802  (the name that pipelines use)
    value: object,
    dtype: object = None,
    shape: Sequence[int] | None = None,
    layout: str | None = None,
    device: str | None = None,
    name: str | None = None,
) -> DataNode:
    """Return a node that yields `value` for every sample; a `ScalarConstant` for a plain number.

    Args:
        value: a number, a (nested) sequence of numbers, or an array.
        dtype: element type; by default int32 for int, float32 for float, else the array's or the
            NumPy number's. Arrays of float64, int64 and uint64 become float32, int32 and uint32.
        shape: the value is brought into this shape, or broadcast to it.
        layout: one letter a dimension, as in "HWC".
        device: "cpu" (the default) or "gpu".
        name: name in the graph, in statistics and errors.
    """
    array = constant_array(value, dtype, shape)
    if array.ndim == 0 and layout is None and device is None and name is None:
        return ScalarConstant(array)
    if dtype is None and isinstance(value, np.ndarray):
        array = narrow(array)  # also an array of one number, whose `ScalarConstant` keeps its type
    node = _node_of(array, layout, name)
    return ConstantOutput(node.gpu() if device == "gpu" else node, array)


def ConstantNode(  # noqa: N802  (the name that pipelines use)
    device: str | None,
    value: object,
    dtype: object,
    shape: Sequence[int] | None,
    layout: str | None,
    name: str | None = None,
) -> DataNode:
    """Return `Constant` of the same arguments, in another order."""
    return Constant(value, dtype, shape, layout, device or "cpu", name)
