"""The boxes of a batch as one table of corners, with the errors of single samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.operator import Array
from ...engine.tensors import TensorList
from ..common.batch_arguments import try_rows
from .box_layout import BoxLayout, box_layout, check_in_image
from .checks import check_boxes, check_labels

if TYPE_CHECKING:
    from ...engine.graph.context import BatchContext


class BoxesOfBatchTuning(NamedTuple):
    """The tolerance of boxes.

    Attributes:
        slack: how far boxes may reach beyond the image, because of rounding errors.
    """

    slack: float = 1e-5


TUNING = BoxesOfBatchTuning()
_COLUMNS = ((4,), (6,))


class CornersOfBatch(NamedTuple):
    """The boxes of a batch.

    Attributes:
        corners: of all boxes: (2 * dimensions, boxes) float32, relative to the images.
        counts: number of boxes of each sample; 0 for samples with errors.
        layout: of the boxes' columns.
        labels: of each sample's boxes; no samples without labels.
    """

    corners: Array
    counts: Array
    layout: BoxLayout
    labels: list[Array]


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
        batch: the batch.
        owner: the operator, for messages.
        boxes: float32, (boxes, 4) or (boxes, 6); all samples have as many columns.
        labels: one for each box, or None.
        letters, ltrb: the layout of the boxes, as `box_layout` takes them.
    """
    rows, of_labels = boxes.rows(), [] if labels is None else labels.rows()
    shapes = (row.shape for row in rows)
    columns = next((each[1] for each in shapes if each[1:] in _COLUMNS), 4)
    layout = box_layout(owner, letters, columns // 2, ltrb=ltrb)
    none = np.empty((0, columns), np.float32)

    def check(i: int) -> None:
        check_boxes(owner, rows[i].shape, rows[i].dtype, (columns,))
        if of_labels:
            check_labels(owner, of_labels[i].shape, of_labels[i].dtype, len(rows[i]))
        check_in_image(owner, layout.corners(rows[i]), TUNING.slack)

    def together() -> CornersOfBatch:
        table = joined([none, *rows])
        if table is None:
            raise ArgumentError("boxes of a wrong form")
        corners = check_in_image(owner, layout.corners(table), TUNING.slack)
        counts = np.array([*map(len, rows)], np.int64)
        return CornersOfBatch(corners, counts, layout, of_labels)

    try:
        if _labels_fit(rows, of_labels):
            return together()
    except (ArgumentError, TypeError):  # numbers have no length
        pass  # of a sample that is not known yet
    for i in try_rows(batch, range(len(rows)), check):
        rows[i] = none
        of_labels[i : i + 1] = [each.reshape(-1)[:0] for each in of_labels[i : i + 1]]
    return together()


def _labels_fit(rows: list[Array], of_labels: list[Array]) -> bool:
    """Return whether samples have integers for labels, if any, and as many as boxes."""
    integers = all(label.ndim and label.dtype.kind in "iu" for label in of_labels)
    return not of_labels or (integers and [*map(len, of_labels)] == [*map(len, rows)])


def joined(rows: list[Array]) -> Array | None:
    """Return one row or more below one another; None if their dtypes or shapes do not fit."""
    try:
        return np.concatenate(rows, dtype=rows[0].dtype, casting="no")
    except (TypeError, ValueError):
        return None
