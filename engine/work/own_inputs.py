"""Inputs of operators that may change them: copies, if others read the same memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..tensors import TensorList, TensorListCPU
from ..tensors.alignment import address_of_host
from ..tensors.results import BatchRows

if TYPE_CHECKING:
    from ..graph.context import BatchContext


def own_inputs(
    batch: BatchContext, inputs: list[TensorList], others: list[TensorList]
) -> list[TensorList]:
    """Return inputs whose memory no other operator and no output reads.

    Args:
        batch: that the operator works on.
        inputs: of the operator.
        others: data that others read, of which the inputs may be views: see `Step.shared`.
    """
    return [
        _copied(batch, data) if any(_overlap(data, other) for other in others) else data
        for data in inputs
    ]


def _copied(batch: BatchContext, data: TensorList) -> TensorList:
    if not isinstance(data, TensorListCPU):
        return batch.device.copied(data.stored, data.layout())
    copies = BatchRows(len(data), batch.empty, dense_hint=data.is_dense_tensor())
    for i, row in enumerate(data.rows()):
        copies.store_row(i, row, None)
    return copies.finish(data.layout())


def _overlap(data: TensorList, other: TensorList) -> bool:
    """Return whether two batches may share memory; data on the GPU always may."""
    if not (isinstance(data, TensorListCPU) and isinstance(other, TensorListCPU)):
        return type(data) is type(other)
    first, last = _bounds(data)
    other_first, other_last = _bounds(other)
    return first < other_last and other_first < last


def _bounds(data: TensorListCPU) -> tuple[int, int]:
    """Return the lowest address of a batch, and the one behind the highest."""
    whole = [data.dense()] if data.is_dense_tensor() else data.rows()
    addresses = [_byte_bounds(array) for array in whole if array.size]
    if not addresses:
        return 0, 0
    return min(first for first, _ in addresses), max(last for _, last in addresses)


def _byte_bounds(array: Any) -> tuple[int, int]:
    steps = [(n - 1) * step for n, step in zip(array.shape, array.strides, strict=True)]
    start = address_of_host(array)
    last = start + sum(step for step in steps if step > 0) + array.itemsize
    return start + sum(step for step in steps if step < 0), last
