"""`fn.clahe`: contrast limited adaptive histogram equalization."""

from __future__ import annotations

import cv2
import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import BOOL, FLOAT, INT, NO_EFFECT, REQUIRED, param
from ...engine.graph.rules import SequenceRules
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ...geometry.layouts import VIDEO_LAYOUTS, layout_of
from ..common.batch_arguments import enter_errors, why_not
from .gpu_clahe import Tiling, equalize_tiles

_CHANNELS = (1, 3)
_ALL = 256.0  # a clip limit that cuts nothing: a bin holds all pixels of its tile


@register
class Clahe(SampleOperator):
    """Equalizes the histograms of tiles, with a limit of the contrast.

    Of RGB images, the L of the color space Lab is equalized, or each channel. The results are those
    of OpenCV's `createCLAHE`, and of DALI's operator on the CPU, on both devices.

    Inputs:
        images: uint8 HWC or FHWC with 1 channel, or 3 in the order RGB.

    Outputs:
        the images: of the input's shape, type and layout.
    """

    name = "clahe"
    devices = ("cpu", "gpu")
    assumed_layouts = VIDEO_LAYOUTS
    sequences = SequenceRules(frame_by_frame=True)
    inputs = ("images",)

    bins = param(INT, 256, NO_EFFECT)
    clip_limit = param(
        FLOAT,
        REQUIRED,
        "Limit of a histogram's bin, relative to the mean bin; 0 and less are no limit.",
    )
    luma_only = param(BOOL, True, "Whether RGB images keep their colors.")
    tiles_x = param(INT, REQUIRED, "Number of tiles along the width.", minimum=1)
    tiles_y = param(INT, REQUIRED, "Number of tiles along the height.", minimum=1)

    def _accepts(self, ndim: int, channels: int, dtype: np.dtype[np.generic]) -> bool:
        layout = layout_of(self.layouts[0], ndim, VIDEO_LAYOUTS)
        return layout == "HWC" and channels in _CHANNELS and dtype == np.uint8

    def sample(self, workspace: Workspace, image: Array) -> Array:
        if not self._accepts(image.ndim, image.shape[-1] if image.ndim else 0, image.dtype):
            layout = layout_of(self.layouts[0], image.ndim, VIDEO_LAYOUTS)
            raise ArgumentError(
                f"{self.called} needs uint8 images, HWC with 1 or 3 channels, but the sample is "
                f"{image.dtype}, {layout!r} of the shape {image.shape}"
            )
        out = workspace.empty(image.shape, image.dtype)
        if image.size:
            self._write(np.ascontiguousarray(image), out)
        return out

    def batch_gpu(self, batch: BatchContext, images: TensorListGPU) -> TensorListGPU:
        shapes, dtype = images.extents(), to_numpy_type(images.dtype)
        if images.ndim != 3:
            raise why_not(self, batch, 0, shapes[0], dtype, {})
        possible = np.array([self._accepts(len(s), int(s[-1]), dtype) for s in shapes], bool)
        enter_errors(self, batch, images, possible, {})
        tiling = Tiling(self.tiles_y, self.tiles_x, self._limit, self.luma_only)
        return equalize_tiles(batch, images, possible, tiling)

    @property
    def _limit(self) -> float:
        """The limit, small enough for the integers in which OpenCV counts pixels."""
        return float(min(self.clip_limit, _ALL)) if self.clip_limit > 0 else _ALL

    def _write(self, image: Array, out: Array) -> None:
        equalizer = cv2.createCLAHE(self._limit, (self.tiles_x, self.tiles_y))
        if image.shape[2] == 3 and self.luma_only:
            light, *colors = cv2.split(cv2.cvtColor(image, cv2.COLOR_RGB2LAB))
            lab = cv2.merge([equalizer.apply(light), *colors])
            cv2.cvtColor(lab, cv2.COLOR_LAB2RGB, dst=out)
            return
        cv2.merge([equalizer.apply(channel) for channel in cv2.split(image)], dst=out)
