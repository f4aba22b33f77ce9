"""Arrays of other libraries as the memory of tensors and batches, without a copy where possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array
from ..errors import LayoutError
from .alignment import empty_aligned
from .array_rows import ListedRows, as_rows
from .dtypes import to_dali_type
from .edits import fitting_layout
from .one_tensor import Tensor
from .rows import PackedRows, Rows
from .tensor_base import TensorList

_HOST, _CUDA = 1, 2  # DLPack's numbers of devices
_IN_HOST_MEMORY = (_HOST, 3)  # the latter is pinned


class Given(NamedTuple):
    """The rows of a batch, or the array of a tensor, and what is known of them."""

    data: Any
    layout: str
    source_info: Any


def is_plain(value: Any) -> bool:
    """Return whether a value is an array or a list of arrays, of which a batch is made as it is."""
    kind = type(value)
    if kind is np.ndarray:
        return True
    if kind is list or kind is tuple:  # of arrays of one library
        if not value or type(value[0]) is type(value[-1]) is np.ndarray:
            return True
        return all(row is None or is_plain(row) for row in (value[0], value[-1]))
    flags = getattr(value, "flags", None)
    return hasattr(flags, "c_contiguous") and not isinstance(value, np.generic)


def given_tensor(value: Any, layout: str | None, kind: type[Tensor], array_of: ArrayOf) -> Given:
    """Return what a program gives to make a tensor of.

    Raises:
        TypeError: `value` is no array on the device of `kind`.
        ArgumentError: the elements are no numbers, or the layout has another number of letters.
    """
    array = array_of(value)
    if array is None:
        raise TypeError(f"{_named(value)} cannot be converted to {kind.__name__}")
    to_dali_type(array.dtype)
    of_tensor = isinstance(value, Tensor)
    own = value.layout() if of_tensor else ""
    info = value.source_info() if of_tensor else ""
    return Given(array, fitting_layout(own if layout is None else layout, array.ndim), info)


def given_rows(
    value: Any, layout: str | None, kind: type[TensorList], array_of: ArrayOf, *, contiguous: bool
) -> Given:
    """Return what a program gives to make a batch of: see `given_tensor` for the errors.

    Args:
        value: an array whose axis 0 runs over the samples, a batch, or a list of arrays.
        layout: layout of a sample; None for that of the data, if they agree in one.
        kind: type of the batch.
        array_of: returns an object as an array on the device, or None.
        contiguous: copy the samples of a list into one block of memory.
    """
    if isinstance(value, TensorList):
        if not isinstance(value, kind):
            raise TypeError(f"{_named(value)} cannot be converted to {kind.__name__}")
        layout = value.layout() if layout is None else layout
        return Given(value.stored, layout, value.names)
    if not isinstance(value, list | tuple):
        array, own, _ = given_tensor(value, None, kind._tensor, array_of)
        if array.ndim == 0:
            raise TypeError(f"{_named(value)} is one number; axis 0 runs over the samples")
        layout = fitting_layout(own[1:] if layout is None else layout, array.ndim - 1)
        return Given(array, layout, None)
    rows = [_row(each, i, kind, array_of) for i, each in enumerate(value)]
    tensors = [tensor for tensor in value if isinstance(tensor, Tensor)]
    layouts = {tensor.layout() for tensor in tensors}
    if layout is None and len(layouts - {""}) > 1:
        raise LayoutError(
            f"the tensors have the layouts {', '.join(sorted(layouts))}; say which one counts"
        )
    own = layouts.pop() if len(layouts) == 1 and len(tensors) == len(rows) else ""
    layout = own if layout is None else layout
    _check_alike(rows)
    if rows:
        layout = fitting_layout(layout, rows[0].ndim)
    infos = [item.source_info() if isinstance(item, Tensor) else "" for item in value]
    return Given(in_one_block(rows) if contiguous else rows, layout, infos if any(infos) else None)


def _row(value: Any, i: int, kind: type[TensorList], array_of: ArrayOf) -> Any:
    array = array_of(value)
    if array is None:
        raise TypeError(f"Object at position {i} cannot be converted to {kind._tensor.__name__}")
    to_dali_type(array.dtype)
    return array


def _check_alike(rows: Sequence[Any]) -> None:
    for i, row in enumerate(rows):
        if row.dtype != rows[0].dtype:
            raise TypeError(
                f"Tensors cannot have different data types. Tensor at position {i} has type "
                f"'{row.dtype}' expected to have type '{rows[0].dtype}'."
            )
        if row.ndim != rows[0].ndim:
            raise TypeError(
                f"the tensors of a batch have the same number of dimensions, but tensor {i} has "
                f"{row.ndim}, and tensor 0 has {rows[0].ndim}"
            )


def in_one_block(rows: Sequence[Any]) -> Rows:
    """Return copies of arrays that lie end to end in one block of memory."""
    if not rows or (not rows[0].ndim and len(rows) == 1):
        return ListedRows([row.copy() for row in rows])
    library = _library_of(rows[0])
    pieces = [library.ascontiguousarray(row).reshape(-1) for row in rows]
    total = sum(piece.size for piece in pieces)
    out = empty_aligned((total,), rows[0].dtype) if library is np else None
    flat = library.concatenate(pieces, out=out)
    shapes = np.array([row.shape for row in rows], np.int64).reshape(len(rows), rows[0].ndim)
    if len({row.shape for row in rows}) == 1:
        return as_rows(flat.reshape(len(rows), *rows[0].shape))
    sizes = shapes.prod(axis=1) * flat.itemsize
    return PackedRows(flat.view("u1"), np.cumsum(sizes) - sizes, shapes, flat.dtype)


def _library_of(array: Any) -> Any:
    if isinstance(array, np.ndarray):
        return np
    import cupy

    return cupy


def _named(value: Any) -> str:
    return f"an object of type {type(value).__name__}"


ArrayOf = Callable[[Any], Any]
"""Returns an object as an array on one device; None if the object is none, or elsewhere."""


class _Export:
    """A DLPack capsule as an object that has it."""

    def __init__(self, capsule: Any, device: tuple[int, int]) -> None:
        self._capsule, self._device = capsule, device

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device


def _is_capsule(value: Any) -> bool:
    return type(value).__name__ == "PyCapsule"


def host_array(value: Any) -> Array | None:
    """Return an object of host memory as an array of NumPy; None for other objects.

    The object is a tensor, an array of any library, a buffer, or a DLPack capsule. Of lists and
    numbers no array is made: their type would be a guess.
    """
    if isinstance(value, Tensor):
        value = value._array
    if _is_capsule(value):
        value = _Export(value, (_HOST, 0))
    if isinstance(value, np.ndarray):
        array = value
    elif _device_of(value) not in (*_IN_HOST_MEMORY, None):
        return None
    elif _device_of(value) is not None:
        array = np.from_dlpack(value)
    elif isinstance(value, bytes | bytearray | memoryview | np.generic) or hasattr(
        value, "__array_interface__"
    ):
        array = np.asarray(memoryview(value) if isinstance(value, bytes | bytearray) else value)
    else:
        return None
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def device_array(value: Any, stream: Any = None) -> Any:
    """Return an object of device memory as an array of CuPy; None for other objects.

    Args:
        value: a tensor, an array of any library, or a DLPack capsule.
        stream: a CuPy stream, on which the array is complete afterwards.
    """
    if isinstance(value, Tensor):
        value = value._array
    if is_plain(value):
        return None if isinstance(value, np.ndarray) and type(value) is np.ndarray else value
    import cupy

    if _is_capsule(value):
        value = _Export(value, (_CUDA, cupy.cuda.runtime.getDevice()))
    with stream or cupy.cuda.get_current_stream():
        if _device_of(value) == _CUDA:
            return cupy.from_dlpack(value)
        if hasattr(value, "__cuda_array_interface__"):
            return cupy.asarray(value)
    return None


def _device_of(value: Any) -> int | None:
    """Return DLPack's number of the type of device on which an object is; None if it tells none."""
    if not hasattr(value, "__dlpack_device__"):
        return None
    return int(value.__dlpack_device__()[0])


def check_exports(values: Sequence[Any]) -> None:
    """Raise TypeError for an object that has no DLPack."""
    for i, value in enumerate(values):
        if not hasattr(value, "__dlpack__") and not _is_capsule(value):
            raise TypeError(f"Object at position {i} does not support the DLPack protocol.")
