"""`fn.color_space_conversion`: images in another color space."""

from __future__ import annotations

import cv2
import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import IMAGE_TYPE, REQUIRED, param
from ...engine.graph.rules import GpuRules
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import DALIImageType, to_numpy_type
from ...geometry.layouts import VIDEO_LAYOUTS, layout_of
from ..common.batch_arguments import enter_errors
from .color_operator import check_channels
from .cpu_colors import map_colors
from .gpu_colors import map_batch_colors
from .matrices import COLOR_SPACE_MAPS

_RGB, _BGR, _GRAY = DALIImageType.RGB, DALIImageType.BGR, DALIImageType.GRAY
_OPENCV = {
    (_RGB, _BGR): cv2.COLOR_RGB2BGR,
    (_BGR, _RGB): cv2.COLOR_RGB2BGR,
    (_RGB, _GRAY): cv2.COLOR_RGB2GRAY,
    (_BGR, _GRAY): cv2.COLOR_BGR2GRAY,
    (_GRAY, _RGB): cv2.COLOR_GRAY2RGB,
    (_GRAY, _BGR): cv2.COLOR_GRAY2RGB,
}
"""Conversions for which OpenCV has a function of its own."""
_SPACES = tuple(space for space in DALIImageType if space != DALIImageType.ANY_DATA)


@register
class ColorSpaceConversion(SampleOperator):
    """Converts images between RGB, BGR, GRAY and YCbCr.

    Gray is the luma of ITU-R BT.601. YCbCr is that of the same standard with 8 bits: Y has the
    range 16 to 235, Cb and Cr 16 to 240. CPU and GPU agree within 1.

    Inputs:
        images: uint8; HWC, FHWC, DHWC, FDHWC or another layout that ends in C; 3 channels, or 1
            for GRAY.

    Outputs:
        the images: uint8, of the input's layout; 3 channels, or 1 for GRAY.
    """

    name = "color_space_conversion"
    devices = ("cpu", "gpu")
    on_gpu = GpuRules(rehearses=True)
    assumed_layouts = VIDEO_LAYOUTS
    inputs = ("images",)

    image_type = param(IMAGE_TYPE, REQUIRED, "Color space of the input.", choices=_SPACES)
    output_type = param(IMAGE_TYPE, REQUIRED, "Color space of the result.", choices=_SPACES)

    def prepare(self) -> None:
        self._pair = self.image_type, self.output_type
        self._given, self._made = (1 if color == _GRAY else 3 for color in self._pair)

    def sample(self, workspace: Workspace, image: Array) -> Array:
        layout = layout_of(self.layouts[0], image.ndim, VIDEO_LAYOUTS)
        check_channels(self.called, layout, image.shape[-1], self._given)
        self._check_type(image.dtype)
        if self.image_type == self.output_type:
            return image
        out = workspace.empty((*image.shape[:-1], self._made), np.uint8)
        if self._pair not in _OPENCV:
            map_colors(workspace, image, COLOR_SPACE_MAPS[self._pair], out)
        elif image.size:
            pixels = np.ascontiguousarray(image).reshape(1, -1, self._given)
            cv2.cvtColor(pixels, _OPENCV[self._pair], dst=out.reshape(1, -1, self._made))
        return out

    def _check_type(self, dtype: np.dtype[np.generic]) -> None:
        if dtype != np.uint8:
            raise ArgumentError(
                f"{self.called} converts uint8 images, not {dtype}; use fn.cast before"
            )

    def batch_gpu(self, batch: BatchContext, images: TensorListGPU) -> TensorListGPU:
        layout = layout_of(self.layouts[0], images.ndim, VIDEO_LAYOUTS)
        shapes, dtype = images.extents(), to_numpy_type(images.dtype)
        self._check_type(dtype)
        possible = (shapes[:, -1] == self._given) & (layout[-1] == "C")
        enter_errors(self, batch, images, possible, {})
        if self.image_type == self.output_type:
            return images
        maps = np.broadcast_to(
            COLOR_SPACE_MAPS[self._pair], (len(shapes), self._made, self._given + 1)
        )
        return map_batch_colors(batch, images, maps, dtype)
