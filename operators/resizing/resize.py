"""`fn.resize`: images, videos and volumes to another size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine.operator import Array, Row, register
from ...engine.params import BOOL, IMAGE_TYPE, NO_EFFECT, param
from ...engine.tensors import TensorListCPU, TensorListGPU
from ...engine.types import RGB
from .sized import SizedResampler

if TYPE_CHECKING:
    from ...engine.batch import Batch


@register
class Resize(SizedResampler):
    """Resizes images.

    The wanted size is given in one of four ways: `size`, the separate `resize_x`, `resize_y`,
    `resize_z`, `resize_shorter`, or `resize_longer`. Sizes may be fractional: the result's
    extents are rounded, halves up. The kernels, their positions and the sizes are those of
    DALI; integer results round halves to even. CPU and GPU agree exactly for nearest neighbour,
    in integers else within 1, in floats within 1e-5 of the range (float16: 1e-3).

    Inputs:
        images: HWC, CHW, HW, DHWC, CDHW, each with F (frames, resized one by one) in front if
            wanted, or CFHW; uint8, int8, uint16, int16, uint32, int32 or a float type.
            Without a layout, by the number of dimensions: HW, HWC, FHWC, FDHWC.

    Outputs:
        resized: as the input, of another height and width (and depth).
        attributes: with `save_attrs`, the extents before: int32, (height, width) or (depth,
            height, width).

    Raises:
        ArgumentError: arguments contradict one another, or do not fit the sample.
    """

    name = "resize"

    save_attrs = param(BOOL, False, "Also output the extents before.")
    image_type = param(IMAGE_TYPE, RGB, NO_EFFECT)

    def num_outputs(self) -> int:
        return 2 if self.save_attrs else 1

    def output_layouts(self) -> tuple[str, ...]:
        layout = self.layouts[0] if self.layouts else ""
        return (layout, "")[: self.num_outputs()]

    def sample(self, row: Row, image: Array, **arguments: Any) -> Array | tuple[Array, ...]:
        axes = self.axes(image.ndim)
        extents = self.extents(axes, image)
        planned = self.plan(axes, extents, **arguments)
        out = self.resample(row, image, axes, planned, self.filters(**arguments))
        return (out, np.array(extents, np.int32)) if self.save_attrs else out

    def gpu(self, batch: Batch, images: TensorListGPU, **arguments: Any) -> Any:
        out = super().gpu(batch, images, **arguments)
        if not self.save_attrs:
            return out
        axes = self.axes(images.ndim)
        extents = images.extents()[:, axes.first : axes.first + axes.spatial]
        return out, batch.device.to_device(TensorListCPU(extents.astype(np.int32)))
