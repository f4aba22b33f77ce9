"""The boxes of a batch as one table of corners, with the errors of single samples."""

from __future__ import annotations

from collections.abc import Iterable
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
_COLUMNS = (4, 6)


class CornersOfBatch(NamedTuple):
    """The boxes of a batch.

    Attributes:
        corners: of all boxes: (2 * dimensions, boxes) float32, relative to the images.
        counts: number of boxes of each sample; 0 for samples with errors.
        layout: of the boxes' columns.
    """

    corners: Array
    counts: Array
    layout: BoxLayout


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
    rows = boxes.rows()
    columns = max({row.shape[1] for row in rows if row.ndim == 2} & {*_COLUMNS} or {_COLUMNS[0]})
    layout = box_layout(owner, letters, columns // 2, ltrb=ltrb)
    none = np.empty((0, columns), np.float32)

    def check(i: int) -> None:
        check_boxes(owner, rows[i].shape, rows[i].dtype, (columns,))
        if labels is not None:
            row = labels.row(i)
            check_labels(owner, row.shape, row.dtype, len(rows[i]))

    def check_values(i: int) -> None:
        check_in_image(owner, layout.corners(rows[i]), TUNING.slack)

    def together(failed: Iterable[int]) -> CornersOfBatch:
        bad = set(failed)
        good = [none if i in bad else row for i, row in enumerate(rows)]
        corners = layout.corners(np.concatenate([none, *good]))
        counts = np.array([len(row) for row in good], np.int64)
        return CornersOfBatch(check_in_image(owner, corners, TUNING.slack), counts, layout)

    failed = try_rows(batch, range(len(rows)), check)
    try:
        return together(failed)
    except ArgumentError:  # of a box, whose sample is not known yet
        left = [i for i in range(len(rows)) if i not in failed]
        return together([*failed, *try_rows(batch, left, check_values)])
