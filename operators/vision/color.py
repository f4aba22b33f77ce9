"""torchvision's `ColorJitter`, `Grayscale` and `RandomGrayscale`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.arrays import DType
from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import FLOAT, INT, STR, param
from ...engine.graph.rules import SequenceRules
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ...geometry.layouts import IMAGE_LAYOUTS, layout_of
from ..common.number_arguments import check_numbers, numbers_of_batch
from ..kernels import Pointers, addresses_in, kernel, launch_elements, struct_table
from .axes import PILLOW, RULES, TENSOR
from .colors import CHANGES, IDENTITY, ORDERS, change_colors, change_with_pillow, hue_step
from .pillow_images import check_pillow

_CHANNELS = (1, 3)
_TYPES = (np.dtype(np.uint8), np.dtype(np.float32))


def check_colors(operator: SampleOperator, shape: tuple[int, ...], dtype: DType) -> None:
    """Raise ArgumentError unless an image is HWC, of 1 or 3 channels, and of bytes or float32."""
    layout = layout_of(operator.layouts[0], len(shape), IMAGE_LAYOUTS)
    channels = shape[-1] if layout == "HWC" else 0
    if channels not in _CHANNELS or dtype not in _TYPES:
        raise ArgumentError(
            f"{operator.called} needs images of layout HWC with 1 or 3 channels, of uint8 or "
            f"float32, but the sample is {dtype} of layout {layout!r} and shape {tuple(shape)}"
        )


@register
class VisionColor(SampleOperator):
    """Changes brightness, contrast, saturation and hue, one after the other, as torchvision does.

    Bytes are those of Pillow, or within 1 of those of PyTorch; floats are within 1e-5. CPU and
    GPU agree within 1 in integers, and within 1e-5 in floats.

    Inputs:
        images: HWC of 1 or 3 channels, with F before them for videos; uint8, or float32 from 0
            to 1.

    Outputs:
        the images: of the input's shape, type and layout.
    """

    name = "_vision_color"
    called = "ColorJitter"
    devices = ("cpu", "gpu")
    assumed_layouts = IMAGE_LAYOUTS
    sequences = SequenceRules(frame_by_frame=True)
    inputs = ("images",)

    brightness = param(FLOAT, 1.0, "Factor of the values.", per_sample=True, minimum=0)
    contrast = param(
        FLOAT, 1.0, "Factor of the distance from the mean gray.", per_sample=True, minimum=0
    )
    saturation = param(FLOAT, 1.0, "Factor of the distance from gray.", per_sample=True, minimum=0)
    hue = param(
        FLOAT,
        0.0,
        "Turn of the hue, as a fraction of the circle.",
        per_sample=True,
        minimum=-0.5,
        maximum=0.5,
    )
    order = param(
        INT,
        0,
        "Number of the order of the changes, among all permutations in lexicographic order.",
        per_sample=True,
        minimum=0,
        maximum=len(ORDERS) - 1,
    )
    rule = param(STR, TENSOR, "Whose pixels.", choices=RULES)

    def check_machine(self) -> None:
        if self.rule == PILLOW and self.device == "cpu":
            check_pillow(self.called)

    def sample(self, workspace: Workspace, image: Array, **arguments: Any) -> Array:
        check_colors(self, image.shape, image.dtype)
        check_numbers(self, arguments)
        factors, order = tuple(arguments[name] for name in CHANGES), int(arguments["order"])
        out = workspace.empty(image.shape, image.dtype)
        if not image.size:
            return out
        if self.rule == PILLOW and image.dtype == np.uint8:
            change_with_pillow(image, factors, order, out)
        else:
            scratch = workspace.scratch(image.shape, image.dtype)
            change_colors(image, factors, order, out, scratch)
        return out

    def batch_gpu(
        self, batch: BatchContext, images: TensorListGPU, **arguments: object
    ) -> TensorListGPU:
        shapes, dtype = images.extents(), to_numpy_type(images.dtype)
        layout = layout_of(self.layouts[0], images.ndim, IMAGE_LAYOUTS)
        possible = np.isin(shapes[:, -1], _CHANNELS) & (layout == "HWC") & (dtype in _TYPES)
        numbers = numbers_of_batch(self, batch, images, arguments, possible)
        out = batch.device.empty(shapes, dtype)
        factors = np.stack([numbers[name] for name in CHANGES], axis=1)
        orders = np.array(ORDERS)[numbers["order"].astype(np.int64)]
        neutral = np.take_along_axis(factors == IDENTITY, orders, axis=1)
        pixels = np.where(possible, shapes[:, :2].prod(axis=1), 0)
        sums = batch.device.buffer(8 * batch.size)
        batch.device.fill(sums, 0)
        table = struct_table(
            "Image",
            batch.size,
            source=Pointers(images.pointers(), "const In*"),
            out=Pointers(out.pointers(), "In*"),
            sum=Pointers(
                addresses_in(sums, np.ones(batch.size, np.int64), 8), "unsigned long long*"
            ),
            pixels=pixels,
            channels=shapes[:, -1].astype(np.int32),
            changes=np.where(neutral, -1, orders).astype(np.int32),
            factors=factors.astype(np.float32),
            rests=(1.0 - factors).astype(np.float32),
            hue_step=np.array([hue_step(factor) for factor in factors[:, 3].tolist()], np.int32),
        )
        macros = {
            "In": "unsigned char" if dtype == np.uint8 else "float",
            "BYTES": dtype == np.uint8,
            "PILLOW": self.rule == PILLOW and dtype == np.uint8,
        }
        table = batch.device.upload_table(table)
        summed = np.where(factors[:, 1] != 1, pixels, 0)
        if summed.any():
            launch_elements(
                batch.device, kernel("vision/color", "sum_gray", **macros), table, summed
            )
        launch_elements(batch.device, kernel("vision/color", "change", **macros), table, pixels)
        return out
