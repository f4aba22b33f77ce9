"""Arrays that come from user code: accepted in many forms, checked, and copied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...engine.arrays import DType
from ...engine.errors import ArgumentError, LayoutError
from ...engine.graph.context import BatchContext
from ...engine.graph.derivation import Axes
from ...engine.graph.operator import Array
from ...engine.tensors import Tensor, TensorList, TensorListCPU
from ...engine.tensors.array_rows import as_rows
from ...engine.tensors.dtypes import to_numpy_type

_DLPACK_HOST = (1, 3)  # kDLCPU, kDLCUDAHost: pinned


class Expected(NamedTuple):
    """The declaration of one output; None for a property that was not declared.

    `what` names the output in error messages.
    """

    what: str
    dtype: DType | None = None
    ndim: int | None = None
    layout: str | None = None


@dataclass(frozen=True)
class Column:
    """The checked samples of one output: an array over samples, or a list of arrays."""

    rows: Any
    layout: str

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def axes(self) -> Axes:
        """What the batch tells of the axes of a sample."""
        if isinstance(self.rows, list):
            return Axes(self.layout, self.rows[0].ndim if self.rows else None)
        return Axes(self.layout, self.rows.ndim - 1)


def as_array(value: object, expected: Expected) -> Array:
    """Return user data as an array; data in arrays are not copied.

    The data may be a NumPy array, a number, or nested lists of numbers. The data may also be an
    object with `__dlpack__`, `__array__` or the array interface, such as a PyTorch tensor on the
    CPU. Python numbers get the declared dtype, else NumPy's default.
    """
    if on_gpu(value):
        raise ArgumentError(
            f"{expected.what} is {type(value).__name__} data on the GPU, but must be in host "
            "memory; move it with .cpu() or .get()"
        )
    has_type = hasattr(value, "dtype")
    if not isinstance(value, np.ndarray):
        value = _from_other(value, expected)
    elif isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise ArgumentError(
            f"{expected.what} has masked elements, whose values are undefined; replace them with "
            ".filled(value)"
        )
    check_type(value, expected)
    if not value.dtype.isnative:
        value = value.astype(value.dtype.newbyteorder("="))
    if not has_type and expected.dtype is not None:
        return _typed(value, expected, expected.dtype)
    array: Array = value
    return array


def own(value: object) -> Any:
    """Return a copy of an array or a PyTorch tensor, whose memory a program may use again.

    What lies on the GPU stays as it is: the stream that writes there need not be the current one.
    """
    if isinstance(value, np.ndarray):
        return value.copy()
    clone = getattr(value, "clone", None)
    return value if clone is None or on_gpu(value) else clone()


def check_type(array: Any, expected: Expected) -> None:
    """Raise ArgumentError for elements that are not numbers or booleans."""
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise ArgumentError(
            f"{expected.what} has elements of type {array.dtype}; expected booleans, or numbers "
            "of at most 64 bits"
        )


def _typed(numbers: Array, expected: Expected, dtype: DType) -> Array:
    typed = numbers.astype(dtype)
    if dtype.kind != "f" and (typed != numbers).any():
        raise ArgumentError(
            f"{expected.what} is declared as {dtype}, which cannot hold {numbers.tolist()!r}"
        )
    return typed


def on_gpu(value: object) -> bool:
    """Return whether an array of any library lies in device memory."""
    if type(value) is np.ndarray:
        return False
    if hasattr(value, "__dlpack_device__") and not isinstance(value, np.ndarray):
        try:
            return int(value.__dlpack_device__()[0]) not in _DLPACK_HOST
        except (ValueError, TypeError, RuntimeError, BufferError):
            return False  # the conversion to an array says what is wrong
    return hasattr(value, "__cuda_array_interface__")


def _from_other(value: object, expected: Expected) -> Array:
    if isinstance(value, bytes | str):
        data, encoded = ("data", "") if isinstance(value, bytes) else ("text", ".encode()")
        raise ArgumentError(
            f"{expected.what} is {type(value).__name__}; return an array, such as "
            f"np.frombuffer({data}{encoded}, np.uint8)"
        )
    if isinstance(value, Mapping):
        raise ArgumentError(
            f"{expected.what} is a {type(value).__name__} of {', '.join(map(str, value))}; return "
            "a tuple of their values, and say num_outputs"
        )
    try:
        if hasattr(value, "__dlpack__") and not hasattr(value, "__array_interface__"):
            return np.from_dlpack(value)
        return np.asarray(value)
    except (ValueError, TypeError, RuntimeError, BufferError) as error:
        raise ArgumentError(
            f"{expected.what} of type {type(value).__name__} is no array: {error}"
        ) from error


def as_column(data: object, expected: Expected) -> Column:
    """Return a batch of user data, checked: an array over samples, or a sequence of samples."""
    if expected.layout is None:
        expected = expected._replace(layout=own_layout(data, expected.what))
    if isinstance(data, TensorList):
        if not isinstance(data, TensorListCPU):
            raise ArgumentError(f"{expected.what} is on the GPU; move it with .as_cpu()")
        data = data.dense() if data.is_dense_tensor() else data.rows()
    if isinstance(data, list | tuple):
        rows: Any = [as_array(sample, expected) for sample in data]
    else:
        rows = as_array(data, expected)
    check_column(rows, expected)
    return Column(rows, expected.layout or "")


def own_layout(data: object, what: str) -> str:
    """Return the layout that a batch of user data brings along, or "".

    Raises:
        LayoutError: the samples have several layouts. `what` names them.
    """
    if isinstance(data, TensorList):
        return data.layout()
    if not isinstance(data, list | tuple):
        return ""
    layouts = {tensor.layout() for tensor in data if isinstance(tensor, Tensor)} - {""}
    if len(layouts) > 1:
        raise LayoutError(
            f"the samples of {what} have the layouts {', '.join(sorted(layouts))}; give the "
            "samples of a batch one layout"
        )
    return next(iter(layouts), "")


def fed_as(data: object, layout: str | None, expected: Expected) -> Expected:
    """Return the declaration of fed data, with the layout with which they are fed.

    Args:
        data: a batch of user data.
        layout: the layout that the user names; without it, that of the data.
        expected: the declaration of the output.

    Raises:
        LayoutError: the output is declared with another layout.
    """
    layout = layout or own_layout(data, expected.what)
    if layout and expected.layout not in (None, layout):
        raise LayoutError(
            f"{expected.what} is declared with the layout {expected.layout!r}, but the data are "
            f"fed with the layout {layout!r}; feed data of the declared layout, or declare none"
        )
    return expected._replace(layout=layout) if layout else expected


def check_column(rows: Any, expected: Expected) -> None:
    """Compare the samples of a batch with the declaration, and with one another."""
    if not isinstance(rows, list) and rows.ndim == 0:
        raise ArgumentError(
            f"{expected.what} is a single number; expected an array whose axis 0 runs over the "
            "samples, or a list of samples"
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
        raise LayoutError(
            f"{expected.what} has the layout {expected.layout!r}, which does not describe a "
            f"sample of shape {first.shape}"
        )


def check_alike(rows: Sequence[Array], what: str) -> None:
    """Raise ArgumentError for samples that differ in dtype or number of dimensions."""
    first = rows[0]
    for i, row in enumerate(rows):
        if row.dtype != first.dtype or row.ndim != first.ndim:
            raise ArgumentError(
                f"the samples of {what} must agree in dtype and number of dimensions, but sample 0 "
                f"is {first.dtype} of shape {first.shape}, and sample {i} is {row.dtype} of shape "
                f"{row.shape}"
            )


def copied(column: Column, batch: BatchContext) -> TensorListCPU:
    """Return the samples in memory of the batch; samples of one shape form one array."""
    return TensorListCPU(as_rows(column.rows).copied(batch.empty, np.copyto), column.layout)


def _spread(value: object, count: int) -> list[object]:
    """Return one value for each output: a list holds the values of the first outputs."""
    if isinstance(value, list | tuple):
        return [*value[:count], *[None] * (count - len(value))]
    return [value] * count


def expectations(
    owner: str, count: int, layout: object, dtype: object, ndim: object
) -> list[Expected]:
    """Return the declaration of each of `count` outputs; check that the arguments agree."""
    result = []
    columns = zip(*(_spread(value, count) for value in (layout, dtype, ndim)), strict=True)
    for i, (one_layout, one_dtype, one_ndim) in enumerate(columns):
        what = f"{owner}, output {i}" if count > 1 else owner
        if one_layout is not None and not isinstance(one_layout, str):
            raise ArgumentError(f"{what}: a layout is a string, not {one_layout!r}")
        named = (one_layout or "").replace("*", "")
        if len(set(named)) < len(named):
            raise ArgumentError(
                f"{what}: in the layout {one_layout!r} a letter names two dimensions"
            )
        if one_layout and one_ndim is not None and len(one_layout) != one_ndim:
            raise ArgumentError(
                f"{what}: the layout {one_layout!r} does not describe {one_ndim} dimensions"
            )
        no_type = one_dtype is None or one_dtype == -1
        result.append(
            Expected(what, None if no_type else to_numpy_type(one_dtype), one_ndim, one_layout)
        )
    return result
