"""`fn.bbox_paste`: boxes on a larger canvas."""

from __future__ import annotations

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import BOOL, FLOAT, REQUIRED, param
from .checks import check_float32


@register
class BboxPaste(SampleOperator):
    """Moves boxes to where they are after `fn.paste` put the image on a larger canvas.

    A coordinate becomes `c / ratio + paste * (ratio - 1) / ratio`, and a size `s / ratio`.

    Inputs:
        boxes: float32, shape (boxes, 4) or (4,): x, y, width and height, or left, top, right and
            bottom, relative to the image's size.

    Outputs:
        the boxes, relative to the canvas: of the shape of the input.
    """

    name = "bbox_paste"
    inputs = ("boxes",)

    ratio = param(
        FLOAT, REQUIRED, "Size of the canvas / size of the image; at least 1.", per_sample=True
    )
    ltrb = param(BOOL, False, "Whether boxes are left, top, right and bottom.")
    paste_x = param(
        FLOAT, 0.5, "Position of the image: 0 is left, 1 is right on the canvas.", per_sample=True
    )
    paste_y = param(
        FLOAT, 0.5, "Position of the image: 0 is at the top, 1 at the bottom.", per_sample=True
    )

    def sample(
        self, workspace: Workspace, boxes: Array, *, ratio: float, paste_x: float, paste_y: float
    ) -> Array:
        if not boxes.shape or boxes.shape[-1] != 4:
            raise ArgumentError(
                f"{self.called}: the boxes must have the shape (boxes, 4) or (4,), but have "
                f"{boxes.shape}"
            )
        check_float32(self.called, "boxes", boxes.dtype)
        if not ratio >= 1:
            raise ArgumentError(f"{self.called}: ratio is {ratio}, but must be at least 1")
        out = workspace.empty(boxes.shape, boxes.dtype)
        scale = np.float32(ratio)
        np.multiply(boxes, np.float32(1) / scale, out=out)
        margin = (scale - np.float32(1)) / scale
        x, y = np.float32(paste_x) * margin, np.float32(paste_y) * margin
        out += np.array([x, y, x, y] if self.ltrb else [x, y, 0, 0], np.float32)
        return out
