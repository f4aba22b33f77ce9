"""`fn.bb_flip`: boxes in mirrored images."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import BOOL, INT, param
from ...engine.graph.row_arguments import array_of
from ...engine.tensors import TensorList, TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ..common.whole_batches import JoinedRows, compute_joined
from .checks import check_rows_of_boxes
from .gpu_flip import FlippedForm, flip_columns

_ONE = np.float32(1)


@register
class BbFlip(SampleOperator):
    """Moves boxes to where they are after the image is mirrored.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.bb_flip(np.float32([[0.1, 0.2, 0.5, 0.25]])))
    ...     (result,) = pipe.run()
    ...     print(result.at(0).round(2))
    [[0.4  0.2  0.5  0.25]]

    Inputs:
        boxes: float32, shape (boxes, 4) or (4,): x, y, width and height, or left, top, right and
            bottom, relative to the image's size.

    The result has the shape of the input. CPU and GPU give the same numbers.
    """

    name = "bb_flip"
    devices = ("cpu", "gpu")
    inputs = ("boxes",)
    light = True

    ltrb = param(BOOL, False, "Whether boxes are left, top, right and bottom.")
    horizontal = param(INT, 1, "Mirror left to right unless 0.", per_sample=True)
    vertical = param(INT, 0, "Mirror top to bottom unless 0.", per_sample=True)

    def sample(
        self, workspace: Workspace, boxes: Array, *, horizontal: int, vertical: int
    ) -> Array:
        check_rows_of_boxes(self.called, boxes.shape, boxes.dtype)
        out = workspace.empty(boxes.shape, boxes.dtype)
        np.copyto(out, boxes)
        low, high = out[..., :2], out[..., 2:]
        if not self.ltrb:
            high += low
        for axis, flipped in enumerate((horizontal, vertical)):
            if flipped:
                np.subtract(_ONE, out[..., axis + 2 :: -2], out=out[..., axis::2])
        if not self.ltrb:
            high -= low
        return out

    def batch(
        self, batch: BatchContext, boxes: TensorList, *, horizontal: Any, vertical: Any
    ) -> Any:
        """Flip the boxes of a whole batch at once."""
        arguments = {"horizontal": horizontal, "vertical": vertical}

        def flip(joined: JoinedRows) -> tuple[Any]:
            low, high = joined.table[:, :2], joined.table[:, 2:]
            if not self.ltrb:
                high += low
            for axis, (name, value) in enumerate(arguments.items()):
                flipped = joined.each(array_of(self, name, value, len(boxes)) != 0)
                mirrored = _ONE - joined.table[:, axis + 2 :: -2]
                np.copyto(joined.table[:, axis::2], mirrored, where=flipped)
            if not self.ltrb:
                high -= low
            return (joined.samples(),)

        check = partial(check_rows_of_boxes, self.called)
        return compute_joined(self, batch, [boxes], arguments, check, flip)[0]

    def batch_gpu(
        self, batch: BatchContext, boxes: TensorListGPU, *, horizontal: object, vertical: object
    ) -> TensorListGPU:
        for shape in set(boxes.shape()):
            check_rows_of_boxes(self.called, shape, to_numpy_type(boxes.dtype))
        flipped = [
            array_of(self, name, value, len(boxes))[:, 0] != 0
            for name, value in (("horizontal", horizontal), ("vertical", vertical))
        ]
        form = FlippedForm.EDGES if self.ltrb else FlippedForm.SIZES
        return flip_columns(batch, boxes, form, np.stack(flipped, 1), np.ones((1, 2)))
