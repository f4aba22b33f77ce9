"""`fn.bbox_paste`: boxes on a larger canvas."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import BOOL, FLOAT, REQUIRED, param
from ...engine.graph.row_arguments import array_of
from ...engine.tensors import TensorList
from ..common.whole_batches import JoinedRows, compute_joined
from .checks import check_rows_of_boxes


@register
class BboxPaste(SampleOperator):
    """Moves boxes to where they are after `fn.paste` put the image on a larger canvas.

    A coordinate becomes `c / ratio + paste * (ratio - 1) / ratio`, and a size `s / ratio`.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.bbox_paste(np.float32([[0.2, 0.4, 0.5, 0.5]]), ratio=2.0))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[0.35 0.45 0.25 0.25]]

    Inputs:
        boxes: float32, shape (boxes, 4) or (4,): x, y, width and height, or left, top, right and
            bottom, relative to the image's size.

    Outputs:
        the boxes, relative to the canvas: of the shape of the input.
    """

    name = "bbox_paste"
    inputs = ("boxes",)
    light = True

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
        check_rows_of_boxes(self.called, boxes.shape, boxes.dtype)
        if not ratio >= 1:
            self.refuse(f"ratio is {ratio}, but must be at least 1")
        out = workspace.empty(boxes.shape, boxes.dtype)
        scale = np.float32(ratio)
        np.multiply(boxes, np.float32(1) / scale, out=out)
        margin = (scale - np.float32(1)) / scale
        x, y = np.float32(paste_x) * margin, np.float32(paste_y) * margin
        out += np.array([x, y, x, y] if self.ltrb else [x, y, 0, 0], np.float32)
        return out

    def batch(
        self, batch: BatchContext, boxes: TensorList, *, ratio: Any, paste_x: Any, paste_y: Any
    ) -> Any:
        """Move the boxes of a whole batch at once."""
        arguments = {"ratio": ratio, "paste_x": paste_x, "paste_y": paste_y}

        def move(joined: JoinedRows) -> tuple[object] | None:
            values = [array_of(self, *argument, len(boxes))[:, 0] for argument in arguments.items()]
            if not (values[0] >= 1).all():
                return None
            scale, x, y = (value.astype(np.float32) for value in values)
            margin = (scale - np.float32(1)) / scale
            shift = np.zeros((len(boxes), 2, 2), np.float32)
            shift[:, : 1 + self.ltrb] = np.stack([x * margin, y * margin], 1)[:, None]
            joined.table *= joined.each(np.float32(1) / scale)[:, None]
            joined.table += joined.each(shift.reshape(-1, 4))
            return (joined.samples(),)

        check = partial(check_rows_of_boxes, self.called)
        return compute_joined(self, batch, [boxes], arguments, check, move)[0]
