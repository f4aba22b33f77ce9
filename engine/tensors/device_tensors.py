"""Tensors and batches in device memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .alignment import empty_aligned
from .array_rows import as_rows
from .current_device import CurrentDevice
from .device_export import capsule_of, copy_out, interface_of
from .device_leases import Lease
from .edits import fitting_layout
from .given_arrays import check_exports, device_array, given_rows, given_tensor, is_plain
from .host_tensors import TensorCPU, TensorListCPU
from .one_tensor import Tensor, given
from .rows import Rows
from .tensor_base import TensorList


class TensorGPU(Tensor):
    """A tensor in device memory.

    Args:
        object: an array of CuPy or another library, a DLPack capsule, or a tensor. The tensor
            shares its memory.
        layout: meaning of the dimensions, one letter each.
        source_info: location of the sample.
        lease: lease of memory that a pool recycles.
        stream: stream on which the array is complete: a handle, or a stream of CuPy or PyTorch.
        device_id: without effect: the array knows its device.
    """

    _lease: Lease | None

    def __init__(
        self,
        object: Any,
        layout: str | None = None,
        source_info: str = "",
        lease: Lease | None = None,
        *,
        stream: Any = None,
        device_id: int = -1,
    ) -> None:
        if isinstance(object, TensorGPU):
            lease = object._lease if lease is None else lease
        if not is_plain(object):
            array_of = partial(device_array, stream=stream)
            object, layout, own_info = given_tensor(object, layout, TensorGPU, array_of)
            source_info = source_info or own_info
        super().__init__(object, fitting_layout(layout, object.ndim), source_info)
        self._lease = lease

    @property
    def stream(self) -> None:
        """None: the elements are complete, so no stream has work for them left."""

    def device_id(self) -> int:
        """Return the number of the device."""
        return self.__dlpack_device__()[1]

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return interface_of(self._array, self._lease)

    def __dlpack__(
        self,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        options = given(stream, max_version, dl_device, copy)
        return capsule_of(self._array, self._lease, **options)

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
        return TensorCPU(_to_host(self._array), self._layout, self.source_info())


class TensorListGPU(TensorList):
    """A batch in device memory, complete when it is handed out; the rows are CuPy arrays.

    All rows are contiguous. PyTorch, CuPy, JAX and others take the batch (if it is dense) or its
    rows without a copy, by DLPack or the CUDA array interface. The pipeline uses the memory again
    when the batch and all its arrays are gone, after the work on the streams for which the arrays
    were requested. For DLPack this is the stream in the request; for the interface, the default
    stream and CuPy's current stream. If other streams use an array, make one of these streams wait
    for them, or keep the array until their work is done.

    Args:
        object: an array whose axis 0 runs over the samples, a list of arrays or tensors with one
            dtype and number of dimensions, or another batch. Arrays may be of any library, or
            DLPack capsules. The batch shares their memory, unless they are not contiguous.
        layout: meaning of a sample's dimensions, one letter each.
        source_info, valid: see `TensorList`.
        lease: lease of memory that a pool recycles.
        stream: stream on which the arrays are complete: a handle, or a stream of CuPy or PyTorch.
        contiguous: copy the samples of a list into one block of memory.
        list_of_tensors: another name of `object`.
        device_id: without effect: the arrays know their device.
    """

    _tensor = TensorGPU
    _lease: Lease | None

    def __init__(
        self,
        object: Any = None,
        layout: str | None = None,
        source_info: Sequence[str] | None = None,
        valid: NDArray[np.bool_] | None = None,
        lease: Lease | None = None,
        *,
        stream: Any = None,
        contiguous: bool = False,
        list_of_tensors: Sequence[Any] | None = None,
        device_id: int = -1,
    ) -> None:
        rows: Any = object
        if rows is None:
            rows = [] if list_of_tensors is None else list_of_tensors
        if contiguous or not (isinstance(rows, Rows) or is_plain(rows)):
            if isinstance(rows, TensorListGPU) and lease is None:
                lease = rows._lease
            array_of = partial(device_array, stream=stream)
            rows, layout, own_info = given_rows(
                rows, layout, TensorListGPU, array_of, contiguous=contiguous
            )
            source_info = own_info if source_info is None else source_info
        if not isinstance(rows, Rows):
            rows = as_rows(rows).contiguous()
        super().__init__(rows, layout or "", source_info, valid)
        self._lease = lease

    @staticmethod
    def broadcast(tensor: TensorGPU, samples: int, /) -> TensorListGPU:
        """Return a batch of so many samples that all share one tensor's memory."""
        info = [tensor.source_info()] * samples if tensor.source_info() else None
        rows = [tensor._array] * samples
        return TensorListGPU(rows, tensor.layout(), info, lease=tensor._lease)

    @staticmethod
    def from_dlpack_list(
        list_of_objects: Sequence[Any],
        layout: str | None = None,
        stream: Any = None,
        contiguous: bool = False,
    ) -> TensorListGPU:
        """Return a batch of objects that export their memory by DLPack."""
        check_exports(list_of_objects)
        return TensorListGPU(list(list_of_objects), layout, stream=stream, contiguous=contiguous)

    @property
    def stream(self) -> None:
        """None: the elements are complete, so no stream has work for them left."""

    def device_id(self) -> int:
        """Return the number of the device; of a batch without samples -1."""
        return self[0].__dlpack_device__()[1] if len(self) else -1

    def part(self, rows: range) -> Self:
        """Return a batch of consecutive rows without a copy."""
        part = self._rows.part(slice(rows.start, rows.stop))
        return type(self)(part, self._layout, *self._about(rows), self._lease)

    def at(self, i: int) -> TensorGPU:
        """Return row `i` as a `TensorGPU`, without a copy."""
        return self[i]

    def __getitem__(self, i: int) -> TensorGPU:
        i = self._checked(i)
        return self._named(TensorGPU(self.row(i), self.layout(), lease=self._lease), i)

    def as_tensor(self) -> Tensor:
        """Return the batch as one tensor of shape (batch, *sample)."""
        layout = "N" + self.layout() if self._layout else ""
        return TensorGPU(self.dense(), layout, lease=self._lease)

    def as_reshaped_tensor(self, shape: Sequence[int]) -> Tensor:
        """Return the batch as one tensor of `shape`, which must hold as many elements."""
        return TensorGPU(self.dense().reshape(tuple(shape)), lease=self._lease)

    def as_cpu(self) -> TensorListCPU:
        """Return a copy in host memory."""
        rows = self._rows.copied(empty_aligned, _copy_to_host)
        return TensorListCPU(rows, self._layout, self._source_info, self._valid)

    def replaced(self, i: int, row: Any) -> TensorListGPU:
        """Return a copy of this list with another row `i`; the other rows are shared."""
        rows = self.rows()
        rows[i] = row
        return TensorListGPU(rows, self._layout, self._source_info, lease=self._lease)

    def delivered(
        self, valid: NDArray[np.bool_] | None, empty: Callable[..., Any] = empty_aligned
    ) -> Self:
        """Return this batch with the samples that are valid."""
        return type(self)(self._rows, self._layout, self._source_info, valid, self._lease)

    def with_layout(self, layout: str) -> Self:
        """Return this batch with another layout."""
        return self if layout == self._layout else self.with_rows(self._rows, layout)

    def with_rows(self, rows: Any, layout: str) -> Self:
        """Return other rows, which lie in this batch's memory: an array, arrays or `Rows`."""
        return type(self)(rows, layout, lease=self._lease)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return interface_of(self.dense(), self._lease)

    def __dlpack__(
        self,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        options = given(stream, max_version, dl_device, copy)
        return capsule_of(self.dense(), self._lease, **options)

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
    """A batch or a tensor for a consumer whose streams are never destroyed, as JAX's."""

    def __init__(self, batch: TensorListGPU | TensorGPU) -> None:
        self._batch = batch

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._batch.__dlpack_device__()

    def __dlpack__(self, *, stream: int | None = None, **options: Any) -> Any:
        self._batch.used_on(stream, lasts=True)
        return self._batch.__dlpack__(stream=stream, **options)


def _to_host(array: Any) -> NDArray[Any]:
    target = empty_aligned(array.shape, array.dtype)
    _copy_to_host(target, array)
    return target


def _copy_to_host(target: NDArray[Any], array: Any) -> None:
    _, device_id = array.__dlpack_device__()
    with CurrentDevice(device_id):
        array.get(out=target)


def address_of(array: Any) -> int:
    """Return the device address of an array's first element."""
    pointer = getattr(array.data, "ptr", None)
    if pointer is None:
        pointer = array.__cuda_array_interface__["data"][0]
    return int(pointer)
