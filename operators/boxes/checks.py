"""Checks of boxes and labels; each error says which box is wrong, and what to do."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...engine.arrays import DType
from ...engine.errors import ArgumentError
from ...engine.graph.context import RowsContext
from ...engine.graph.operator import Array
from ...engine.tensors import TensorList
from ...engine.tensors.dtypes import to_numpy_type


def check_float32(owner: str, noun: str, dtype: DType) -> None:
    """Raise ArgumentError unless coordinates are float32."""
    if dtype != np.float32:
        raise ArgumentError(
            f"{owner}: the {noun} must be float32, but are {dtype}; convert them with "
            "fn.cast(..., dtype=types.FLOAT)"
        )


def check_boxes(
    owner: str, shape: Sequence[int], dtype: DType, columns: Sequence[int] = (4,)
) -> None:
    """Raise ArgumentError unless boxes are float32 of shape (boxes, columns)."""
    if len(shape) != 2 or shape[1] not in columns:
        wanted = " or ".join(f"(boxes, {count})" for count in columns)
        raise ArgumentError(
            f"{owner}: the boxes must have the shape {wanted}, but have {tuple(shape)}"
        )
    check_float32(owner, "boxes", dtype)


def check_rows_of_boxes(owner: str, shape: tuple[int, ...], dtype: DType) -> None:
    """Raise ArgumentError unless boxes are float32 of shape (boxes, 4), or one box: (4,)."""
    if not shape or shape[-1] != 4:
        raise ArgumentError(
            f"{owner}: the boxes must have the shape (boxes, 4) or (4,), but have {shape}"
        )
    check_float32(owner, "boxes", dtype)


def check_labels(owner: str, shape: Sequence[int], dtype: DType, boxes: int) -> None:
    """Raise ArgumentError unless there is one label, or one vector of labels, for each box."""
    if dtype.kind not in "iu":
        raise ArgumentError(f"{owner}: the labels must be integers, but are {dtype}")
    if len(shape) == 0 or shape[0] != boxes:
        raise ArgumentError(
            f"{owner}: the labels have the shape {tuple(shape)} for {boxes} boxes; give one label "
            "for each box"
        )


def check_numbers(owner: str, boxes: Array) -> None:
    """Raise ArgumentError if a coordinate is not a number, or infinite."""
    if not np.logical_and.reduce(np.isfinite(boxes), axis=None):
        box = int(np.flatnonzero(~np.isfinite(boxes).all(axis=1))[0])
        raise ArgumentError(f"{owner}: box {box} is {boxes[box].tolist()}, which is not finite")


def try_checks(batch: RowsContext, owner: str, boxes: TensorList, labels: TensorList) -> Array:
    """Check shapes and dtypes of a batch; enter errors of rows, and return the rows without."""
    dtypes = [to_numpy_type(data.dtype) for data in (boxes, labels)]
    good = np.ones(len(boxes), bool)
    if dtypes[0] == np.float32 and dtypes[1].kind in "iu" and _all_fit(boxes, labels):
        return good
    for row, (of_boxes, of_labels) in enumerate(zip(boxes.shape(), labels.shape(), strict=True)):
        try:
            check_boxes(owner, of_boxes, dtypes[0])
            check_labels(owner, of_labels, dtypes[1], of_boxes[0])
        except ArgumentError as error:
            batch.fail_row(row, error)
            good[row] = False
    return good


def _all_fit(boxes: TensorList, labels: TensorList) -> bool:
    """Return whether all boxes are (boxes, 4), and as many labels come with each sample."""
    try:
        of_boxes, of_labels = boxes.extents(), labels.extents()
    except ValueError:  # samples differ in their number of dimensions
        return False
    if of_boxes.shape[1] != 2 or not of_labels.shape[1]:
        return False
    return bool((of_boxes[:, 1] == 4).all() and (of_boxes[:, 0] == of_labels[:, 0]).all())
