"""Tables that the resampling kernels read: the filters' curves, and the weights of axes."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Int64s
from ...engine.gpu.kernels import c_type
from ...engine.graph.operator import Array
from ...engine.tensors import address_of
from ..kernels import THREADS, Pointers, StructTable, blocks_for, kernel, struct_table
from .axes import ResampledAxes
from .filters import CURVES, Filter

if TYPE_CHECKING:
    from ...engine.graph.context import BatchContext

_ALIGNMENT = 8  # of tables, in bytes
_WEIGH, _COPY, _COPY_STEPWISE = range(3)

WAYS: dict[str, str | int] = {"WEIGH": _WEIGH, "COPY": _COPY, "COPY_STEPWISE": _COPY_STEPWISE}
"""Macros of the kernels: how an output sample is computed."""


def weight_tables(
    batch: BatchContext, needed: NDArray[np.bool_], axis: ResampledAxes, work: np.dtype[Any]
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], Any]:
    """Compute the first input sample of each output of an axis, and the weights, on the device.

    Args:
        batch: the batch, whose device does the work.
        needed: which samples need tables: (batch,).
        axis: how the axis is resampled.
        work: the type of the weights.

    Returns:
        The addresses of both tables for each sample, and the memory that holds the tables.
    """
    outputs, taps = np.where(needed, axis.out_size, 0), axis.taps
    indices, nbytes = _aligned(4 * outputs), _aligned(work.itemsize * taps * outputs)
    memory = batch.device.buffer(int((indices + nbytes).sum()))
    ends = np.cumsum(indices + nbytes).astype(np.uint64) + np.uint64(address_of(memory))
    weights = ends - nbytes.astype(np.uint64)
    first = weights - indices.astype(np.uint64)
    table = struct_table(
        "WeightTable",
        len(outputs),
        first=Pointers(first, "int*"),
        weights=Pointers(weights, "Work*"),
        axis=axis_table(axis, outputs, stepwise=True),
    )
    batch.device.launch(
        kernel("resize/resample_weights", "resample_weights", Work=c_type(work), **WAYS),
        (blocks_for(outputs), len(outputs)),
        (THREADS,),
        table,
        uploaded_curves(batch),
    )
    return first, weights, memory


def _aligned(nbytes: Int64s) -> Int64s:
    return -(-nbytes // _ALIGNMENT) * _ALIGNMENT


def axis_table(axis: ResampledAxes, outputs: Int64s, *, stepwise: bool) -> StructTable:
    """Return the structs `Axis` of weights.cuh.

    Positions of rows are found step by step (`stepwise`), those of columns by multiplying.
    """
    _, starts, lasts = _curves()
    copy = _COPY_STEPWISE if stepwise else _COPY
    edge, half = axis.start.astype(np.float32), np.float32(0.5)
    first = edge + (half * axis.scale - half - axis.anchor)
    return struct_table(
        "Axis",
        len(outputs),
        inputs=axis.in_size.astype(np.int32),
        outputs=outputs.astype(np.int32),
        support=axis.support.astype(np.int32),
        taps=axis.taps.astype(np.int32),
        way=np.where(axis.copies, copy, _WEIGH).astype(np.int32),
        curve=starts[axis.filter],
        last=lasts[axis.filter],
        step=axis.step,
        scale=axis.scale,
        start=np.where(axis.copies, edge, first),
    )


@cache
def _curves() -> tuple[Array, Array, Array]:
    """Return the filters' tables one after the other, and by filter its start and last step.

    The triangle needs no table, and its start is -1.
    """
    starts = np.full(len(Filter), -1, np.int32)
    lasts = np.zeros(len(Filter), np.float32)
    tables: list[Array] = []
    for number, curve in CURVES.items():
        if number is not Filter.LINEAR:
            starts[number] = sum(map(len, tables))
            lasts[number] = curve.last
            tables.append(curve.table)
    return np.concatenate(tables), starts, lasts


def uploaded_curves(batch: BatchContext) -> Any:
    """Return the filters' tables on the device, where they stay as long as its stream is used."""
    return batch.device.own(_curves, lambda: batch.device.upload(_curves()[0]))
