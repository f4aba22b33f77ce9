"""`fn.random_resized_crop`: a random window of each image, resized to one size."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import register
from ...engine.graph.params import INTS, REQUIRED, param
from ...geometry.random_crop import RandomCropArguments, random_window, random_windows
from .resampling_operator import ResamplingOperator
from .sizing import ResizePlan, ResizePlans, check_size
from .spatial_axes import SpatialAxes


@register
class RandomResizedCrop(RandomCropArguments, ResamplingOperator):
    """Takes a window of random area, aspect ratio and position out of each image, and resizes it.

    Szegedy et al., "Going Deeper with Convolutions" (2014), section 6. A video's frames all
    show the same window. The windows are those of `fn.decoders.image_random_crop` with the
    same random numbers, but here pixels just outside of a window count at its edges.

    Inputs:
        images: HWC, CHW, HW, FHWC, FCHW or CFHW; uint8, int8, uint16, int16, uint32, int32 or a
            float type. Without a layout, by the number of dimensions: HW, HWC, FHWC.

    The result is as the input, of the height and width `size`.
    """

    name = "random_resized_crop"

    size = param(
        INTS, REQUIRED, "(height, width) of the result in pixels; one number stands for both."
    )

    def prepare(self) -> None:
        super().prepare()
        size = self.size * 2 if len(self.size) == 1 else self.size
        if len(size) != 2 or min(size) < 1:
            self.refuse(
                f"size must be (height, width) in pixels, each at least 1, but is {self.size}"
            )
        try:
            check_size(size)
        except ArgumentError as error:
            raise ArgumentError(f"{self.called}: {error}") from None
        self._size = size

    def plan_sample(
        self,
        workspace: Workspace,
        axes: SpatialAxes,
        extents: tuple[int, ...],
        arguments: Mapping[str, object],
    ) -> ResizePlan:
        self._check_spatial(axes)
        height, width = extents
        window = random_window(height, width, self.crop_ranges, workspace.random)
        return ResizePlan(self._size, window[:2], window[2:])

    def plan_batch(
        self,
        batch: BatchContext,
        axes: SpatialAxes,
        extents: NDArray[np.int64],
        arguments: Mapping[str, object],
    ) -> ResizePlans:
        self._check_spatial(axes)
        windows = random_windows(
            extents, self.crop_ranges, lambda count: batch.random(self, count)
        ).astype(np.float64)
        size = np.broadcast_to(np.array(self._size), extents.shape)
        return ResizePlans(size, windows[:, :2], windows[:, 2:], np.ones(len(extents), bool))

    def _check_spatial(self, axes: SpatialAxes) -> None:
        if axes.count != 2:
            raise ArgumentError(f"{self.called} takes images and videos, but no volumes")
