"""Some rows of a batch as a batch, and back, without copies of large data.

A batch of which only some rows were computed has *holes*. A hole may hold anything, because nobody
reads it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Int64s
from .device_leases import JointLease
from .device_tensors import TensorListGPU
from .host_tensors import TensorListCPU
from .mixed_rows import MixedRows
from .rows import Rows
from .source_info import Names, NamesAt, NamesOfBranches
from .tensor_base import TensorList


def holes(size: int, device: str, layout: str) -> TensorList:
    """Return a batch of which no row was computed."""
    rows = [np.empty(0, np.uint8)] * size
    return (TensorListGPU if device == "gpu" else TensorListCPU)(rows, layout)


def truth_of(condition: TensorList) -> NDArray[np.bool_]:
    """Return the truth value of each sample; False for a hole."""
    if condition.is_dense():
        truth: NDArray[np.bool_] = condition.dense().reshape(len(condition))
        return truth
    return np.array([row.size > 0 and bool(row) for row in condition.rows()], bool)


def selected(data: TensorList, rows: Int64s) -> TensorList:
    """Return some rows of a batch as a batch."""
    names = None if data.names is None else NamesAt(data.names, rows)
    return _with_rows(data, data.stored.selected(rows)).with_source_info(names)


def spread(data: TensorList, rows: Int64s, size: int) -> TensorList:
    """Return a batch of `size` rows, of which `data` has some, and the others are holes."""
    names = data.names
    if names is not None:
        numbers = np.full(size, -1)
        numbers[rows] = np.arange(len(rows))
        names = NamesAt(names, numbers)
    return _with_rows(data, data.stored.spread(rows, size)).with_source_info(names)


def merged(condition: NDArray[np.bool_], if_true: TensorList, if_false: TensorList) -> TensorList:
    """Return each row from one of two batches in host memory, as the condition says."""
    layout = if_true.layout() or if_false.layout()
    names = merged_names(condition, if_true.names, if_false.names)
    if condition.all() or not condition.any():
        return (if_true if condition.all() else if_false).with_layout(layout)
    if if_true.stored.is_small() and if_false.stored.is_small():
        first, second = if_true.dense(), if_false.dense()
        if first.shape == second.shape and first.dtype == second.dtype:
            shape = (-1, *[1] * (first.ndim - 1))
            rows = np.where(condition.reshape(shape), first, second)
            return TensorListCPU(rows, layout, names)
    pairs = enumerate(condition.tolist())
    return TensorListCPU([(if_true if c else if_false).row(i) for i, c in pairs], layout, names)


def merged_on_device(
    condition: NDArray[np.bool_], if_true: TensorListGPU, if_false: TensorListGPU
) -> TensorListGPU:
    """Return each row from one of two batches on the device, without a copy."""
    layout = if_true.layout() or if_false.layout()
    names = merged_names(condition, if_true.names, if_false.names)
    if condition.all() or not condition.any():
        return (if_true if condition.all() else if_false).with_layout(layout)
    numbers = np.arange(len(condition))
    pointers = np.empty(len(condition), np.uint64)
    extents: Any = None
    for data, chosen in ((if_true, condition), (if_false, ~condition)):
        own = selected(data, numbers[chosen])
        pointers[chosen] = own.pointers()
        if extents is None:
            extents = np.empty((len(condition), own.ndim), np.int64)
        extents[chosen] = own.extents()
    batches = if_true.stored, if_false.stored
    rows = MixedRows(condition, numbers, batches, pointers, extents)
    leases = [side._lease for side in (if_true, if_false) if side._lease is not None]
    return TensorListGPU(rows, layout, names, lease=JointLease(*leases) if leases else None)


def merged_names(
    condition: NDArray[np.bool_], if_true: Names | None, if_false: Names | None
) -> Names | None:
    """Return the names of merged samples."""
    if if_true is if_false or (if_true is None and if_false is None):
        return if_true
    return NamesOfBranches(condition, if_true, if_false)


def _with_rows(data: TensorList, rows: Rows) -> TensorList:
    if isinstance(data, TensorListGPU):
        return data.with_rows(rows, data._layout)
    return TensorListCPU(rows, data._layout)
