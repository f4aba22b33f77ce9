"""The anchors of a detector: which boxes they match, and boxes relative to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...engine.graph.operator import Array

_TINY = np.finfo(np.float32).tiny  # of a union that is empty
_SURE = 2  # more than any intersection over union


@dataclass(frozen=True, eq=False)
class Anchors:
    """Anchors, and how boxes are encoded; all arrays are float32.

    Attributes:
        table: left, top, right and bottom of each anchor: (anchors, 4).
        criteria: intersection over union above which anchors match.
        offset: whether matched boxes are encoded as offsets.
        scale: factor before offsets are computed.
        means, stds: to normalize offsets with: (4,).
    """

    table: Array
    criteria: np.float32
    offset: bool
    scale: np.float32
    means: Array
    stds: Array

    def __len__(self) -> int:
        return len(self.table)

    @cached_property
    def centered(self) -> Array:
        """Center x, center y, width and height of each anchor: (anchors, 4)."""
        return centered(self.table)

    def matched(self, boxes: Array, scratch: Callable[..., Array]) -> tuple[Array, Array]:
        """Return the numbers of the anchors that match a box, and the numbers of those boxes.

        Args:
            boxes: (boxes, 4), at least one.
            scratch: returns memory, given shape and dtype.
        """
        overlaps = self._ious(boxes[::-1], scratch)
        best = overlaps.argmax(axis=1)
        overlaps[np.arange(len(boxes)), best] = _SURE
        most = np.maximum.reduce(overlaps, axis=0)
        anchors = (most > self.criteria).nonzero()[0]
        matches = overlaps[:, anchors].argmax(axis=0)
        return len(self) - 1 - anchors, len(boxes) - 1 - matches

    def encoded(self, boxes: Array, anchors: Array) -> Array:
        """Return boxes as they are encoded for anchors, given by their numbers: (boxes, 4)."""
        centers = centered(boxes)
        if not self.offset:
            return centers
        centers *= self.scale
        own = self.centered[anchors] * self.scale
        centers[:, :2] -= own[:, :2]
        centers /= own[:, [2, 3, 2, 3]]
        centers[:, 2:] = np.log(centers[:, 2:].astype(np.float64))
        centers -= self.means
        centers /= self.stds
        return centers

    def _ious(self, boxes: Array, scratch: Callable[..., Array]) -> Array:
        """Return intersection over union of boxes and anchors, the last anchor first."""
        left, top, right, bottom = boxes.T[:, :, np.newaxis]
        first, above, last, below, areas, none, tiny = self._reversed
        shape = len(boxes), len(self)
        common, heights, union = (scratch(shape, np.float32) for _ in range(3))
        _extreme(np.minimum, right, last, common)
        common -= _extreme(np.maximum, left, first, union)
        np.maximum(common, none, out=common)
        _extreme(np.minimum, bottom, below, heights)
        heights -= _extreme(np.maximum, top, above, union)
        np.maximum(heights, none, out=heights)
        common *= heights
        np.add((right - left) * (bottom - top), areas, out=union)
        union -= common
        np.maximum(union, tiny, out=union)
        return np.divide(common, union, out=common)

    @cached_property
    def _reversed(self) -> Array:
        """Left, top, right and bottom, and areas of the anchors, the last anchor first.

        Of several equal overlaps the last one counts, but NumPy returns the first one. Rows of 0
        and of the smallest area follow, because rows are faster operands than numbers: see
        `_extreme`.
        """
        left, top, right, bottom = edges = self.table[::-1].T
        numbers = np.zeros((2, len(self)), np.float32)
        numbers[1] = _TINY
        return np.concatenate([edges, [(right - left) * (bottom - top)], numbers])


def _extreme(ufunc: np.ufunc, column: Array, row: Array, out: Array) -> Array:
    """Return minima or maxima of a column and a row in `out`.

    NumPy computes extremes of numbers and rows one by one, but those of rows several at a time.
    """
    np.copyto(out, column)
    result: Array = ufunc(out, row, out=out)
    return result


def centered(boxes: Array) -> Array:
    """Return center x, center y, width and height of boxes given by their edges.

    >>> centered(np.array([[0.0, 1.0, 2.0, 5.0]]))
    array([[1., 3., 2., 4.]])
    """
    result = np.empty_like(boxes)
    np.add(boxes[:, :2], boxes[:, 2:], out=result[:, :2])
    result[:, :2] *= boxes.dtype.type(0.5)
    np.subtract(boxes[:, 2:], boxes[:, :2], out=result[:, 2:])
    return result
