"""`fn.jpeg_compression_distortion`: what JPEG does to images."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import INT, param
from ...engine.graph.row_arguments import array_of
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ...geometry.layouts import VIDEO_LAYOUTS, layout_of
from ..common.batch_arguments import enter_errors
from .gpu_jpeg import distort_batch

_LAYOUTS = ("HWC", "FHWC")


@register
class JpegCompressionDistortion(SampleOperator):
    """Encodes RGB images as JPEG, and decodes them again.

    The colors have half the resolution in both directions (4:2:0), as in most photographs. The
    pixels are those of libjpeg-turbo, and of DALI's operator on the CPU. The GPU computes the same
    pixels without encoding.

    Inputs:
        images: uint8, HWC or FHWC, 3 channels.

    Outputs:
        the images: of the input's shape, type and layout.
    """

    name = "jpeg_compression_distortion"
    devices = ("cpu", "gpu")
    assumed_layouts = VIDEO_LAYOUTS
    inputs = ("images",)

    quality = param(
        INT, 50, "Quality from 1, the lowest, to 100; other numbers are clamped.", per_sample=True
    )

    def sample(self, workspace: Workspace, image: Array, *, quality: int) -> Array:
        layout = layout_of(self.layouts[0], image.ndim, VIDEO_LAYOUTS)
        if layout not in _LAYOUTS or image.shape[-1] != 3 or image.dtype != np.uint8:
            raise ArgumentError(
                f"{self.called} needs RGB images of uint8, HWC or FHWC, but the sample is "
                f"{image.dtype}, {layout!r} of the shape {image.shape}"
            )
        out = workspace.empty(image.shape, image.dtype)
        if not image.size:
            return out
        options = [cv2.IMWRITE_JPEG_QUALITY, min(max(quality, 1), 100)]
        frames = np.ascontiguousarray(image).reshape(-1, *image.shape[-3:])
        for frame, result in zip(frames, out.reshape(frames.shape), strict=True):
            _distort(frame, result, options)
        return out

    def batch_gpu(
        self, batch: BatchContext, images: TensorListGPU, *, quality: object
    ) -> TensorListGPU:
        layout = layout_of(self.layouts[0], images.ndim, VIDEO_LAYOUTS)
        shapes, dtype = images.extents(), to_numpy_type(images.dtype)
        possible = (shapes[:, -1] == 3) & (layout in _LAYOUTS) & (dtype == np.uint8)
        enter_errors(self, batch, images, possible, {"quality": quality})
        numbers = array_of(self, "quality", quality, batch.size)[:, 0].clip(1, 100)
        return distort_batch(batch, images, possible, numbers.astype(np.int64))


def _distort(image: Array, out: Array, options: list[int]) -> None:
    encoded: Any
    done, encoded = cv2.imencode(".jpg", cv2.cvtColor(image, cv2.COLOR_RGB2BGR), options)
    if not done:
        raise ArgumentError(f"JPEG does not hold an image of the shape {image.shape}")
    decoded: Any = cv2.imdecode(encoded, cv2.IMREAD_COLOR)
    cv2.cvtColor(decoded, cv2.COLOR_BGR2RGB, dst=out)
