"""Arrays that come from user code: accepted in many forms, checked, and copied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine.batch import Rows
from ...engine.errors import ArgumentError
from ...engine.operator import Array
from ...engine.tensors import TensorList, TensorListCPU
from ...engine.types import to_numpy_type

if TYPE_CHECKING:
    from ...engine.batch import Batch

_DLPACK_HOST = (1, 3)  # kDLCPU, kDLCUDAHost: pinned


@dataclass(frozen=True)
class Expected:
    """What one output was declared to be; None where it was not.

    `what` names the output in error messages.
    """

    what: str
    dtype: np.dtype[Any] | None = None
    ndim: int | None = None
    layout: str | None = None


@dataclass(frozen=True)
class Column:
    """The checked samples of one output: an array over samples, or a list of arrays."""

    rows: Any
    layout: str

    def __len__(self) -> int:
        return len(self.rows)


def as_array(value: Any, expected: Expected) -> Array:
    """Return user data as an array, without a copy where it is one already.

    Takes NumPy arrays, whatever has `__dlpack__`, `__array__` or the array interface (PyTorch
    tensors on the CPU, the tensors of a pipeline's output), numbers and nested lists of them.
    Numbers that have no type of their own get the declared type, else NumPy's default.
    """
    if on_gpu(value):
        raise ArgumentError(
            f"{expected.what} is {type(value).__name__} data on the GPU, but data in host memory "
            "is wanted; move it with .cpu() or .get()"
        )
    has_type = hasattr(value, "dtype")
    if not isinstance(value, np.ndarray):
        value = _from_other(value, expected)
    check_type(value, expected)
    if not value.dtype.isnative:
        value = value.astype(value.dtype.newbyteorder("="))
    if not has_type and expected.dtype is not None:
        return _typed(value, expected, expected.dtype)
    array: Array = value
    return array


def check_type(array: Any, expected: Expected) -> None:
    """Refuse elements that are no numbers."""
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise ArgumentError(
            f"{expected.what} has elements of type {array.dtype}; numbers of at most 64 bits and "
            "booleans are wanted"
        )


def _typed(numbers: Array, expected: Expected, dtype: np.dtype[Any]) -> Array:
    typed = numbers.astype(dtype)
    if dtype.kind != "f" and (typed != numbers).any():
        raise ArgumentError(
            f"{expected.what} is declared as {dtype}, which cannot hold {numbers.tolist()!r}"
        )
    return typed


def on_gpu(value: Any) -> bool:
    """Say whether an array of some library lies in device memory."""
    if type(value) is np.ndarray:
        return False
    if hasattr(value, "__dlpack_device__") and not isinstance(value, np.ndarray):
        return int(value.__dlpack_device__()[0]) not in _DLPACK_HOST
    return hasattr(value, "__cuda_array_interface__")


def _from_other(value: Any, expected: Expected) -> Array:
    try:
        if hasattr(value, "__dlpack__") and not hasattr(value, "__array_interface__"):
            return np.from_dlpack(value)
        return np.asarray(value)
    except (ValueError, TypeError, RuntimeError, BufferError) as error:
        raise ArgumentError(
            f"{expected.what} of type {type(value).__name__} is no array: {error}"
        ) from error


def as_column(data: Any, expected: Expected) -> Column:
    """Return a whole batch of user data: an array over samples, or a sequence of samples."""
    layout = expected.layout
    if isinstance(data, TensorList):
        if not isinstance(data, TensorListCPU):
            raise ArgumentError(f"{expected.what} is on the GPU; move it with .as_cpu()")
        layout = data.layout() if layout is None else layout
        data = data.dense() if data.is_dense_tensor() else data.rows()
    if isinstance(data, list | tuple):
        rows: Any = [as_array(sample, expected) for sample in data]
    else:
        rows = as_array(data, expected)
    check_column(rows, expected)
    return Column(rows, layout or "")


def check_column(rows: Any, expected: Expected) -> None:
    """Hold the samples of a batch against what was declared, and against one another."""
    if not isinstance(rows, list) and rows.ndim == 0:
        raise ArgumentError(
            f"{expected.what} is a single number; an array whose axis 0 runs over the "
            "samples, or a list of samples is wanted"
        )
    if not len(rows):
        return
    first = rows[0] if isinstance(rows, list) else np.empty(rows.shape[1:], rows.dtype)
    if expected.dtype is not None and first.dtype != expected.dtype:
        raise ArgumentError(
            f"{expected.what} is declared as {expected.dtype}, but the data is {first.dtype}"
        )
    if expected.ndim is not None and first.ndim != expected.ndim:
        raise ArgumentError(
            f"{expected.what} is declared to have {expected.ndim} dimensions, but a sample has "
            f"the shape {first.shape}"
        )
    if isinstance(rows, list):
        check_alike(rows, expected.what)
    if expected.layout and len(expected.layout) != first.ndim:
        raise ArgumentError(
            f"{expected.what} has the layout {expected.layout!r}, which does not describe a "
            f"sample of shape {first.shape}"
        )


def check_alike(rows: Sequence[Array], what: str) -> None:
    """Refuse samples that differ in type or number of dimensions."""
    first = rows[0]
    for i, row in enumerate(rows):
        if row.dtype != first.dtype or row.ndim != first.ndim:
            raise ArgumentError(
                f"the samples of {what} must agree in type and number of dimensions, but sample 0 "
                f"is {first.dtype} of shape {first.shape}, and sample {i} is {row.dtype} of shape "
                f"{row.shape}"
            )


def copied(column: Column, batch: Batch) -> TensorListCPU:
    """Return the samples in memory of the batch, in one piece if they have one shape."""
    if not isinstance(column.rows, list):
        out = batch.empty(column.rows.shape, column.rows.dtype)
        np.copyto(out, column.rows)
        return TensorListCPU(out, column.layout)
    rows = Rows(batch, dense_hint=len({row.shape for row in column.rows}) == 1)
    for i, row in enumerate(column.rows):
        rows.put(i, row, None)
    return rows.finish(column.layout)


def _spread(value: Any, count: int) -> list[Any]:
    """Give each output its own: a list serves the first outputs, anything else all."""
    if isinstance(value, list | tuple):
        return [*value[:count], *[None] * (count - len(value))]
    return [value] * count


def expectations(owner: str, count: int, layout: Any, dtype: Any, ndim: Any) -> list[Expected]:
    """Return what each of `count` outputs was declared to be; check that it fits together."""
    result = []
    columns = zip(*(_spread(value, count) for value in (layout, dtype, ndim)), strict=True)
    for i, (one_layout, one_dtype, one_ndim) in enumerate(columns):
        what = f"{owner}, output {i}" if count > 1 else owner
        if one_layout is not None and not isinstance(one_layout, str):
            raise ArgumentError(f"{what}: a layout is a string, not {one_layout!r}")
        if one_layout and one_ndim is not None and len(one_layout) != one_ndim:
            raise ArgumentError(
                f"{what}: the layout {one_layout!r} does not describe {one_ndim} dimensions"
            )
        no_type = one_dtype is None or one_dtype == -1
        result.append(
            Expected(what, None if no_type else to_numpy_type(one_dtype), one_ndim, one_layout)
        )
    return result
