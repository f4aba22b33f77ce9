"""`fn.box_encoder`: boxes matched with the anchors of a detector."""

from __future__ import annotations

import numpy as np

from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import BOOL, FLOAT, FLOATS, REQUIRED, param
from ...engine.tensors import TensorListGPU
from .anchors import Anchors
from .checks import check_boxes, check_labels, check_numbers, try_checks
from .gpu_box_encoder import encode_batch


@register
class BoxEncoder(SampleOperator):
    """Matches boxes with anchors, as SSD does: each anchor gets a box and its label, or none.

    Liu et al., "SSD: Single Shot MultiBox Detector" (2016), section 2.2. An anchor gets the box
    with the largest intersection over union, if that is above `criteria`. Each box also gets the
    anchor with which its intersection over union is largest. Of several equal ones the last wins.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> boxes = np.float32([[0.0, 0.0, 0.5, 0.25]])
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     output = fn.box_encoder(boxes, [7], anchors=[0, 0, 0.5, 0.5, 0.5, 0.5, 1, 1])
    ...     pipe.set_outputs(*output)
    ...     for output in pipe.run():
    ...         print(output.at(0).tolist())
    [[0.25, 0.125, 0.5, 0.25], [0.75, 0.75, 0.5, 0.5]]
    [7, 0]

    Inputs:
        boxes: float32, shape (boxes, 4): left, top, right, bottom.
        labels: integers, shape (boxes,) or (boxes, k), whose first column counts; 0 means
            background.

    Outputs:
        encoded: float32, shape (anchors, 4): center x, center y, width and height of the anchor's
            box, or of the anchor itself if it has no box. With `offset`, the offsets of the box
            from its anchor (equation 2 of the paper), or zeros.
        labels: shape (anchors,), of the dtype of the labels; 0 for anchors without a box.

    CPU and GPU give the same matches, and numbers that differ in the last bit of a logarithm.

    Raises:
        ArgumentError: a coordinate is not finite, labels do not match the boxes, or, with
            `offset`, a box is empty, because an empty box has no logarithm.
    """

    name = "box_encoder"
    devices = ("cpu", "gpu")
    inputs = ("boxes", "labels")
    outputs = 2

    anchors = param(FLOATS, REQUIRED, "Anchors as (left, top, right, bottom), one after another.")
    criteria = param(
        FLOAT, 0.5, "Intersection over union above which anchors match.", minimum=0, maximum=1
    )
    offset = param(BOOL, False, "Whether to return offsets from the anchors, normalized.")
    scale = param(FLOAT, 1.0, "Factor of boxes and anchors before offsets are computed.")
    means = param(FLOATS, (0.0,) * 4, "Subtracted from offsets: of x, y, width and height.")
    stds = param(FLOATS, (1.0,) * 4, "By which offsets are divided after that.")

    def prepare(self) -> None:
        if not self.anchors or len(self.anchors) % 4:
            self.refuse(
                f"anchors has {len(self.anchors)} numbers, but needs 4 for each of one or more "
                "anchors"
            )
        for name in ("means", "stds"):
            if len(getattr(self, name)) != 4:
                self.refuse(
                    f"{name} is {getattr(self, name)}, but needs 4 numbers, for x, y, width and "
                    "height"
                )
        if 0 in self.stds:
            self.refuse(f"stds is {self.stds}; no number may be 0")
        self._anchors = Anchors(
            np.array(self.anchors, np.float32).reshape(-1, 4),
            np.float32(self.criteria),
            self.offset,
            np.float32(self.scale),
            np.array(self.means, np.float32),
            np.array(self.stds, np.float32),
        )

    def output_layouts(self) -> tuple[str, ...]:
        return ("", "")

    def sample(self, workspace: Workspace, boxes: Array, labels: Array) -> tuple[Array, Array]:
        check_boxes(self.called, boxes.shape, boxes.dtype)
        check_labels(self.called, labels.shape, labels.dtype, len(boxes))
        self._check_values(boxes)
        out = workspace.empty(self._anchors.table.shape, np.float32)
        chosen = workspace.empty((len(out),), labels.dtype, 1)
        out[...] = 0 if self.offset else self._anchors.centered
        chosen[...] = 0
        if len(boxes):
            anchors, matches = self._anchors.matched(boxes, workspace.scratch)
            out[anchors] = self._anchors.encoded(boxes[matches], anchors)
            chosen[anchors] = labels.reshape(len(boxes), -1)[matches, 0]
        return out, chosen

    def batch_gpu(
        self, batch: BatchContext, boxes: TensorListGPU, labels: TensorListGPU
    ) -> tuple[TensorListGPU, TensorListGPU]:
        good = try_checks(batch, self.called, boxes, labels)
        return encode_batch(batch, boxes, labels, good, self._anchors, self._check_values)

    def _check_values(self, boxes: Array) -> None:
        """Raise ArgumentError if boxes cannot be encoded."""
        check_numbers(self.called, boxes)
        if self.offset and not (boxes[:, 2:] > boxes[:, :2]).all():
            box = int(np.flatnonzero(~(boxes[:, 2:] > boxes[:, :2]).all(axis=1))[0])
            self.refuse(
                f"box {box} is {boxes[box].tolist()}; offsets need boxes with a width and a height "
                "above 0, so drop empty boxes before"
            )
