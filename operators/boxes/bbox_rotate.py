"""`fn.bbox_rotate`: boxes around the contents of rotated boxes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ...engine.arrays import DType
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import BOOL, FLOAT, FLOATS, INTS, LAYOUT, REQUIRED, STR, param
from ...engine.graph.row_arguments import values_of
from ...engine.graph.rules import Input
from ...engine.tensors import TensorList
from ...formats.ragged import bounds_of, rows_between
from ..common.whole_batches import JoinedRows, compute_joined
from ..warp.rotation import canvas_size, cosine_and_sine
from .checks import check_boxes, check_labels, check_numbers

_HALF = np.float32(0.5)
_ONE = np.float32(1)
Size = tuple[int, int]
Turn = tuple[float, ...]


@register
class BboxRotate(SampleOperator):
    """Moves boxes to where they are after `fn.rotate` with the same `angle`, `size`, `keep_size`.

    Each result is the box around the rotated box, clipped to the canvas. Rotate boxes before the
    image, because the operator needs the shape of the original image.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> boxes = np.float32([[0.25, 0.25, 0.5, 0.75]])
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.bbox_rotate(boxes, angle=90.0, input_shape=(100, 200)))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[0.25 0.5  0.75 0.75]]

    Inputs:
        boxes: float32, shape (boxes, 4).
        labels: integers, shape (boxes,) or (boxes, 1).

    Outputs:
        boxes: those of which at least `remove_threshold` is on the canvas; of the form of the
            input. Empty boxes are removed.
        labels: those of these boxes, if labels were given.
    """

    name = "bbox_rotate"
    inputs = ("boxes", Input("labels", optional=True))
    light = True

    angle = param(FLOAT, REQUIRED, "Degrees, counter-clockwise.", per_sample=True)
    input_shape = param(
        INTS,
        REQUIRED,
        "Shape of the original image, in the order of `shape_layout`.",
        per_sample=True,
    )
    shape_layout = param(LAYOUT, "HW", "Meaning of `input_shape`; needs an H and a W.")
    bbox_layout = param(
        LAYOUT, "xyXY", 'Form of the boxes: "xyXY" or "xyWH".', choices=("xyXY", "xyWH")
    )
    bbox_normalized = param(
        BOOL, True, "Whether boxes are relative to the image's size, or in pixels."
    )
    keep_size = param(BOOL, False, "Whether the canvas stays as large as the image.")
    size = param(FLOATS, (), "(height, width) of the canvas, rounded down.", per_sample=True)
    mode = param(
        STR,
        "expand",
        'Size of a box: "expand" holds all of the rotated box, "fixed" has its original size, '
        '"halfway" is in the middle of both.',
        choices=("expand", "fixed", "halfway"),
    )
    remove_threshold = param(
        FLOAT,
        0.1,
        "Least share of a box on the canvas; boxes with less are removed.",
        minimum=0,
        maximum=1,
    )

    def prepare(self) -> None:
        if not {"H", "W"} <= set(self.shape_layout):
            self.refuse(f"shape_layout is {self.shape_layout!r}, but needs an H and a W")
        if self.keep_size and "size" in self.given:
            self.refuse("give either keep_size or size")

    def num_outputs(self) -> int:
        return len(self.layouts)

    def output_layouts(self) -> tuple[str, ...]:
        return ("",) * len(self.layouts)

    def sample(
        self,
        workspace: Workspace,
        boxes: Array,
        labels: Array | None = None,
        *,
        angle: float,
        input_shape: Sequence[int],
        size: Sequence[float],
    ) -> Array | tuple[Array, Array]:
        check_boxes(self.called, boxes.shape, boxes.dtype)
        if labels is not None:
            self._check_labels(labels.shape, labels.dtype, len(boxes))
        turn = np.array([self._turn(angle, input_shape, size)])
        kept, moved = self._moved(boxes, turn)
        out = workspace.empty(moved.shape[::-1], boxes.dtype)
        np.copyto(out, moved.T)
        return out if labels is None else (out, labels[kept])

    def batch(
        self,
        batch: BatchContext,
        boxes: TensorList,
        labels: TensorList | None = None,
        **arguments: Any,
    ) -> Any:
        """Rotate the boxes of a whole batch at once."""
        inputs = [boxes] if labels is None else [boxes, labels]

        def rotate(joined: JoinedRows) -> tuple[object, ...] | None:
            names = ("angle", "input_shape", "size")
            values = [values_of(self, name, arguments[name], len(boxes)) for name in names]
            turns = np.array(
                [self._turn(*values_of_sample) for values_of_sample in zip(*values, strict=True)]
            )
            kept, moved = self._moved(joined.table, joined.each(turns))
            owners = joined.each(np.arange(len(boxes)))[kept]
            bounds = bounds_of(np.bincount(owners, minlength=len(boxes)))
            result = rows_between(np.ascontiguousarray(moved.T), bounds)
            if labels is None:
                return (result,)
            rows = labels.rows()
            for row, count in zip(rows, joined.counts.tolist(), strict=True):
                self._check_labels(row.shape, row.dtype, count)
            if len({(row.ndim, row.dtype) for row in rows}) > 1:
                return None
            return result, rows_between(np.concatenate(rows)[kept], bounds)

        check = partial(check_boxes, self.called)
        results = compute_joined(self, batch, inputs, arguments, check, rotate)
        return results if labels is not None else results[0]

    def _check_labels(self, shape: tuple[int, ...], dtype: DType, boxes: int) -> None:
        check_labels(self.called, shape, dtype, boxes)
        if shape[1:] not in ((), (1,)):
            self.refuse(f"the labels have the shape {shape}; use (boxes,) or (boxes, 1)")

    def _turn(self, angle: float, shape: Sequence[int], size: Sequence[float]) -> Turn:
        """Return sizes of image and canvas (width and height), and cosine and sine of the angle."""
        image = self._image_size(shape)
        return *image, *self._canvas(image, angle, size), *cosine_and_sine(angle)

    def _moved(self, boxes: Array, turns: Array) -> tuple[Array, Array]:
        """Return which boxes stay, and where these boxes are: (4, boxes).

        Args:
            boxes: (boxes, 4).
            turns: what `_turn` returns, for all boxes or for each one: (1 or boxes, 6).
        """
        check_numbers(self.called, boxes)
        values = turns.T.astype(np.float32, "C")
        inner, outer = values[[0, 1, 0, 1]], values[[2, 3, 2, 3]]
        edges = boxes.T.copy()
        if self.bbox_layout == "xyWH":
            edges[2:] += edges[:2]
        edges -= _HALF if self.bbox_normalized else inner * _HALF
        if self.bbox_normalized:
            edges *= inner
        turned = _rotated(edges, *values[4:])
        turned += outer * _HALF
        if self.mode != "expand":
            turned = _shrunk(turned, edges, _HALF if self.mode == "halfway" else _ONE)
        kept, clipped = _clipped(turned, outer, np.float32(self.remove_threshold))
        if self.bbox_layout == "xyWH":
            clipped[2:] -= clipped[:2]
        if self.bbox_normalized:
            clipped *= _ONE / outer
        return kept, clipped[:, kept]

    def _image_size(self, shape: Sequence[int]) -> Size:
        """Return width and height of the image."""
        extents = np.atleast_1d(shape).tolist()
        indices = [self.shape_layout.index(letter) for letter in "WH"]
        if len(extents) <= max(indices) or min(extents[i] for i in indices) < 1:
            self.refuse(
                f"input_shape is {tuple(extents)}, which has no width and height above 0 "
                f"in the order {self.shape_layout!r}"
            )
        return extents[indices[0]], extents[indices[1]]

    def _canvas(self, image: Size, angle: float, size: Sequence[float]) -> Size:
        """Return width and height of the canvas."""
        if self.keep_size:
            return image
        if len(size):
            if len(size) != 2 or not min(size) >= 1:
                self.refuse(f"size is {tuple(size)}; give (height, width), each at least 1")
            return math.floor(size[1]), math.floor(size[0])
        height, width = canvas_size((image[1], image[0]), angle)
        return width, height


def _rotated(edges: Array, cosine: Array, sine: Array) -> Array:
    """Return the boxes around boxes that turn about the origin; y points down.

    Args:
        edges: left, top, right and bottom of boxes: (4, boxes).
        cosine, sine: of the angles, counter-clockwise: (1 or boxes,).
    """
    turn = np.array([[cosine, sine], [-sine, cosine]])
    # A corner is the sum of a product with left or right, and one with top or bottom.
    products = turn[:, np.newaxis] * edges.reshape(2, 2, -1)
    result = np.empty((2, 2, edges.shape[1]), np.float32)
    for extreme, sums in zip((np.minimum, np.maximum), result, strict=True):
        chosen = extreme(products[:, 0], products[:, 1])
        np.add(chosen[:, 0], chosen[:, 1], out=sums)
    return result.reshape(edges.shape)


def _shrunk(turned: Array, original: Array, factor: np.float32) -> Array:
    """Return boxes that lose a part of the width and height that they gained by the rotation."""
    sizes, before = turned[2:] - turned[:2], original[2:] - original[:2]
    swapped = (before[0] < before[1]) ^ (sizes[0] < sizes[1])
    before = np.where(swapped, before[::-1], before)
    gained = (sizes - before) * _HALF * factor
    shrunk: Array = turned + np.concatenate([gained, -gained])
    return shrunk


def _clipped(edges: Array, canvas: Array, threshold: np.float32) -> tuple[Array, Array]:
    """Return which boxes stay, and all boxes clipped to the canvas: (4, boxes)."""
    clipped = np.minimum(np.maximum(edges, 0), canvas)
    before, after = (
        (corners[2] - corners[0]) * (corners[3] - corners[1]) for corners in (edges, clipped)
    )
    covered = after / np.where(before > 0, before, np.float32(np.nan))
    return (covered >= threshold).nonzero()[0], clipped
