"""Tensors and batches in host memory."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .tensor_base import Tensor, TensorList


class TensorCPU(Tensor):
    """A tensor in host memory."""

    @property
    def __array_interface__(self) -> dict[str, Any]:
        interface: dict[str, Any] = self._array.__array_interface__
        return interface

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self._array, dtype=dtype, copy=copy)

    def data_ptr(self) -> int:
        """Address of the first element."""
        return int(self._array.ctypes.data)

    def copy_to_external(self, ptr: Any) -> None:
        """Copy the elements, in C order, to an address: an int or a `ctypes.c_void_p`.

        Nothing checks the memory at that address; `np.from_dlpack` and the like are safer.
        """
        array = np.ascontiguousarray(self._array)
        ctypes.memmove(ptr, array.ctypes.data, array.nbytes)

    def as_cpu(self) -> TensorCPU:
        """Return this tensor."""
        return self


class TensorListCPU(TensorList):
    """A batch in host memory."""

    _tensor = TensorCPU

    def at(self, i: int) -> NDArray[Any]:
        """Return row `i` as a NumPy array, without a copy."""
        row: NDArray[Any] = self.row(i)
        return row

    def as_array(self) -> NDArray[Any]:
        """Return the batch as one NumPy array of shape (batch, *sample)."""
        array: NDArray[Any] = self.dense()
        return array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.dense(), dtype=dtype, copy=copy)

    def copy_to_external(self, ptr: Any) -> None:
        """Copy the batch, which must be dense, to an address: see `TensorCPU.copy_to_external`."""
        TensorCPU(self.dense()).copy_to_external(ptr)

    def as_cpu(self) -> TensorListCPU:
        """Return this list."""
        return self

    @staticmethod
    def _address_of(array: NDArray[Any]) -> int:
        return int(array.ctypes.data)

    def _stack(self) -> NDArray[Any]:
        return np.stack(list(self._rows))
