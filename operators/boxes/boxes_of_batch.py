"""The boxes of a batch as one table of corners, with the errors of single samples."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array
from ...engine.graph.row_arguments import try_rows
from ...engine.tensors import TensorList
from .box_layout import BoxLayout, box_layout, check_in_image
from .checks import check_boxes, check_labels

_COLUMNS = ((4,), (6,))


class CornersOfBatch(NamedTuple):
    """The boxes of a batch.

    Attributes:
        corners: of all boxes: (2 * dimensions, boxes) float32, relative to the images.
        counts: number of boxes of each sample; 0 for samples with errors.
        layout: of the boxes' columns.
        labels: of all boxes, one below the other, or a list with those of each sample; no samples
            without labels.
    """

    corners: Array
    counts: Array
    layout: BoxLayout
    labels: Array | list[Array]


def read_corners(
    batch: BatchContext,
    owner: str,
    boxes: TensorList,
    labels: TensorList | None,
    letters: str,
    *,
    ltrb: bool,
) -> CornersOfBatch:
    """Return the boxes of a batch; enter the errors of samples in the batch.

    Args:
        owner: the operator, for messages.
        boxes: float32, (boxes, 4) or (boxes, 6); all samples have as many columns.
        labels: one for each box, or None.
        letters, ltrb: the layout of the boxes, as `box_layout` takes them.
    """
    packed = _packed_corners(owner, boxes, labels, letters, ltrb=ltrb)
    if packed is not None:
        return packed
    rows, of_labels = boxes.rows(), [] if labels is None else labels.rows()
    shapes = (row.shape for row in rows)
    columns = next((shape[1] for shape in shapes if shape[1:] in _COLUMNS), 4)
    layout = box_layout(owner, letters, columns // 2, ltrb=ltrb)
    none = np.empty((0, columns), np.float32)

    def check(i: int) -> None:
        check_boxes(owner, rows[i].shape, rows[i].dtype, (columns,))
        if of_labels:
            check_labels(owner, of_labels[i].shape, of_labels[i].dtype, len(rows[i]))
        check_in_image(owner, layout.corners(rows[i]))

    def corners_of(table: Array) -> CornersOfBatch:
        corners = check_in_image(owner, layout.corners(table))
        counts = np.array([*map(len, rows)], np.int64)
        return CornersOfBatch(corners, counts, layout, of_labels)

    table = joined([none, *rows])
    if table is not None and _labels_fit(rows, of_labels):
        with suppress(ArgumentError):  # of a sample that is not known yet
            return corners_of(table)
    for i in try_rows(batch, range(len(rows)), check):
        rows[i] = none
        of_labels[i : i + 1] = [label.reshape(-1)[:0] for label in of_labels[i : i + 1]]
    return corners_of(np.concatenate([none, *rows]))


def _packed_corners(
    owner: str, boxes: TensorList, labels: TensorList | None, letters: str, *, ltrb: bool
) -> CornersOfBatch | None:
    """Return the boxes of samples that lie end to end; None if they do not, or have an error."""
    table = boxes.stored.flat()
    if table is None or table.dtype != np.float32 or boxes.ndim != 2:
        return None
    counts, columns = boxes.extents().T
    if (columns[0],) not in _COLUMNS or (columns != columns[0]).any():
        return None
    of_labels: Array | list[Array] | None = [] if labels is None else _packed_labels(labels, counts)
    if of_labels is None:
        return None
    layout = box_layout(owner, letters, int(columns[0]) // 2, ltrb=ltrb)
    corners = layout.corners(table.reshape(-1, columns[0]))
    try:
        corners = check_in_image(owner, corners)
    except ArgumentError:  # of a sample that is not known yet
        return None
    return CornersOfBatch(corners, counts.copy(), layout, of_labels)


def _packed_labels(labels: TensorList, counts: Array) -> Array | None:
    """Return all labels, if they lie end to end, and are as many integers as boxes."""
    table = labels.stored.flat()
    if table is None or table.dtype.kind not in "iu" or not labels.ndim:
        return None
    shapes = labels.extents()
    inner = shapes[0, 1:]
    if (shapes[:, 1:] != inner).any() or not inner.all():
        return None
    alike = (shapes[:, 0] == counts).all()
    return table.reshape(-1, *inner.tolist()) if alike else None


def _labels_fit(rows: list[Array], of_labels: list[Array]) -> bool:
    """Return whether samples have integers for labels, if any, and as many as boxes."""
    integers = all(label.ndim and label.dtype.kind in "iu" for label in of_labels)
    return not of_labels or (integers and [*map(len, of_labels)] == [*map(len, rows)])


def joined(rows: list[Array]) -> Array | None:
    """Return rows below one another; None if there are none, or dtypes or shapes do not fit."""
    try:
        return np.concatenate(rows, dtype=rows[0].dtype, casting="no")
    except (TypeError, ValueError, IndexError):
        return None
