"""Expressions on the GPU: operands that lie anywhere, broadcast to the shape of the result."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import DType
from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array
from ...engine.tensors import TensorList, TensorListCPU, TensorListGPU, address_of
from ...engine.tensors.dtypes import to_numpy_type
from ..kernels import Pointers, kernel, lanes_of, launch_lanes, struct_table

_NUMBER, _WHOLE, _REPEATED = 0, 1, 2
"""An operand is one number, has an element for each of the result, or is repeated along axes."""


class Operand(NamedTuple):
    """The numbers of an operand on the device, sample by sample.

    Attributes:
        dtype: of the numbers.
        extents: shapes of the samples: (batch, ndim).
        addresses: of the samples: (batch,). 0 for a number that is in `numbers`.
        numbers: the bytes of samples that are one number: (batch,).
        memory: memory of the numbers, which is kept until the kernel is launched.
    """

    dtype: DType
    extents: NDArray[np.int64]
    addresses: NDArray[np.uint64]
    numbers: NDArray[np.uint64]
    memory: Any

    def extents_of(self, ndim: int) -> NDArray[np.int64]:
        """Return the extents with `ndim` dimensions: missing ones are 1, in front."""
        count, own = self.extents.shape
        return np.concatenate([np.ones((count, ndim - own), np.int64), self.extents], 1)


def operand(batch: BatchContext, data: TensorList) -> Operand:
    """Return an operand; numbers in host memory are copied, single ones go into the table."""
    none = np.zeros(len(data), np.uint64)
    if isinstance(data, TensorListCPU) and data.is_dense_tensor():
        array = data.dense()
        extents = np.broadcast_to(np.array(array.shape[1:], np.int64), (len(array), array.ndim - 1))
        if prod(array.shape[1:]) == 1:
            return Operand(array.dtype, extents, none, _bytes(array), None)
        if array.strides[0] == 0:
            memory = batch.device.upload(array[0])
            return Operand(array.dtype, extents, none + np.uint64(address_of(memory)), none, memory)
    there = batch.device.to_device(data)
    return Operand(to_numpy_type(data.dtype), there.extents(), there.pointers(), none, there)


def _bytes(numbers: Array) -> NDArray[np.uint64]:
    """Return one number a sample, zero-extended to eight bytes."""
    filled = np.zeros((len(numbers), 8), np.uint8)
    size = numbers.dtype.itemsize
    filled[:, :size] = np.ascontiguousarray(numbers).reshape(-1, 1).view(np.uint8)
    result: NDArray[np.uint64] = filled.view(np.uint64)[:, 0]
    return result


def broadcast(operands: Sequence[Operand]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the shapes of the results, and for which samples shapes cannot be broadcast."""
    ndim = max(value.extents.shape[1] for value in operands)
    first, *others = (value.extents_of(ndim) for value in operands)
    result, bad = first, np.zeros(len(first), bool)
    for other in others:
        bad |= ((result != other) & (result != 1) & (other != 1)).any(1)
        result = np.where(result == 1, other, result)
    return np.where(bad[:, np.newaxis], 0, result), bad


def compute(
    batch: BatchContext,
    function: str,
    operands: Sequence[Operand],
    types: Sequence[DType],
    extents: NDArray[np.int64],
    dtype: DType,
    zero_divisors: NDArray[np.uint64] | int = 0,
) -> TensorListGPU:
    """Compute a function element by element.

    Args:
        function: name of one in elementwise/functions.cuh.
        operands: of the function.
        types: dtypes to which the operands are converted first.
        extents: shapes of the results: (batch, ndim). Operands are broadcast to them.
        dtype: of the results.
        zero_divisors: addresses of bytes, one a sample, which are set if the last operand has
            a zero; 0 for none.
    """
    out = batch.device.empty(extents, dtype)
    count = len(extents)
    sizes = extents.prod(axis=1)
    shapes = np.stack([value.extents_of(extents.shape[1]) for value in operands])
    counts = shapes.prod(axis=2)
    modes = np.where(counts == 1, _NUMBER, np.where(counts == sizes, _WHOLE, _REPEATED))
    if ((modes == _REPEATED) & (sizes > 0)).any():
        loops, steps = merged(extents, strides(shapes))
    else:
        loops, steps = sizes[:, np.newaxis], np.zeros((len(operands), count, 1), np.int64)
    tables = {
        f"operand{i}": struct_table(
            "Operand",
            count,
            data=operand.addresses,
            number=operand.numbers,
            mode=modes[i],
            strides=steps[i],
        )
        for i, operand in enumerate(operands)
    }
    table = struct_table(
        "Sample",
        count,
        out=Pointers(out.pointers(), "Out*"),
        zero_divisor=Pointers(np.asarray(zero_divisors), "bool*"),
        elements=sizes,
        extents=loops,
        **tables,
    )
    largest = max(dtype.itemsize, *(value.dtype.itemsize for value in operands))
    macros: dict[str, str | int] = {"FUNCTION": f"{function}_of", "Out": c_type(dtype)}
    macros |= {"COUNT": len(operands), "DIMS": loops.shape[1], "LANES": lanes_of(largest)}
    macros |= {"NUMBER": _NUMBER, "REPEATED": _REPEATED}
    for i, (operand, dtype_of_work) in enumerate(zip(operands, types, strict=True)):
        macros |= {f"In{i}": c_type(operand.dtype), f"As{i}": c_type(dtype_of_work)}
    launch_lanes(
        batch, kernel("elementwise/arithmetic", "arithmetic", **macros), table, sizes, largest
    )
    return out


def filled(
    batch: BatchContext, value: TensorList, extents: NDArray[np.int64], dtype: DType
) -> TensorListGPU:
    """Return a value of any dtype, broadcast to other shapes; further dimensions have extent 1.

    Args:
        batch: the batch, on whose device to compute; not empty.
        value: of each sample.
        extents: shapes of the results: (batch, ndim).
        dtype: of the results, to which numbers are converted by C's rules.
    """
    source = operand(batch, value)
    more = max(0, source.extents.shape[1] - extents.shape[1])
    source = source._replace(extents=source.extents[:, more:])
    return compute(batch, "same", [source], [dtype], extents, dtype)


def strides(shapes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the strides of arrays of these shapes, in elements; 0 where the extent is 1."""
    return np.where(shapes == 1, 0, contiguous_steps(shapes))


def contiguous_steps(shapes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the distance of neighbors on each axis of contiguous arrays, in elements."""
    steps = np.ones_like(shapes)
    steps[..., :-1] = shapes[..., :0:-1].cumprod(axis=-1)[..., ::-1]
    return steps


def merged(
    extents: NDArray[np.int64], steps: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Join neighboring axes that are one run of elements in every sample and for all strides.

    Args:
        extents: (batch, axes).
        steps: strides in elements: (..., batch, axes).

    Returns:
        extents and steps of the axes that are left.
    """
    axes = [(extents[:, -1], steps[..., -1])]
    for axis in reversed(range(extents.shape[1] - 1)):
        (inner, inner_step), outer, step = axes[-1], extents[:, axis], steps[..., axis]
        if ((outer == 1) | (inner == 1) | (step == inner_step * inner)).all():
            axes[-1] = (outer * inner, np.where(inner == 1, step, inner_step))
        else:
            axes.append((outer, step))
    axes.reverse()
    return np.stack([a[0] for a in axes], -1), np.stack([a[1] for a in axes], -1)
