"""`fn.crop`: a window of given size out of each image."""

from __future__ import annotations

from typing import Any

from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, register
from ...engine.graph.rules import GpuRules
from ...engine.tensors import TensorListGPU
from ...geometry.layouts import VOLUME_LAYOUTS, layout_of
from ...geometry.windows import CropArguments, bounded
from .extract import extract
from .gpu_extract import extract_batch
from .window_operator import WindowOperator


@register
class Crop(CropArguments, WindowOperator):
    """Takes a window of given size out of each image, video or volume.

    The window's first pixel is at `position * (extent - crop extent)`, rounded, on each axis.
    Without a size the whole sample is taken. Where 'F' is in the layout and 'D' is not, the
    depth is the number of frames.

    Inputs:
        data: HWC, CHW, HW, DHWC, CDHW, FHWC, FCHW, CFHW or with F before a volume; any type.
            Without a layout HW, HWC, DHWC or FDHWC is assumed.

    The result has the layout and, if `dtype` is not given, the type of the input.
    """

    name = "crop"
    devices = ("cpu", "gpu")
    on_gpu = GpuRules(rehearses=True)
    assumed_layouts = VOLUME_LAYOUTS
    inputs = ("data",)

    def sample(self, workspace: Workspace, image: Array, **arguments: Any) -> Array:
        layout = layout_of(self.layouts[0], image.ndim, VOLUME_LAYOUTS)
        window = self.window(layout, image.shape, **arguments)
        window = bounded(window, image.shape, self.out_of_bounds_policy)
        return extract(workspace, image, window, self, layout)

    def batch_gpu(
        self, batch: BatchContext, images: TensorListGPU, **arguments: object
    ) -> TensorListGPU:
        layout = layout_of(self.layouts[0], images.ndim, VOLUME_LAYOUTS)
        windows = self.windows(batch, layout, images.extents(), **arguments)
        return extract_batch(batch, images, windows, self, layout)
