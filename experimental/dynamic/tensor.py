"""`Tensor`: one sample."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from ...engine.arrays import Array
from ...engine.errors import ArgumentError
from ...engine.tensors import TensorListGPU
from .calls import call
from .devices import device as as_device
from .element_types import dtype as as_dtype
from .invocations import copied
from .operands import Operand
from .samples import one_of, sample_of, shown
from .values import Value


class Tensor(Operand):
    """One array on the CPU or the GPU, with a layout.

    `ndd.tensor` copies data, `ndd.as_tensor` shares memory with data where possible.

    Args:
        data: an array of NumPy, PyTorch or any library with `__dlpack__`, `__array__` or
            `__cuda_array_interface__`; a `Tensor`; a number; or a (nested) list of numbers.
        dtype: type of the elements, as `ndd.dtype` takes it. By default that of an array. Numbers
            become int32 (uint32 if they need it) or float32.
        device: where the tensor should be; by default where the data are.
        layout: meaning of the dimensions, one letter each, such as "HWC".
        batch: the batch of which the tensor is a sample, instead of `data`.
        index_in_batch: number of the sample in `batch`.
        copy: whether to copy data that could be shared.

    >>> from penstock.experimental import dynamic as ndd
    >>> image = ndd.tensor([[1, 2, 3], [4, 5, 6]], layout="HW")
    >>> (image * 2)[:, 1:].shape
    (2, 2)
    """

    is_batch = False

    def __init__(
        self,
        data: object = None,
        dtype: object = None,
        device: object = None,
        layout: str | None = None,
        batch: Value | None = None,
        index_in_batch: int | None = None,
        copy: bool = False,
    ) -> None:
        if batch is not None:
            self._samples = one_of(batch.samples, index_in_batch or 0)
            return
        if data is None:
            raise ValueError("a tensor needs data: an array, a number or a list of numbers")
        if isinstance(data, Value):
            if data.is_batch:
                raise ArgumentError("a Batch is no tensor; ndd.as_tensor(batch) makes one of it")
            value: Any = data
            if layout is not None and layout != (data.layout or ""):
                value = call("reshape", value, layout=layout)
        else:
            value = Tensor.of(sample_of(data, dtype, layout))
        shared = value.samples if copy else None
        value = converted(value, dtype, device)
        if copy and value.samples is shared:
            value = Tensor.of(copied(value))
        vars(self).update(vars(value))

    @property
    def shape(self) -> tuple[int, ...]:
        """Extent of each dimension."""
        return tuple(self.samples.row(0).shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.dtype.bytes

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.itemsize

    def item(self) -> Any:
        """Return the only element, as a number of Python."""
        if self.size != 1:
            raise ValueError(f"Tensor has {self.size} elements, expected 1")
        return np.asarray(self.cpu()).item()

    def __bool__(self) -> bool:
        return bool(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __index__(self) -> int:
        element = self.item()
        if not isinstance(element, int):
            raise TypeError(f"a tensor of {self.dtype} is no index")
        return element

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a tensor without dimensions has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: object) -> Any:
        return self.subscript(key)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if isinstance(self.samples, TensorListGPU):
            raise TypeError("the tensor is on the GPU; tensor.cpu() copies it")
        row: Array = self.samples.row(0)
        if copy is False and dtype not in (None, row.dtype):
            raise ValueError(f"an array of {dtype} needs a copy of the tensor")
        return np.array(row, dtype) if copy else np.asarray(row, dtype)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if not isinstance(self.samples, TensorListGPU):
            raise AttributeError("the tensor is on the CPU; tensor.gpu() copies it")
        interface: dict[str, object] = self.samples[0].__cuda_array_interface__
        return interface

    def __dlpack__(self, stream: int | None = None, **options: Any) -> Any:
        if isinstance(self.samples, TensorListGPU):
            return self.samples[0].__dlpack__(stream=stream, **options)
        row = self.samples.row(0)
        return (row if row.flags.writeable else row.copy()).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.samples[0].__dlpack_device__()

    def torch(self, copy: bool = False) -> Any:
        """Return a tensor of PyTorch, which shares the memory.

        Args:
            copy: copy the elements instead.
        """
        from torch.utils.dlpack import from_dlpack

        shared = from_dlpack(self)
        return shared.clone() if copy else shared

    def __repr__(self) -> str:
        return shown("Tensor", self.samples, {**self._facts(), "shape": self.shape})


Value.tensor_class = Tensor


def converted(value: Any, dtype: Any, device: Any) -> Any:
    """Return a tensor or batch of another type, on another device; itself, if it is so already."""
    if device is not None:
        value = value.to_device(as_device(device))
    if dtype is not None and value.dtype != as_dtype(dtype) and as_dtype(dtype).type_id is not None:
        value = call("cast", value, dtype=as_dtype(dtype))
    return value
