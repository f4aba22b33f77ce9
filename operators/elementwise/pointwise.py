"""Elementwise operators on the GPU whose function is one line of CUDA C++."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike

from ...engine.errors import ArgumentError
from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array
from ...engine.tensors import TensorList, TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ..kernels import Pointers, kernel, lanes_of, launch_lanes, struct_table

_PACKS = 2  # packs of neighboring elements that a thread reads before it writes
_MOST_INPUTS = 3


def pointwise(
    batch: BatchContext,
    expression: str,
    *inputs: TensorListGPU,
    dtype: DTypeLike | None = None,
    **scalars: TensorList | Array | Pointers | float,
) -> TensorListGPU:
    """Compute an expression for each element, in one launch for the batch.

    The kernel converts the result of the expression as `saturate` does on the CPU: to the nearest
    number in the range of `dtype`, with halves rounded away from zero.

    Args:
        batch: the batch, on whose device to compute.
        expression: CUDA C++. The elements of the inputs are called x, y and z. They have the types
            of the inputs, but float16 is float; C++ promotes small integers to int. The number of
            the element in its sample is called i.
        inputs: one to three batches; the inputs of a sample have one shape. Any layout.
        dtype: of the result; by default that of the first input.
        scalars: numbers by their names in the expression: one for all samples, or a node's
            values, one a sample. Floating point numbers are float, integers long long. An array
            has a value for each sample, and keeps its dtype; an array of shape
            (samples, k) is an array of k numbers in the expression. `Pointers` are tables in
            device memory.

    Returns:
        the results: of the shapes of the inputs.
    """
    if not 1 <= len(inputs) <= _MOST_INPUTS:
        raise ArgumentError(f"an expression has 1 to {_MOST_INPUTS} inputs, not {len(inputs)}")
    shapes, sources = _shapes(batch, inputs), [to_numpy_type(data.dtype) for data in inputs]
    target = sources[0] if dtype is None else np.dtype(dtype)
    out = batch.device.empty(shapes, target)
    elements = shapes.prod(axis=1)
    numbers = {name: _scalar(batch, name, value) for name, value in scalars.items()}
    pointers = {
        f"input{i}": Pointers(data.pointers(), f"const In{i}*") for i, data in enumerate(inputs)
    }
    table = struct_table(
        "Sample",
        batch.size,
        **pointers,
        out=Pointers(out.pointers(), "Out*"),
        elements=elements,
        **numbers,
    )
    largest = max(dtype.itemsize for dtype in (target, *sources))
    macros = {f"In{i}": c_type(source) for i, source in enumerate(sources)}
    function = kernel(
        "elementwise/pointwise",
        "pointwise",
        **macros,
        Out=c_type(target),
        INPUTS=len(inputs),
        LANES=lanes_of(largest),
        PACKS=_PACKS,
    )
    locals_ = " ".join(f"const auto& {name} = s.{name};" for name in numbers)
    texts = f"#define EXPRESSION ({expression})", f"#define SCALARS {locals_}"
    steps = -(-elements // _PACKS) if len(inputs) == 1 else elements
    launch_lanes(batch, function.declaring(*texts), table, steps, largest)
    return out


def _shapes(batch: BatchContext, inputs: tuple[TensorListGPU, ...]) -> Array:
    """Return the shapes of the results: (batch, ndim); samples whose inputs differ are empty."""
    first, *others = (data.extents() for data in inputs)
    for other in others:
        if other.shape != first.shape:
            raise ArgumentError(
                f"the inputs have {first.shape[1]} and {other.shape[1]} dimensions; "
                "they must have one shape"
            )
        for row in np.flatnonzero((first != other).any(axis=1)).tolist():
            shapes = f"{tuple(first[row].tolist())} and {tuple(other[row].tolist())}"
            error = ArgumentError(f"the inputs have the shapes {shapes}; they must be the same")
            batch.fail_row(row, error)
        first = np.where((first != other).any(axis=1)[:, np.newaxis], 0, first)
    return first


def _scalar(
    batch: BatchContext, name: str, value: TensorList | Array | Pointers | float
) -> Array | Pointers:
    """Return the numbers of each sample, or one for all; samples without one number are 0."""
    if isinstance(value, np.ndarray | Pointers):
        return value
    if not isinstance(value, TensorList):
        numbers = np.asarray(value)
    elif value.is_dense_tensor() and value.dense()[:1].size == 1:
        numbers = value.dense().reshape(-1)
    else:
        numbers = np.zeros(batch.size, to_numpy_type(value.dtype))
        for row, values in enumerate(value.rows()):
            if values.size == 1:
                numbers[row] = values.item()
                continue
            error = ArgumentError(f"{name} has {values.size} values; give one number a sample")
            batch.fail_row(row, error)
    result: Array = numbers.astype(np.float32 if numbers.dtype.kind == "f" else np.int64)
    return result
