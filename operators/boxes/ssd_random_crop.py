"""`fn.ssd_random_crop`: images and boxes cropped as SSD's authors do."""

from __future__ import annotations

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import INT, param
from .box_layout import box_layout
from .checks import check_boxes, check_labels
from .crop_rules import CropRules
from .window_shapes import RandomExtents
from .windows_of_samples import boxes_in_windows, draw_windows, no_window

_THRESHOLDS = (0.1, 0.3, 0.5, 0.7, 0.9, 0.0)
_WINDOWS = RandomExtents((0.3, 1.0), ((0.5, 2.0),))


@register
class SsdRandomCrop(SampleOperator):
    """Crops images at random around boxes, as for training of SSD; `random_bbox_crop` does more.

    Liu et al., "SSD: Single Shot MultiBox Detector" (2016), section 2.2. A round of `num_attempts`
    attempts draws the whole image, or the least intersection over union of all boxes: 0, 0.1, 0.3,
    0.5, 0.7 or 0.9. Extents of windows are 0.3 to 1 of the image's, and the relative aspect ratio
    is from 1/2 to 2. Boxes stay whose center is in the window.

    Inputs:
        images: HWC; any type.
        boxes: float32, shape (boxes, 4): left, top, right, bottom, relative to the image's size.
        labels: integers, shape (boxes,) or (boxes, k).

    Outputs:
        images, boxes, labels: those in the window; boxes are relative to the window.
    """

    name = "ssd_random_crop"
    inputs = ("images", "boxes", "labels")
    outputs = 3
    random_count = 1

    num_attempts = param(INT, 1, "Attempts in a round.", minimum=1)

    def prepare(self) -> None:
        self.rules = CropRules(_THRESHOLDS, round_attempts=self.num_attempts)

    def output_layouts(self) -> tuple[str, ...]:
        return self.layouts

    def sample(
        self, workspace: Workspace, image: Array, boxes: Array, labels: Array
    ) -> tuple[Array, ...]:
        if image.ndim != 3 or self.layouts[0] not in ("", "HWC"):
            raise ArgumentError(
                f"{self.called}: the image must be HWC, but has the shape {image.shape} and the "
                f"layout {self.layouts[0]!r}"
            )
        check_boxes(self.called, boxes.shape, boxes.dtype)
        check_labels(self.called, labels.shape, labels.dtype, len(boxes))
        layout = box_layout(self.called, "xyXY", 2)
        corners = layout.corners(boxes)
        counts, numbers = np.array([len(boxes)]), workspace.random
        drawn = draw_windows(self, self.rules, corners, counts, _WINDOWS, numbers)
        if not drawn.met[0]:
            raise no_window(self, self.rules, len(boxes))
        size = np.array([image.shape[1], image.shape[0]] * 2)
        edges = np.floor(drawn.corners[:, 0] * size + 0.5).astype(np.int64)
        left, top, right, bottom = edges.tolist()
        kept, _ = boxes_in_windows(corners, counts, drawn, layout)
        return image[top:bottom, left:right], kept, labels[drawn.kept]
