"""Tensors and batches in device memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .device_export import capsule_of, copy_out, interface_of
from .device_memory import Lease
from .host_tensors import TensorCPU, TensorListCPU
from .mixed_rows import MixedRows
from .packed_rows import PackedRows
from .tensor_base import Tensor, TensorList


class TensorGPU(Tensor):
    """A tensor in device memory."""

    def __init__(
        self, array: Any, layout: str = "", source_info: str = "", lease: Lease | None = None
    ) -> None:
        super().__init__(array, layout, source_info)
        self._lease = lease

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return interface_of(self._array, self._lease)

    def __dlpack__(self, **kwargs: Any) -> Any:
        return capsule_of(self._array, self._lease, **kwargs)

    def used_on(self, stream: int | None, *, lasts: bool = False) -> None:
        """Record that work on another stream uses this tensor, too: see `Lease.used_on`."""
        if self._lease is not None:
            self._lease.used_on(stream, lasts=lasts)

    def data_ptr(self) -> int:
        """Device address of the first element."""
        return address_of(self._array)

    def copy_to_external(
        self,
        ptr: Any,
        cuda_stream: Any = None,
        non_blocking: bool = False,
        use_copy_kernel: bool = False,
    ) -> None:
        """Copy the elements, in C order, to an address on the device or the host.

        Nothing checks the memory at that address; DLPack and the like are safer.

        Args:
            ptr: the address: an int or a `ctypes.c_void_p`.
            cuda_stream: stream to copy on (a handle, or a stream of CuPy or PyTorch); by
                default the default stream.
            non_blocking: return before the copy is done. This tensor may be dropped then.
            use_copy_kernel: without effect.
        """
        copy_out(self._array, self._lease, ptr, cuda_stream, non_blocking)

    def as_cpu(self) -> TensorCPU:
        """Return a copy in host memory."""
        return TensorCPU(self._array.get(), self._layout, self._source_info)


class TensorListGPU(TensorList):
    """A batch in device memory, complete when it is handed out; the rows are CuPy arrays.

    All rows are contiguous. PyTorch, CuPy, JAX and others take the batch (if it is dense) or its
    rows without a copy, by DLPack or the CUDA array interface. The pipeline uses the memory again
    when the batch and all its arrays are gone, after the work on the streams for which the arrays
    were requested. For DLPack this is the stream in the request; for the interface, the default
    stream and CuPy's current stream. If other streams use an array, make one of these streams wait
    for them, or keep the array until their work is done.
    """

    _tensor = TensorGPU

    def __init__(
        self,
        rows: Any,
        layout: str = "",
        source_info: Sequence[str] | None = None,
        valid: NDArray[np.bool_] | None = None,
        lease: Lease | None = None,
    ) -> None:
        if isinstance(rows, PackedRows | MixedRows):
            pass
        elif hasattr(rows, "dtype"):
            rows = _contiguous(rows)
        else:
            rows = [_contiguous(row) for row in rows]
        super().__init__(rows, layout, source_info, valid)
        self._lease = lease

    def part(self, rows: range) -> Self:
        """Return a batch of consecutive rows without a copy."""
        return type(self)(self.window(rows), self._layout, *self._about(rows), self._lease)

    def at(self, i: int) -> Tensor:
        """Return row `i` as a `TensorGPU`, without a copy."""
        return self[i]

    def __getitem__(self, i: int) -> Tensor:
        where = self._source_info[i] if self._source_info is not None else ""
        return TensorGPU(self.row(i), self.layout(), where, self._lease)

    def as_tensor(self) -> Tensor:
        """Return the batch as one tensor of shape (batch, *sample)."""
        layout = "N" + self.layout() if self._layout else ""
        return TensorGPU(self.dense(), layout, lease=self._lease)

    def as_reshaped_tensor(self, shape: Sequence[int]) -> Tensor:
        """Return the batch as one tensor of `shape`, which must hold as many elements."""
        return TensorGPU(self.dense().reshape(tuple(shape)), lease=self._lease)

    def as_cpu(self) -> TensorListCPU:
        """Return a copy in host memory."""
        rows: Any
        if self._dense is not None:
            rows = self._dense.get()
        elif self.packed is not None:
            rows = PackedRows(self.packed.memory.get(), *self.packed.row_geometry)
        else:
            rows = [row.get() for row in self._rows]
        return TensorListCPU(rows, self._layout, self._source_info, self._valid)

    def replaced(self, i: int, row: Any) -> TensorListGPU:
        """Return a copy of this list with another row `i`; the other rows are shared."""
        rows = self.rows()
        rows[i] = row
        return TensorListGPU(rows, self._layout, self._source_info, lease=self._lease)

    def delivered(self, valid: NDArray[np.bool_] | None) -> Self:
        """Return this batch with the samples that are valid."""
        return type(self)(self._rows, self._layout, self._source_info, valid, self._lease)

    def with_layout(self, layout: str) -> Self:
        """Return this batch with another layout."""
        return self if layout == self._layout else self.with_rows(self._rows, layout)

    def with_rows(self, rows: Any, layout: str) -> Self:
        """Return other rows, which lie in this batch's memory: an array, arrays or `PackedRows`."""
        return type(self)(rows, layout, lease=self._lease)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return interface_of(self.dense(), self._lease)

    def __dlpack__(self, **kwargs: Any) -> Any:
        return capsule_of(self.dense(), self._lease, **kwargs)

    def copy_to_external(
        self,
        ptr: Any,
        cuda_stream: Any = None,
        non_blocking: bool = False,
        use_copy_kernel: bool = False,
    ) -> None:
        """Copy the batch, which must be dense, to an address: see `TensorGPU.copy_to_external`."""
        copy_out(self.dense(), self._lease, ptr, cuda_stream, non_blocking)

    def used_on(self, stream: int | None, *, lasts: bool = False) -> None:
        """Record that work on another stream uses this batch, too: see `Lease.used_on`."""
        if self._lease is not None:
            self._lease.used_on(stream, lasts=lasts)

    def moved(self, stream: Any, to: Any) -> None:
        """Record that `to` waits for the work of `stream` on this batch, and uses it next."""
        if self._lease is not None:
            self._lease.moved(stream, to)

    @staticmethod
    def _address_of(array: Any) -> int:
        return address_of(array)

    def _stack(self) -> Any:
        import cupy

        self.used_on(cupy.cuda.get_current_stream().ptr)
        return cupy.stack(list(self._rows))


class LastingExport:
    """A batch for a consumer whose streams are never destroyed, as JAX's."""

    def __init__(self, batch: TensorListGPU) -> None:
        self._batch = batch

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._batch.__dlpack_device__()

    def __dlpack__(self, *, stream: int | None = None, **options: Any) -> Any:
        self._batch.used_on(stream, lasts=True)
        return self._batch.__dlpack__(stream=stream, **options)


def _contiguous(array: Any) -> Any:
    return array if array.flags.c_contiguous else array.copy()


def address_of(array: Any) -> int:
    """Return the device address of an array's first element."""
    pointer = getattr(array.data, "ptr", None)
    if pointer is None:
        pointer = array.__cuda_array_interface__["data"][0]
    return int(pointer)
