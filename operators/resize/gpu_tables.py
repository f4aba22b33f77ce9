"""Tables that the resampling kernels read: the filters' curves, and the weights of axes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import DType, Int64s
from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext
from ...engine.tensors import address_of
from ..kernels import THREADS, Pointers, StructTable, blocks_for, kernel, struct_of, struct_table
from .axes import COPY, COPY_STEPWISE, FIELDS_OF_KERNELS, WEIGH, Axes, find_stepwise
from .filters import curve_tables

_ALIGNMENT = 8  # of tables, in bytes
_AXIS = struct_of("Axis", np.dtype(FIELDS_OF_KERNELS, align=True))

WAYS: dict[str, str | int] = {"WEIGH": WEIGH, "COPY": COPY, "COPY_STEPWISE": COPY_STEPWISE}
"""Macros of the kernels: how an output sample is computed."""


def weight_tables(
    batch: BatchContext, needed: NDArray[np.bool_], axes: Axes, work: DType
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], object]:
    """Compute the first input sample of each output of axes, and the weights, on the device.

    Args:
        needed: which samples need tables: (batch,).
        axes: how they are resampled.
        work: the type of the weights.

    Returns:
        The addresses of both tables for each sample, and the memory that holds the tables.
    """
    axes = axes.copy()
    axes["outputs"][~needed] = 0
    find_stepwise(axes)
    outputs, taps = axes["outputs"].astype(np.int64), axes["taps"]
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
        axis=axis_table(axes),
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


def axis_table(axes: Axes) -> StructTable:
    """Return axes as the structs `Axis` of weights.cuh, without a copy."""
    return StructTable(_AXIS, np.ndarray(axes.shape, _AXIS.dtype, axes, strides=axes.strides))


def uploaded_curves(batch: BatchContext) -> object:
    """Return the filters' tables on the device, where they stay as long as its stream is used."""
    return batch.device.own(curve_tables, lambda: batch.device.upload(curve_tables().values))
