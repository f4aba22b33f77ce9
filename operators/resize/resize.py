"""`fn.resize`: images, videos and volumes to another size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, register
from ...engine.graph.params import BOOL, IMAGE_TYPE, LEAVE_OUT, NO_EFFECT, param
from ...engine.graph.rules import GpuRules
from ...engine.tensors import TensorListCPU, TensorListGPU
from ...engine.tensors.dtypes import RGB
from .resampling_operator import ResamplingOperator
from .size_arguments import SizeArguments
from .sizing import ResizePlan, ResizePlans, Sizing
from .spatial_axes import SpatialAxes


@register
class Resize(SizeArguments, ResamplingOperator):
    """Resizes images.

    The wanted size is given in one of four ways: `size`, the separate `resize_x`, `resize_y`,
    `resize_z`, `resize_shorter`, or `resize_longer`. Sizes may be fractional: the result's
    extents are rounded, halves up. The kernels, their positions and the sizes are those of
    DALI; integer results round halves to even. CPU and GPU agree exactly for nearest neighbor,
    in integers else within 1, in floats within 1e-5 of the range (float16: 1e-3).

    Inputs:
        images: HWC, CHW, HW, DHWC, CDHW, each also with F (frames) in front, or CFHW. Their dtype
            is uint8, int8, uint16, int16, uint32, int32 or a float type.
            Without a layout, by the number of dimensions: HW, HWC, FHWC, FDHWC.

    Outputs:
        resized: as the input, of another height and width (and depth). An axis without extent
            keeps none.
        attributes: with `save_attrs`, the extents before: int32, (height, width) or (depth,
            height, width).

    Raises:
        ArgumentError: arguments contradict one another, or do not fit the sample.
    """

    name = "resize"
    on_gpu = GpuRules(rehearses=True)  # with its own `batch_gpu`, too
    takes_empty = True
    aliases = ("experimental.resize",)

    save_attrs = param(BOOL, False, "Also output the extents before.")
    image_type = param(IMAGE_TYPE, RGB, NO_EFFECT, deprecated=LEAVE_OUT)

    def num_outputs(self) -> int:
        return 2 if self.save_attrs else 1

    def output_layouts(self) -> tuple[str, ...]:
        layout = self.layouts[0] if self.layouts else ""
        return (layout, "")[: self.num_outputs()]

    def prepare(self) -> None:
        super().prepare()
        self._constant_size = self.constant_size()

    def sample(self, workspace: Workspace, image: Array, **arguments: Any) -> Any:
        out = super().sample(workspace, image, **arguments)
        if not self.save_attrs:
            return out
        return out, np.array(image.shape[self.axes_of(image.ndim).spatial], np.int32)

    def plan_sample(
        self,
        workspace: Workspace,
        axes: SpatialAxes,
        extents: tuple[int, ...],
        arguments: Mapping[str, object],
    ) -> ResizePlan:
        if self._constant_size is not None:
            return ResizePlan(self._constant_size, (0,) * len(extents), extents)
        return self.plan_size(axes, extents, Sizing.of(arguments))

    def plan_batch(
        self,
        batch: BatchContext,
        axes: SpatialAxes,
        extents: NDArray[np.int64],
        arguments: Mapping[str, object],
    ) -> ResizePlans:
        if self._constant_size is None:
            return self.plan_sizes(axes, extents, Sizing.of(arguments))
        size, whole = np.full(extents.shape, self._constant_size), extents.astype(np.float64)
        possible = np.ones(len(extents), bool)
        return ResizePlans(size, np.zeros_like(whole), whole, possible, self._constant_size)

    def batch_gpu(self, batch: BatchContext, images: TensorListGPU, **arguments: object) -> Any:
        out = super().batch_gpu(batch, images, **arguments)
        if not self.save_attrs:
            return out
        extents = images.extents()[:, self.axes_of(images.ndim).spatial]
        return out, batch.device.to_device(TensorListCPU(extents.astype(np.int32)))
