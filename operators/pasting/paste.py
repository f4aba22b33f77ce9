"""`fn.paste`: images on a larger canvas of one color."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...engine.arrays import DType
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import FLOAT, FLOATS, INT, REQUIRED, param
from ...engine.tensors import TensorListGPU
from ..common.batch_arguments import enter_errors, numbers_of
from ..indexing.gpu_copies import convert_views
from ..indexing.strided_views import StridedViews

_MOST_EXTENT = 1 << 24
_LAYOUTS = {3: "HWC"}
_CHANNELS = 2  # their axis


@register
class Paste(SampleOperator):
    """Puts each image on a canvas whose extents are `ratio` times those of the image.

    `fn.bbox_paste` with the same arguments moves the boxes.

    Inputs:
        images: HWC, uint8.

    Outputs:
        the canvases: HWC, uint8, with int(ratio * extent) pixels, but `min_canvas_size` at least.
    """

    name = "paste"
    devices = ("cpu", "gpu")
    assumed_layouts = _LAYOUTS
    inputs = ("images",)

    fill_value = param(
        FLOATS,
        REQUIRED,
        "Color of the canvas: a number, or one a channel. Fractions are cut off, and numbers "
        "beyond 0 to 255 count as the nearest of these.",
    )
    ratio = param(
        FLOAT, REQUIRED, "Size of the canvas / size of the image; at least 1.", per_sample=True
    )
    n_channels = param(
        INT, 3, "Number of channels that `fill_value` may have.", minimum=1, maximum=1024
    )
    min_canvas_size = param(
        FLOAT, 0.0, "Least height and width of the canvas in pixels.", per_sample=True
    )
    paste_x = param(
        FLOAT, 0.5, "Position of the image: 0 is left, 1 is right on the canvas.", per_sample=True
    )
    paste_y = param(
        FLOAT, 0.5, "Position of the image: 0 is at the top, 1 at the bottom.", per_sample=True
    )

    def prepare(self) -> None:
        if len(self.fill_value) not in (1, self.n_channels):
            self.refuse(
                f"fill_value has {len(self.fill_value)} numbers; give one, or one for each of the "
                f"{self.n_channels} channels (n_channels)"
            )
        self._fill = np.clip(self.fill_value, 0, 255).astype(np.uint8)

    def sample(self, workspace: Workspace, image: Array, **arguments: float) -> Array:
        y, x, height, width = self._window(image.shape, image.dtype, arguments)
        out = workspace.empty((height, width, image.shape[2]), image.dtype)
        bottom, right = y + image.shape[0], x + image.shape[1]
        line = np.empty(out.shape[1:], out.dtype)
        line[...] = self._fill
        out[:y], out[bottom:] = line, line
        out[y:bottom, :x], out[y:bottom, right:] = line[:x], line[right:]
        out[y:bottom, x:right] = image
        return out

    def batch_gpu(
        self, batch: BatchContext, images: TensorListGPU, **arguments: object
    ) -> TensorListGPU:
        numbers = {name: numbers_of(value, batch.size)[:, 0] for name, value in arguments.items()}
        view = StridedViews.of(images)
        if not self._takes(images.ndim, view.dtype):
            enter_errors(self, batch, images, np.zeros(batch.size, bool), arguments)
            return images
        inner, channels = view.shapes[:, :2].T, view.shapes[:, 2]
        with np.errstate(all="ignore"):  # numbers of samples with errors
            ratio = numbers["ratio"].astype(np.float32)
            positions = np.array([numbers[k] for k in ("paste_y", "paste_x")], np.float32)
            least = np.trunc(numbers["min_canvas_size"])
            canvas = np.maximum(np.trunc(_scaled(inner, ratio)), least)
            offset = _scaled(canvas - inner, positions)
        usable = (ratio >= 1) & (canvas <= _MOST_EXTENT).all(axis=0)
        usable &= ((positions >= 0) & (positions <= 1)).all(axis=0)
        usable &= (len(self._fill) == 1) | (channels == len(self._fill))
        enter_errors(self, batch, images, usable, arguments)
        start, wanted = np.zeros_like(view.shapes), view.shapes.copy()
        start[usable, :2], wanted[usable, :2] = offset.T[usable], canvas.T[usable]
        shown = view.window(-start, wanted)
        return convert_views(batch, shown, view.dtype, self._fill, _CHANNELS, "PAD")

    def _takes(self, ndim: int, dtype: DType) -> bool:
        return ndim == 3 and dtype == np.uint8 and self.layouts[0] in ("", "HWC")

    def _window(
        self, shape: tuple[int, ...], dtype: DType, arguments: Mapping[str, float]
    ) -> tuple[int, int, int, int]:
        """Return offset (y, x) of the image, and height and width of the canvas."""
        if not self._takes(len(shape), dtype):
            self.refuse(
                f"the image must be HWC and uint8, but is {dtype} of the shape {shape} and the "
                f"layout {self.layouts[0]!r}"
            )
        if len(self._fill) not in (1, shape[2]):
            self.refuse(f"fill_value has {len(self._fill)} numbers for {shape[2]} channels")
        ratio, least = np.float32(arguments["ratio"]), int(arguments["min_canvas_size"])
        positions = [np.float32(arguments[name]) for name in ("paste_y", "paste_x")]
        if not ratio >= 1 or not all(0 <= position <= 1 for position in positions):
            self.refuse(
                f"ratio is {ratio}, paste_x {positions[1]} and paste_y {positions[0]}; ratio must "
                "be at least 1, and positions from 0 to 1"
            )
        canvas = [max(int(_scaled(extent, ratio)), least) for extent in shape[:2]]
        if max(canvas) > _MOST_EXTENT:
            self.refuse(
                f"the canvas of {canvas[0]}x{canvas[1]} pixels is larger than {_MOST_EXTENT} on an "
                "axis"
            )
        y, x = (
            int(_scaled(outer - inner, position))
            for position, outer, inner in zip(positions, canvas, shape[:2], strict=True)
        )
        return y, x, canvas[0], canvas[1]


def _scaled(extent: Any, factor: Any) -> Any:
    """Return numbers of pixels times float32 numbers; callers cut the fractions off."""
    return factor * np.float32(extent)
