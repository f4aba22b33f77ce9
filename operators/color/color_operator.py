"""The base of operators that map the colors of images with three channels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from ...engine.arrays import DType, Float64s
from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator
from ...engine.graph.params import DTYPE, IMAGE_TYPE, param
from ...engine.graph.rules import GpuRules
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import DALIImageType, to_numpy_type
from ...geometry.layouts import VIDEO_LAYOUTS, layout_of
from ..common.number_arguments import check_numbers, numbers_of_batch
from ..elementwise.target_dtype import target_type
from .cpu_colors import map_colors
from .gpu_colors import map_batch_colors
from .matrices import reversed_channels

_CHANNELS = 3


def check_channels(owner: str, layout: str, channels: int, wanted: int) -> None:
    """Raise ArgumentError unless channels come last, and are as many as wanted."""
    if layout[-1:] != "C" or channels != wanted:
        raise ArgumentError(
            f"{owner} needs images whose last axis has {wanted} channels, such as HWC, but the "
            f"sample is {layout!r} with {channels}; use fn.transpose or "
            "fn.color_space_conversion before"
        )


class ColorOperator(SampleOperator, ABC):
    """Base of operators whose arguments choose an affine map of colors."""

    devices = ("cpu", "gpu")
    on_gpu = GpuRules(rehearses=True)
    assumed_layouts = VIDEO_LAYOUTS
    inputs = ("images",)

    dtype = param(DTYPE, None, "Element type of the result, by default the input's.")

    def prepare(self) -> None:
        self._target = target_type(self)
        self._reversed = getattr(self, "image_type", None) == DALIImageType.BGR

    @abstractmethod
    def maps(self, source: DType, **numbers: object) -> Float64s:
        """Return maps of colors: (..., 3, 4).

        Args:
            source: dtype of the images.
            numbers: the arguments' numbers: (...).
        """

    def _all_maps(self, source: DType, numbers: dict[str, Any]) -> Float64s:
        maps = self.maps(source, **numbers)
        return reversed_channels(maps) if self._reversed else maps

    def sample(self, workspace: Workspace, image: Array, **arguments: float) -> Array:
        layout = layout_of(self.layouts[0], image.ndim, VIDEO_LAYOUTS)
        check_channels(self.called, layout, image.shape[-1], _CHANNELS)
        check_numbers(self, arguments)
        out = workspace.empty(image.shape, self._target or image.dtype)
        map_colors(workspace, image, self._all_maps(image.dtype, arguments), out)
        return out

    def batch_gpu(
        self, batch: BatchContext, images: TensorListGPU, **arguments: Any
    ) -> TensorListGPU:
        layout = layout_of(self.layouts[0], images.ndim, VIDEO_LAYOUTS)
        possible = (images.extents()[:, -1] == _CHANNELS) & (layout[-1] == "C")
        numbers = numbers_of_batch(self, batch, images, arguments, possible)
        source = to_numpy_type(images.dtype)
        maps = self._all_maps(source, numbers)
        return map_batch_colors(batch, images, maps, self._target or source)


IMAGE_TYPE_PARAM = param(
    IMAGE_TYPE,
    DALIImageType.RGB,
    "Order of the channels: RGB or BGR; `color_space_conversion` makes these of other color "
    "spaces. DALI treats both as RGB.",
    choices=(DALIImageType.RGB, DALIImageType.BGR),
)
