"""Sizes of images as torchvision draws them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import FLOATS, INT, INTS, REQUIRED, STR, param
from .resize import resized

JITTER, SHORTEST, BETWEEN = "jitter", "shortest", "between"


@register
class VisionSize(SampleOperator):
    """Draws the size of each result by the rules of one of torchvision's transforms.

    Inputs:
        extents: height, width, and any others: (2 or more,).

    Outputs:
        the size: (height, width) int64; `VisionResize` refuses sizes without pixels.
    """

    name = "_vision_size"
    called = "ScaleJitter"
    inputs = ("extents",)
    random_count = 1

    kind = param(
        STR,
        REQUIRED,
        "The transform: ScaleJitter, RandomShortestSize or RandomResize.",
        choices=(JITTER, SHORTEST, BETWEEN),
    )
    size = param(
        INTS,
        REQUIRED,
        "The rectangle (width, height) that `jitter` scales; the lengths of the shorter side among "
        "which `shortest` chooses; the least length, and the one above the largest, of `between`.",
    )
    scale = param(FLOATS, (0.1, 2.0), "Range of the scale of `jitter`.")
    max_size = param(INT, 0, "Largest length of the longer side; 0 for none.", minimum=0)

    def sample(self, workspace: Workspace, extents: Array) -> Array:
        height, width = extents[:2].tolist()
        number = workspace.random[0]
        factor: Any
        if self.kind == BETWEEN:
            low, high = self.size
            shorter = low + int(number * (high - low))
            size: Array = resized(extents[np.newaxis, :2], (shorter,), 0)[0]
            return size
        if self.kind == JITTER:
            # torchvision computes with tensors here, which are float32.
            least, most = self.scale
            scale = np.float32(number) * np.float32(most - least) + np.float32(least)
            factor = np.float32(min(self.size[1] / height, self.size[0] / width)) * scale
        else:
            factor = self.size[int(number * len(self.size))] / min(height, width)
            if self.max_size:
                factor = min(factor, self.max_size / max(height, width))
        return np.array([int(height * factor), int(width * factor)], np.int64)
