"""The images that transforms get and return while a pipeline is defined, with boxes and masks.

All images have the layout HWC, or FHWC, between transforms. Conversion to floats and normalization
wait until the images are needed, so that one operator does both, with the transposition to CHW.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ... import fn
from ...engine import types
from ...engine.arrays import DType
from ...engine.errors import ArgumentError
from ...engine.graph.functions import function_of
from ...engine.graph.nodes import DataNode
from ...operators.vision.axes import PILLOW, TENSOR
from ...operators.vision.resize import VisionResize
from ...operators.vision.sizes import VisionSize
from ...operators.vision.windows import VisionBoxes, VisionWindow

PIXELS = np.dtype(np.uint8)
REAL = np.dtype(np.float32)

_POLICIES = {
    "constant": "pad",
    "edge": "clamp",
    "reflect": "reflect_101",
    "symmetric": "reflect_1001",
}
"""What `fn.slice` calls the padding modes."""

INTERPOLATIONS = {"nearest": types.INTERP_NN, "bilinear": types.INTERP_LINEAR}

resize_node = function_of(VisionResize)
window_node = function_of(VisionWindow)
size_node = function_of(VisionSize)
_boxes_node = function_of(VisionBoxes)


@dataclass(frozen=True)
class Images:
    """Images on their way through transforms.

    Attributes:
        stored: the images before the waiting steps.
        dtype: of `stored`: PIXELS or REAL.
        rule: whose pixels the transforms give: PILLOW or TENSOR.
        scaled: whether conversion to floats from 0 to 1 waits.
        normalized: mean and standard deviation of a normalization that waits, or None.
        boxes: bounding boxes, (boxes, 4): left, top, right, bottom in pixels; or None.
        masks: masks, HW or HWC; or None.
    """

    stored: DataNode
    dtype: DType
    rule: str
    scaled: bool = False
    normalized: tuple[tuple[float, ...], tuple[float, ...]] | None = None
    boxes: DataNode | None = None
    masks: DataNode | None = None

    @property
    def is_bytes(self) -> bool:
        """Whether the images are bytes."""
        return self.dtype == PIXELS and not self.scaled and self.normalized is None

    @property
    def node(self) -> DataNode:
        """The images, HWC."""
        return self._finished("HWC")

    @property
    def planes(self) -> DataNode:
        """The images, CHW."""
        return self._finished("CHW")

    def _finished(self, layout: str) -> DataNode:
        source = self.stored.layout
        target = "F" * source.startswith("F") + layout
        if not self.scaled and self.normalized is None:
            if source == target or not source:
                return self.stored
            return fn.transpose(self.stored, perm=[source.index(letter) for letter in target])
        # The node takes bytes as they are, so mean and deviation are those of bytes.
        factor = 255.0 if self.scaled and self.dtype == PIXELS else 1.0
        mean, std = self.normalized or ((0.0,), (1.0,))
        return fn.crop_mirror_normalize(
            self.stored,
            mean=[factor * value for value in mean],
            std=[factor * value for value in std],
            output_layout=target,
            dtype=types.FLOAT,
        )

    def shown(self) -> Images:
        """Return the same images, for which nothing waits."""
        if not self.scaled and self.normalized is None:
            return self
        return replace(self, stored=self.node, dtype=REAL, scaled=False, normalized=None)

    def on(self, device: str | None) -> Images:
        """Return the images on a device; None leaves them where they are."""
        if device is None or self.stored.device == device:
            return self
        return replace(self, stored=self.stored.gpu() if device == "gpu" else self.stored.cpu())

    def with_node(self, node: DataNode) -> Images:
        """Return images with other pixels; boxes and masks stay."""
        return replace(self.shown(), stored=node)

    @property
    def extents(self) -> DataNode:
        """Height, width and number of channels of each image: (3,) int64, on the CPU."""
        shape = self.stored.shape()
        return shape[1:] if self.stored.layout.startswith("F") else shape

    # Geometry

    def cut(
        self,
        window: Any,
        padding_mode: str = "constant",
        fill: object = 0,
        fill_of_masks: float = 0.0,
    ) -> Images:
        """Return the part of the images in a window, which may reach out of them.

        Args:
            window: (top, left, height, width), a node or numbers.
            padding_mode: what lies outside of the images.
            fill: the value there if the mode is "constant"; one, or one a channel.
            fill_of_masks: the value around masks.
        """
        shown = self.shown()

        def part(node: DataNode, values: Any) -> DataNode:
            axis = int(node.layout.startswith("F"))
            outside: dict[str, Any] = {"out_of_bounds_policy": _POLICIES[padding_mode]}
            return fn.slice(
                node,
                start=window[:2],
                shape=window[2:],
                axes=[axis, axis + 1],
                fill_values=values,
                **outside,
            )

        masks = None if self.masks is None else part(self.masks, fill_of_masks)
        boxes = self._moved_boxes(window=window)
        return replace(shown, stored=part(shown.stored, fill), masks=masks, boxes=boxes)

    def resized(
        self,
        size: Sequence[int] | DataNode,
        max_size: int | None,
        interpolation: str,
        antialias: bool,
        window: object = None,
    ) -> Images:
        """Return the images, or a window of them, resized: see `VisionResize`."""
        shown = self.shown()
        options: dict[str, object] = {"size": size, "max_size": max_size or 0, "window": window}
        stored = resize_node(
            shown.stored,
            interpolation=interpolation,
            antialias=antialias,
            rule=self.rule,
            **options,
        )
        masks = self.masks
        if masks is not None:
            masks = resize_node(masks, interpolation="nearest", rule=TENSOR, **options)
        result = replace(shown, stored=stored, masks=masks)
        boxes = self._moved_boxes(
            window=window, size=None if self.boxes is None else result.extents
        )
        return replace(result, boxes=boxes)

    def flipped(self, horizontal: Any = 0, vertical: Any = 0) -> Images:
        """Return the images mirrored left to right, and top to bottom, where the numbers are 1."""
        shown, sides = self.shown(), {"horizontal": horizontal, "vertical": vertical}
        masks = None if self.masks is None else fn.flip(self.masks, **sides)
        boxes = self._moved_boxes(**sides)
        return replace(shown, stored=fn.flip(shown.stored, **sides), masks=masks, boxes=boxes)

    def warped(
        self, matrix: DataNode, interpolation: str, fill: Any, fill_of_masks: float
    ) -> Images:
        """Return the images with pixels moved by a map of pixels of the result to the images.

        See `cut` for the fill values.
        """
        if self.boxes is not None:
            raise ArgumentError("boxes under rotations and perspectives are not translated")
        shown = self.shown()

        def moved(node: DataNode, name: str, values: Any) -> DataNode:
            return fn.experimental.warp_perspective(
                node, matrix=matrix, interp_type=INTERPOLATIONS[name], fill_value=values
            )

        masks = None if self.masks is None else moved(self.masks, "nearest", [fill_of_masks])
        values = [float(value) for value in np.ravel(fill)]
        return replace(shown, stored=moved(shown.stored, interpolation, values), masks=masks)

    def clamped(self) -> Images:
        """Return the images with boxes that are cut off at the images' edges."""
        extents = self.extents
        return replace(self, boxes=self._moved_boxes(window=fn.cat(extents[:2] * 0, extents[:2])))

    def _moved_boxes(self, **changes: object) -> DataNode | None:
        if self.boxes is None:
            return None
        return _boxes_node(self.boxes, self.extents, **changes)


__all__ = ["PILLOW", "PIXELS", "REAL", "TENSOR", "Images", "size_node", "window_node"]
