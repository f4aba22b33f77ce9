"""`fn.equalize`: images whose levels are equally frequent."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np

from ...engine.arrays import DType
from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ...geometry.layouts import VIDEO_LAYOUTS, layout_of
from ..common.batch_arguments import why_not
from ..kernels import THREADS, Pointers, kernel, struct_table

_LAYOUTS = ("HW", "HWC", "CHW", "FHW", "FHWC", "FCHW")
_SHARED_BYTES = 256 * 4 + 256  # the histogram and the table


class _Planes(NamedTuple):
    """The planes of a sample: axes (planes, pixels, channels).

    Attributes:
        leading: number of axes of planes that come before H.
        channels: extent of a last axis of channels, or 1.
    """

    leading: int
    channels: int


@register
class Equalize(SampleOperator):
    """Equalizes the histogram of each channel of each frame.

    The results are those of OpenCV's `equalizeHist`, on both devices.

    Inputs:
        images: uint8; HW, HWC, CHW, FHW, FHWC or FCHW.

    Outputs:
        the images: of the input's shape, type and layout.
    """

    name = "equalize"
    aliases = ("experimental.equalize",)
    devices = ("cpu", "gpu")
    assumed_layouts = VIDEO_LAYOUTS
    inputs = ("images",)

    def _planes(self, shape: tuple[int, ...], dtype: DType) -> _Planes:
        layout = layout_of(self.layouts[0], len(shape), VIDEO_LAYOUTS)
        if layout not in _LAYOUTS or dtype != np.uint8:
            raise ArgumentError(
                f"{self.called} needs uint8 images of the layouts {', '.join(_LAYOUTS)}, but the "
                f"sample is {dtype} and {layout!r}"
            )
        return _Planes(layout.index("H"), shape[-1] if layout.endswith("C") else 1)

    def sample(self, workspace: Workspace, image: Array) -> Array:
        planes = self._planes(image.shape, image.dtype)
        out = workspace.empty(image.shape, image.dtype)
        if not image.size:
            return out
        count = int(np.prod(image.shape[: planes.leading]))
        source = np.ascontiguousarray(image).reshape(count, 1, -1, planes.channels)
        channels = list(workspace.scratch((planes.channels, 1, source.shape[2]), np.uint8))
        for pixels, result in zip(source, out.reshape(source.shape), strict=True):
            cv2.split(pixels, channels)
            for channel in channels:
                cv2.equalizeHist(channel, dst=channel)
            cv2.merge(channels, dst=result)
        return out

    def batch_gpu(self, batch: BatchContext, images: TensorListGPU) -> TensorListGPU:
        shapes, dtype = images.extents(), to_numpy_type(images.dtype)
        try:
            leading, _ = self._planes(tuple(shapes[0].tolist()), dtype)
        except ArgumentError:
            raise why_not(self, batch, 0, shapes[0], dtype, {}) from None
        last = layout_of(self.layouts[0], images.ndim, VIDEO_LAYOUTS).endswith("C")
        channels = shapes[:, -1] if last else np.ones(len(shapes), np.int64)
        blocks = shapes[:, :leading].prod(axis=1)
        pixels = shapes[:, leading : leading + 2].prod(axis=1)
        sample = np.repeat(np.arange(len(shapes)), blocks * channels)
        first = np.repeat((blocks * channels).cumsum() - blocks * channels, blocks * channels)
        block, channel = np.divmod(np.arange(len(sample)) - first, channels[sample])
        offsets = (block * (pixels * channels)[sample] + channel).astype(np.uint64)
        out = batch.device.empty(shapes, dtype)
        table = struct_table(
            "Plane",
            len(sample),
            source=Pointers(images.pointers()[sample] + offsets, "const unsigned char*"),
            out=Pointers(out.pointers()[sample] + offsets, "unsigned char*"),
            pixels=pixels[sample],
            step=channels[sample],
        )
        function = kernel("color/equalize", "equalize")
        grid = (len(sample),)
        batch.device.launch(function, grid, (THREADS,), table, shared_bytes=_SHARED_BYTES)
        return out
