"""`fn.bbox_rotate`: boxes around the contents of rotated boxes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import BOOL, FLOAT, FLOATS, INTS, LAYOUT, REQUIRED, STR, param
from ..warp.rotation import canvas_size
from .checks import check_boxes, check_labels, check_numbers

_LAYOUTS = ("xyXY", "xyWH")
_MODES = ("expand", "fixed", "halfway")
_HALF = np.float32(0.5)


@register
class BboxRotate(SampleOperator):
    """Moves boxes to where they are after `fn.rotate` with the same `angle`, `size`, `keep_size`.

    Each result is the box around the rotated box, clipped to the canvas. Rotate boxes before the
    image, because the operator needs the shape of the original image.

    Inputs:
        boxes: float32, shape (boxes, 4).
        labels: integers, shape (boxes,) or (boxes, 1).

    Outputs:
        boxes: those of which at least `remove_threshold` is on the canvas; of the form of the
            input. Empty boxes are removed.
        labels: those of these boxes, if labels were given.
    """

    name = "bbox_rotate"
    inputs = ("boxes", "labels?")

    angle = param(FLOAT, REQUIRED, "Degrees, counter-clockwise.", per_sample=True)
    input_shape = param(
        INTS,
        REQUIRED,
        "Shape of the original image, in the order of `shape_layout`.",
        per_sample=True,
    )
    shape_layout = param(LAYOUT, "HW", "Meaning of `input_shape`; needs an H and a W.")
    bbox_layout = param(LAYOUT, "xyXY", 'Form of the boxes: "xyXY" or "xyWH".')
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
    )
    remove_threshold = param(
        FLOAT,
        0.1,
        "Least share of a box on the canvas; boxes with less are removed.",
        minimum=0,
        maximum=1,
    )

    def prepare(self) -> None:
        if self.bbox_layout not in _LAYOUTS:
            self._refuse(f"bbox_layout is {self.bbox_layout!r}; use {' or '.join(_LAYOUTS)}")
        if self.mode not in _MODES:
            self._refuse(f"mode is {self.mode!r}; use {', '.join(_MODES)}")
        if not {"H", "W"} <= set(self.shape_layout):
            self._refuse(f"shape_layout is {self.shape_layout!r}, but needs an H and a W")
        if self.keep_size and "size" in self.given:
            self._refuse("give either keep_size or size")

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
        check_numbers(self.called, boxes)
        image = self._image_size(input_shape)
        canvas = self._canvas(image, angle, size)
        inner, outer = image[[0, 1, 0, 1]], canvas[[0, 1, 0, 1]]
        edges = boxes.copy()
        if self.bbox_layout == "xyWH":
            edges[:, 2:] += edges[:, :2]
        edges -= _HALF if self.bbox_normalized else inner / 2
        if self.bbox_normalized:
            edges *= inner
        turned = _rotated(edges, angle)
        turned += outer / 2
        if self.mode != "expand":
            turned = _shrunk(turned, edges, _HALF if self.mode == "halfway" else np.float32(1))
        kept, clipped = _clipped(turned, outer, np.float32(self.remove_threshold))
        out = workspace.empty(clipped.shape, boxes.dtype)
        np.copyto(out, clipped)
        if self.bbox_layout == "xyWH":
            out[:, 2:] -= out[:, :2]
        if self.bbox_normalized:
            out *= np.float32(1) / outer
        if labels is None:
            return out
        check_labels(self.called, labels.shape, labels.dtype, len(boxes))
        if labels.shape[1:] not in ((), (1,)):
            self._refuse(f"the labels have the shape {labels.shape}; use (boxes,) or (boxes, 1)")
        return out, labels[kept]

    def _image_size(self, shape: Sequence[int]) -> Array:
        """Return width and height of the image."""
        extents = np.atleast_1d(shape)
        indices = [self.shape_layout.index(letter) for letter in "WH"]
        if len(extents) <= max(indices) or extents[indices].min() < 1:
            self._refuse(
                f"input_shape is {tuple(extents.tolist())}, which has no width and height above 0 "
                f"in the order {self.shape_layout!r}"
            )
        return extents[indices].astype(np.float32)

    def _canvas(self, image: Array, angle: float, size: Sequence[float]) -> Array:
        """Return width and height of the canvas."""
        if self.keep_size:
            return image
        if len(size):
            if len(size) != 2 or not min(size) >= 1:
                self._refuse(f"size is {tuple(size)}; give (height, width), each at least 1")
            return np.floor(np.array([size[1], size[0]], np.float32))
        height, width = canvas_size((int(image[1]), int(image[0])), angle)
        return np.array([width, height], np.float32)

    def _refuse(self, problem: str) -> None:
        raise ArgumentError(f"{self.called}: {problem}")


def _rotated(edges: Array, degrees: float) -> Array:
    """Return the boxes around boxes that turn about the origin; y points down."""
    radians = np.float32(degrees) * np.float32(math.pi / 180)
    cosine, sine = (np.float32(f(float(radians))) for f in (math.cos, math.sin))
    x, y = edges[:, [0, 2, 0, 2]], edges[:, [1, 1, 3, 3]]
    across, down = x * cosine + y * sine, y * cosine - x * sine
    result = np.empty_like(edges)
    for axis, coordinates in enumerate((across, down)):
        np.minimum.reduce(coordinates, axis=1, out=result[:, axis])
        np.maximum.reduce(coordinates, axis=1, out=result[:, axis + 2])
    return result


def _shrunk(turned: Array, original: Array, factor: np.float32) -> Array:
    """Return boxes that lose a part of the width and height that they gained by the rotation."""
    sizes, before = turned[:, 2:] - turned[:, :2], original[:, 2:] - original[:, :2]
    swapped = (before[:, 0] < before[:, 1]) ^ (sizes[:, 0] < sizes[:, 1])
    before = np.where(swapped[:, None], before[:, ::-1], before)
    gained = (sizes - before) * _HALF * factor
    shrunk: Array = turned + np.concatenate([gained, -gained], axis=1)
    return shrunk


def _clipped(edges: Array, canvas: Array, threshold: np.float32) -> tuple[Array, Array]:
    """Return which boxes stay, and these boxes clipped to the canvas, given as (w, h, w, h)."""
    clipped = np.minimum(np.maximum(edges, 0), canvas)
    before, after = (
        (each[:, 2] - each[:, 0]) * (each[:, 3] - each[:, 1]) for each in (edges, clipped)
    )
    covered = np.divide(after, before, out=np.full_like(after, -1), where=before > 0)
    kept = (covered >= threshold).nonzero()[0]
    return kept, clipped[kept]
