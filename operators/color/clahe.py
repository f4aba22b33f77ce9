"""`fn.clahe`: contrast limited adaptive histogram equalization."""

from __future__ import annotations

import cv2
import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import BOOL, FLOAT, INT, NO_EFFECT, REQUIRED, param
from ...geometry.layouts import VIDEO_LAYOUTS, layout_of


@register
class Clahe(SampleOperator):
    """Equalizes the histograms of tiles, with a limit of the contrast.

    Of RGB images, the L of the color space Lab is equalized, or each channel. The results are those
    of OpenCV's `createCLAHE`, and of DALI's operator on the CPU.

    Inputs:
        images: uint8 HWC or FHWC with 1 channel, or 3 in the order RGB.

    Outputs:
        the images: of the input's shape, type and layout.
    """

    name = "clahe"
    assumed_layouts = VIDEO_LAYOUTS
    frame_by_frame = True
    inputs = ("images",)

    bins = param(INT, 256, NO_EFFECT)
    clip_limit = param(
        FLOAT, REQUIRED, "Limit of a histogram's bin, relative to the mean bin.", above=0
    )
    luma_only = param(BOOL, True, "Whether RGB images keep their colors.")
    tiles_x = param(INT, REQUIRED, "Number of tiles along the width.", minimum=1)
    tiles_y = param(INT, REQUIRED, "Number of tiles along the height.", minimum=1)

    def sample(self, workspace: Workspace, image: Array) -> Array:
        layout = layout_of(self.layouts[0], image.ndim, VIDEO_LAYOUTS)
        if layout != "HWC" or image.dtype != np.uint8 or image.shape[2] not in (1, 3):
            raise ArgumentError(
                f"{self.called} needs uint8 images, HWC with 1 or 3 channels, but the sample is "
                f"{image.dtype}, {layout!r} of the shape {image.shape}"
            )
        out = workspace.empty(image.shape, image.dtype)
        if image.size:
            self._write(np.ascontiguousarray(image), out)
        return out

    def _write(self, image: Array, out: Array) -> None:
        equalizer = cv2.createCLAHE(self.clip_limit, (self.tiles_x, self.tiles_y))
        if image.shape[2] == 3 and self.luma_only:
            light, *colors = cv2.split(cv2.cvtColor(image, cv2.COLOR_RGB2LAB))
            lab = cv2.merge([equalizer.apply(light), *colors])
            cv2.cvtColor(lab, cv2.COLOR_LAB2RGB, dst=out)
            return
        cv2.merge([equalizer.apply(channel) for channel in cv2.split(image)], dst=out)
