"""Data of programs as samples: arrays of any library, tensors of pipelines, numbers and lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ...engine.arrays import Array
from ...engine.errors import ArgumentError
from ...engine.gpu.cupy_module import import_cupy
from ...engine.tensors import Tensor as EngineTensor
from ...engine.tensors import TensorGPU, TensorList, TensorListCPU, TensorListGPU
from .devices import Device
from .element_types import stored_type


def is_array(data: object) -> bool:
    """Return whether data are one array, of NumPy, of PyTorch or of another library."""
    names = ("__array__", "__cuda_array_interface__", "__dlpack__")
    return any(hasattr(data, name) for name in names)


def sample_of(data: Any, dtype: object, layout: str | None) -> TensorList:
    """Return one sample, without a copy if `data` are an array.

    Args:
        data: an array, a tensor of a pipeline's batch, a number, or a (nested) list of numbers.
        dtype: of numbers and lists; arrays keep their own.
        layout: meaning of the dimensions; by default that of a tensor.
    """
    if layout is None:
        layout = data.layout() if isinstance(data, EngineTensor) else ""
    if _is_on_gpu(data):
        return TensorListGPU(_gpu_array(data)[None], checked(layout, data))
    array = _host_array(data) if is_array(data) else _python_array(data, dtype)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"a tensor has numbers, not elements of the type {array.dtype}: {data!r}")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return TensorListCPU(np.asarray(array, order="C")[None], checked(layout, array))


def one_of(samples: TensorList, number: int) -> TensorList:
    """Return one sample of several, without a copy, as an array with one more axis."""
    number = range(len(samples))[number]
    row, layout = samples.row(number)[None], samples.layout()
    if isinstance(samples, TensorListGPU):
        return samples.with_rows(row, layout)
    return TensorListCPU(row, layout, [samples.source_info()[number]] if samples.names else None)


def checked(layout: str, array: Any) -> str:
    """Return a layout that fits an array.

    Raises:
        ArgumentError: the numbers of dimensions differ.
    """
    if not isinstance(layout, str):
        raise ArgumentError(f"a layout must be a str, but is {layout!r}")
    if layout and len(layout) != len(array.shape):
        raise ArgumentError(
            f"the layout {layout!r} names {len(layout)} dimensions, but there are "
            f"{len(array.shape)} dimensions (shape {tuple(array.shape)})"
        )
    return layout


def _is_on_gpu(data: object) -> bool:
    if isinstance(data, TensorGPU):
        return True
    if hasattr(data, "__dlpack_device__"):
        return Device.type_from_dlpack(data.__dlpack_device__()[0]) == "gpu"
    return getattr(data, "__cuda_array_interface__", None) is not None


def _gpu_array(data: object) -> Any:
    cupy = import_cupy()
    array = cupy.from_dlpack(data) if hasattr(data, "__dlpack__") else cupy.asarray(data)
    cupy.cuda.get_current_stream().synchronize()
    return array


def _host_array(data: Any) -> Array:
    if hasattr(data, "__array__"):
        try:
            return np.asarray(data)
        except (TypeError, RuntimeError) as error:  # a tensor of PyTorch that needs a gradient
            raise ArgumentError(f"NumPy cannot take a {type(data).__name__}: {error}") from error
    array: Array = np.from_dlpack(data)
    return array


def _python_array(data: object, dtype: object) -> Array:
    """Return numbers as an array: of 32 bits, unless `dtype` says otherwise."""
    if isinstance(data, str | bytes) or data is None:
        raise TypeError(
            f"a tensor is made of an array, a number or a list of numbers, not {data!r}"
        )
    if isinstance(data, Iterable) and not isinstance(data, list | tuple):
        data = list(data)
    if dtype is not None:
        return np.array(data, stored_type(dtype))
    try:
        array = np.array(data)
    except ValueError as error:
        raise ArgumentError(
            f"the lists have different lengths, so they are no tensor ({error}); make a batch of "
            "samples with ndd.batch"
        ) from error
    if array.dtype == np.float64:
        return array.astype(np.float32)
    large = array.dtype == object and all(type(element) is int for element in array.flat)
    if large or array.dtype in (np.int64, np.uint64):
        return _narrow(array)
    return array


def _narrow(array: Array) -> Array:
    """Return whole numbers as int32, or as uint32 if they need it."""
    low, high = (int(array.min()), int(array.max())) if array.size else (0, 0)
    for name in ("int32", "uint32"):
        limits = np.iinfo(name)
        if limits.min <= low and high <= limits.max:
            return array.astype(name)
    worst = low if low < np.iinfo("int32").min else high
    raise OverflowError(
        f"the number {worst} does not fit into 32 bits; name the type, as in dtype=ndd.int64"
    )


def shown(kind: str, samples: TensorList, facts: Mapping[str, object]) -> str:
    """Return the text that stands for data in an interactive session.

    Args:
        kind: name of the class.
        samples: the samples; "Batch" has them in brackets.
        facts: further lines, by their names.
    """
    rows = [np.array2string(np.asarray(row), threshold=100) for row in samples.as_cpu().rows()]
    scalars = samples.ndim == 0
    inside = (", " if scalars else ",\n").join(rows)
    if kind == "Batch":
        inside = "[" + inside.replace("\n", "\n ") + "]"
    lines = [inside.replace("\n", "\n    ")]
    lines += [f"{name}={value}" for name, value in facts.items() if value is not None]
    return f"{kind}(\n    " + ",\n    ".join(lines) + ")"
