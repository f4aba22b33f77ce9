"""`fn.ssd_random_crop`: images and boxes cropped as SSD's authors do."""

from __future__ import annotations

from ...engine.graph.context import Workspace
from ...engine.graph.nodes import DataNode, add_node
from ...engine.graph.operator import Array, CompositeOperator, SampleOperator, register
from ...engine.graph.params import INT, param
from .random_bbox_crop import RandomBboxCrop

_WINDOWS: dict[str, object] = {
    "thresholds": (0.1, 0.3, 0.5, 0.7, 0.9, 0.0),
    "scaling": (0.3, 1.0),
    "aspect_ratio": (0.5, 2.0),
    "bbox_layout": "xyXY",
}


@register
class SsdRandomCrop(CompositeOperator):
    """Crops images at random around boxes, as for training of SSD; `random_bbox_crop` does more.

    Liu et al., "SSD: Single Shot MultiBox Detector" (2016), section 2.2. A round of `num_attempts`
    attempts draws the whole image, or the least intersection over union of all boxes: 0, 0.1, 0.3,
    0.5, 0.7 or 0.9. Extents of windows are 0.3 to 1 of the image's, and the relative aspect ratio
    is from 1/2 to 2. Boxes stay whose center is in the window.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> image = np.zeros((100, 200, 3), np.uint8)
    >>> boxes = np.float32([[0.25, 0.25, 0.75, 0.75]])
    >>> with Pipeline(batch_size=1, num_threads=1, seed=1) as pipe:
    ...     pipe.set_outputs(*fn.ssd_random_crop(image, boxes, [7]))
    ...     for output in pipe.run():
    ...         print(output.shape())
    [(59, 144, 3)]
    [(1, 4)]
    [(1,)]

    Inputs:
        images: HWC; any type.
        boxes: float32, shape (boxes, 4): left, top, right, bottom, relative to the image's size.
        labels: integers, shape (boxes,) or (boxes, k).

    Outputs:
        images, boxes, labels: those in the window; boxes are relative to the window.
    """

    name = "ssd_random_crop"
    is_random = True
    inputs = ("images", "boxes", "labels")
    outputs = 3

    num_attempts = param(INT, 1, "Attempts in a round.", minimum=1)

    def compose(
        self, name: str | None, images: DataNode, boxes: DataNode, labels: DataNode
    ) -> tuple[DataNode, ...]:
        common = {"seed": self.seed, "preserve": self.preserve}
        arguments = {**_WINDOWS, "num_attempts": self.num_attempts, **common}
        anchor, shape, *kept = add_node(SsdWindow, (boxes, labels), arguments)
        (images,) = add_node(SsdCut, (images, anchor, shape), common, name=name)
        return images, *kept


@register
class SsdWindow(RandomBboxCrop):
    """Draws the windows of `fn.ssd_random_crop`."""

    name = "_ssd_window"
    called = "fn.ssd_random_crop"


@register
class SsdCut(SampleOperator):
    """Cuts the windows of `fn.ssd_random_crop` out of images.

    Inputs:
        images: HWC; any type.
        anchor, shape: as `fn.random_bbox_crop` returns them.
    """

    name = "_ssd_cut"
    called = "fn.ssd_random_crop"
    inputs = ("images", "anchor", "shape")

    def sample(self, workspace: Workspace, image: Array, anchor: Array, shape: Array) -> Array:
        if image.ndim != 3 or self.layouts[0] not in ("", "HWC"):
            self.refuse(
                f"the image must be HWC, but has the shape {image.shape} and the layout "
                f"{self.layouts[0]!r}"
            )
        (left, top), (width, height) = anchor.tolist(), shape.tolist()
        rows = _pixels(top, height, image.shape[0])
        return image[rows, _pixels(left, width, image.shape[1])]


def _pixels(start: float, extent: float, size: int) -> slice:
    """Return a range, relative to an axis, as a range of pixels."""
    return slice(int(start * size + 0.5), int((start + extent) * size + 0.5))
