"""`fn.flip`: images, videos and volumes mirrored."""

from __future__ import annotations

import numpy as np

from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import INT, param
from ...engine.graph.row_arguments import array_of
from ...engine.tensors import TensorListGPU
from ...geometry.layouts import VIDEO_LAYOUTS, find_axis, layout_of
from .gpu_copies import copy_views
from .strided_views import StridedViews


@register
class Flip(SampleOperator):
    """Mirrors each sample along the axes that are chosen.

    Inputs:
        data: HWC, CHW, HW, DHWC, CDHW, or with F before them; any type. Without a layout HW,
            HWC, FHWC or FDHWC is assumed.

    The result has the shape, layout and type of the input.
    """

    name = "flip"
    devices = ("cpu", "gpu")
    assumed_layouts = VIDEO_LAYOUTS
    inputs = ("data",)

    horizontal = param(INT, 1, "Mirror left to right unless 0.", per_sample=True)
    vertical = param(INT, 0, "Mirror top to bottom unless 0.", per_sample=True)
    depthwise = param(
        INT,
        0,
        "Mirror front to back unless 0; without effect where there is no depth.",
        per_sample=True,
    )

    def sample(
        self, workspace: Workspace, image: Array, *, horizontal: int, vertical: int, depthwise: int
    ) -> Array:
        layout = layout_of(self.layouts[0], image.ndim, VIDEO_LAYOUTS)
        index = [slice(None)] * image.ndim
        if horizontal:
            index[find_axis(layout, "W")] = slice(None, None, -1)
        if vertical:
            index[find_axis(layout, "H")] = slice(None, None, -1)
        if depthwise and "D" in layout:
            index[layout.index("D")] = slice(None, None, -1)
        return image[tuple(index)]

    def batch_gpu(
        self, batch: BatchContext, images: TensorListGPU, **arguments: object
    ) -> TensorListGPU:
        layout = layout_of(self.layouts[0], images.ndim, VIDEO_LAYOUTS)
        mirrored = np.zeros((len(images), images.ndim), bool)
        for name, letter in (("horizontal", "W"), ("vertical", "H"), ("depthwise", "D")):
            chosen = array_of(self, name, arguments[name], len(images))[:, 0] != 0
            if chosen.any() and (letter != "D" or "D" in layout):
                mirrored[:, find_axis(layout, letter)] = chosen
        return copy_views(batch, StridedViews.of(images).flipped(mirrored))
