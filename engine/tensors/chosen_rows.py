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
from .packed_rows import PackedRows
from .results import hole_like
from .source_info import Names, NamesAt, NamesOfBranches
from .tensor_base import TensorList

SMALL_ROW_BYTES = 256
"""Bytes of a row in host memory up to which a copy takes less time than views of the rows."""


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
    packed = _packed(data)
    chosen: Any
    if packed is not None:
        chosen = packed.selected(rows)
    elif data.mixed is not None:
        chosen = data.mixed.selected(rows)
    elif data.is_dense():
        chosen = data.dense()[rows]
    else:
        chosen = [data.row(i) for i in rows.tolist()]
    return _with_rows(data, chosen).with_source_info(names)


def spread(data: TensorList, rows: Int64s, size: int) -> TensorList:
    """Return a batch of `size` rows, of which `data` has some, and the others are holes."""
    packed = _packed(data)
    spread_rows: Any
    if packed is not None:
        spread_rows = packed.spread(rows, size)
    elif data.mixed is not None:
        positions = np.zeros(size, np.int64)
        positions[rows] = np.arange(len(rows))
        spread_rows = data.mixed.selected(positions)
    elif data.is_dense():
        dense = data.dense()
        spread_rows = np.zeros((size, *dense.shape[1:]), dense.dtype)
        spread_rows[rows] = dense
    else:
        spread_rows = [hole_like(data.rows())] * size
        for i, row in zip(rows.tolist(), data.rows(), strict=True):
            spread_rows[i] = row
    names = data.names
    if names is not None:
        numbers = np.full(size, -1)
        numbers[rows] = np.arange(len(rows))
        names = NamesAt(names, numbers)
    return _with_rows(data, spread_rows).with_source_info(names)


def merged(condition: NDArray[np.bool_], if_true: TensorList, if_false: TensorList) -> TensorList:
    """Return each row from one of two batches in host memory, as the condition says."""
    layout = if_true.layout() or if_false.layout()
    names = merged_names(condition, if_true.names, if_false.names)
    if condition.all() or not condition.any():
        return (if_true if condition.all() else if_false).with_layout(layout)
    if _are_small(if_true) and _are_small(if_false):
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
    rows = MixedRows(condition, numbers, (if_true, if_false), pointers, extents)
    leases = [side._lease for side in (if_true, if_false) if side._lease is not None]
    return TensorListGPU(rows, layout, names, lease=JointLease(*leases) if leases else None)


def merged_names(
    condition: NDArray[np.bool_], if_true: Names | None, if_false: Names | None
) -> Names | None:
    """Return the names of merged samples."""
    if if_true is if_false or (if_true is None and if_false is None):
        return if_true
    return NamesOfBranches(condition, if_true, if_false)


def _are_small(data: TensorList) -> bool:
    if not data.is_dense() or isinstance(data, TensorListGPU):
        return False
    dense = data.dense()
    return bool(dense[:1].nbytes <= SMALL_ROW_BYTES)


def _packed(data: TensorList) -> PackedRows | None:
    """Return rows as parts of one block, unless rows in host memory are small or not contiguous."""
    if data.packed is not None or not data.is_dense() or _are_small(data):
        return data.packed
    dense = data.dense()
    if not dense.flags.c_contiguous or dense.dtype.kind not in "biufc":
        return None
    count = len(dense)
    memory = dense.reshape(-1).view(np.uint8)
    shapes = np.broadcast_to(np.array(dense.shape[1:], np.int64), (count, dense.ndim - 1))
    return PackedRows(
        memory, np.arange(count) * (memory.nbytes // max(count, 1)), shapes, dense.dtype
    )


def _with_rows(data: TensorList, rows: Any) -> TensorList:
    if isinstance(data, TensorListGPU):
        return data.with_rows(rows, data._layout)
    return TensorListCPU(rows, data._layout)
