"""Tensors and batches in host memory."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .alignment import aligned, empty_aligned
from .array_rows import DenseRows
from .edits import fitting_layout
from .given_arrays import check_exports, given_rows, given_tensor, host_array, is_plain
from .one_tensor import Tensor
from .rows import Rows
from .tensor_base import TensorList


class TensorCPU(Tensor):
    """A tensor in host memory.

    Args:
        object: an array of NumPy or another library, a buffer, a DLPack capsule, or a tensor. The
            tensor shares its memory.
        layout: meaning of the dimensions, one letter each.
        source_info: location of the sample.
        is_pinned: without effect.

    >>> tensor = TensorCPU(np.zeros((2, 1, 3), np.float32), "HWC")
    >>> tensor.squeeze(), tensor.shape(), tensor.layout()
    (True, [2, 3], 'HC')
    """

    def __init__(
        self,
        object: Any,
        layout: str | None = None,
        source_info: str = "",
        *,
        is_pinned: bool = False,
    ) -> None:
        if type(object) is not np.ndarray:
            object, layout, own_info = given_tensor(object, layout, TensorCPU, host_array)
            source_info = source_info or own_info
        super().__init__(object, fitting_layout(layout, object.ndim), source_info)

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
    """A batch in host memory.

    Args:
        object: an array whose axis 0 runs over the samples, a list of arrays or tensors with one
            dtype and number of dimensions, or another batch. Arrays may be of any library, or
            DLPack capsules. The batch shares their memory.
        layout: meaning of a sample's dimensions, one letter each.
        source_info, valid: see `TensorList`.
        is_pinned: without effect.
        contiguous: copy the samples of a list into one block of memory.
        list_of_tensors: another name of `object`.

    >>> batch = TensorListCPU([np.zeros((2, 3)), np.ones((1, 3))], "HW")
    >>> len(batch), batch.shape(), batch[1].layout()
    (2, [(2, 3), (1, 3)], 'HW')
    """

    _tensor = TensorCPU

    def __init__(
        self,
        object: Any = None,
        layout: str | None = None,
        source_info: Sequence[str] | None = None,
        valid: NDArray[np.bool_] | None = None,
        *,
        is_pinned: bool = False,
        contiguous: bool = False,
        list_of_tensors: Sequence[Any] | None = None,
    ) -> None:
        if object is None:
            object = [] if list_of_tensors is None else list_of_tensors
        if contiguous or not (isinstance(object, Rows) or is_plain(object)):
            object, layout, own_info = given_rows(
                object, layout, TensorListCPU, host_array, contiguous=contiguous
            )
            source_info = own_info if source_info is None else source_info
        super().__init__(object, layout or "", source_info, valid)

    @staticmethod
    def broadcast(tensor: TensorCPU, samples: int, /) -> TensorListCPU:
        """Return a batch of so many samples that all share one tensor's memory."""
        info = [tensor.source_info()] * samples if tensor.source_info() else None
        return TensorListCPU([tensor._array] * samples, tensor.layout(), info)

    @staticmethod
    def from_dlpack_list(
        list_of_objects: Sequence[Any], layout: str | None = None, contiguous: bool = False
    ) -> TensorListCPU:
        """Return a batch of objects that export their memory by DLPack."""
        check_exports(list_of_objects)
        return TensorListCPU(list(list_of_objects), layout, contiguous=contiguous)

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

    def delivered(
        self, valid: NDArray[np.bool_] | None, empty: Callable[..., Any] = empty_aligned
    ) -> Self:
        rows = self._rows
        if rows.array is not None:
            rows = DenseRows(aligned(rows.array, empty))
        return type(self)(rows, self._layout, self._source_info, valid)

    def as_cpu(self) -> TensorListCPU:
        """Return this list."""
        return self

    @staticmethod
    def _address_of(array: NDArray[Any]) -> int:
        return int(array.ctypes.data)

    def _stack(self) -> NDArray[Any]:
        row = self._rows.row(0)
        stacked = empty_aligned((len(self._rows), *row.shape), row.dtype)
        return np.stack(list(self._rows), out=stacked)
