"""Arithmetic, slices and copies of tensors and batches."""

from __future__ import annotations

from typing import Any, Self

from ...engine.graph.index_keys import split_key
from ...engine.graph.node_arithmetic import NodeArithmetic
from .calls import call
from .devices import Device
from .devices import device as as_device
from .invocations import copied
from .values import Value


class Operand(Value, NodeArithmetic[Any]):
    """Samples with Python's operators: `a + b`, `a < b`, `-a`.

    The other operand may be a tensor, a batch, a number, an array or a list. With a batch, the
    result is a batch. Types of results are those of DALI.
    """

    __array_priority__ = 1000.0  # so that NumPy calls the operand's method for `array * operand`
    __hash__ = object.__hash__

    def _binary(self, function: str, other: object, *, swapped: bool = False) -> object:
        if other is None:
            raise TypeError(f"a {type(self).__name__} and None are no operands of {function!r}")
        operands = (other, self) if swapped else (self, other)
        return call("_arithmetic", *operands, function=function)

    def _unary(self, function: str) -> object:
        return call("_arithmetic", self, function=function)

    def __pos__(self) -> Self:
        return self

    def subscript(self, key: object) -> Any:
        """Return the same part of each sample; data in the key give a part for each sample."""
        constants, data = split_key(key, lambda value: isinstance(value, Value))
        if not data:
            return call("_subscript", self, key=constants)
        return call("_subscript", self, key=constants, indices=call("_indices", *data))

    def to_device(self, device: object, force_copy: bool = False) -> Self:
        """Return the data on a device; this object, if they are there already.

        Args:
            device: a `Device`, its name, or a device of PyTorch.
            force_copy: copy the data in any case.
        """
        wanted = as_device(device)
        if wanted is None or (wanted.device_type == self.place and not force_copy):
            return self
        if wanted.device_type == self.place:
            return self.of(copied(self))
        with wanted:
            moved: Self = call("copy", self, device=wanted)
        return moved

    def cpu(self) -> Self:
        """Return the data on the CPU; this object, if they are there already."""
        return self.to_device(Device.CPU)

    def gpu(self, index: int | None = None) -> Self:
        """Return the data on the GPU; this object, if they are there already.

        Args:
            index: number of the CUDA device; by default the current one.
        """
        return self.to_device(Device("gpu", index))
