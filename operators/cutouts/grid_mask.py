"""`fn.grid_mask`: images with a grid of black squares."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import FLOAT, INT, param
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ...geometry.layouts import VIDEO_LAYOUTS, lines_axis
from ..common.number_arguments import check_numbers, numbers_of_batch
from ..common.opencv_images import spread
from ..elementwise.pointwise import pointwise

_KEPT = """[&] {
    const i64 pixel = quotient(i, step), row = quotient(pixel, width);
    const float down = (float)(row - quotient(row, height) * height);
    const float right = (float)(pixel - row * width);
    const float across = __fadd_rn(__fadd_rn(__fmul_rn(right, cosine), -__fmul_rn(down, sine)),
                                   -shift_x);
    const float along = __fadd_rn(__fadd_rn(__fmul_rn(right, sine), __fmul_rn(down, cosine)),
                                  -shift_y);
    return across - floorf(across) >= ratio || along - floorf(along) >= ratio ? x : 0 * x;
}()"""


@register
class GridMask(SampleOperator):
    """Sets the pixels of a grid of squares to 0 (GridMask, https://arxiv.org/abs/2001.04086).

    The position of a pixel is rotated by `angle`, and `shift_x` and `shift_y` are subtracted. In
    both directions the squares take up the first `ratio` of each tile. The computation is in
    float32, with the same results on CPU and GPU.

    Inputs:
        images: any layout with H, W and axes before or after the two, such as HWC, CHW, HW and
            FHWC; numbers of any type.

    Outputs:
        the images: of the input's shape, type and layout.
    """

    name = "grid_mask"
    devices = ("cpu", "gpu")
    assumed_layouts = VIDEO_LAYOUTS
    inputs = ("images",)

    angle = param(FLOAT, 0.0, "Angle of the rotation, in radians.", per_sample=True)
    ratio = param(FLOAT, 0.5, "Width of the squares, relative to `tile`.", per_sample=True)
    shift_x = param(FLOAT, 0.0, "Shift of the grid to the right, in pixels.", per_sample=True)
    shift_y = param(FLOAT, 0.0, "Shift of the grid downwards, in pixels.", per_sample=True)
    tile = param(
        INT, 100, "Pixels from one square to the next; above 0.", per_sample=True, minimum=1
    )

    def sample(self, workspace: Workspace, image: Array, **arguments: Any) -> Array:
        first = lines_axis(self.called, self.layouts[0], image.ndim)
        check_numbers(self, arguments)
        if image.dtype == bool:
            raise ArgumentError(f"{self.called} takes numbers, not bool; use fn.cast before")
        height, width = image.shape[first : first + 2]
        kept = _kept(workspace, height, width, **{k: np.float32(v) for k, v in arguments.items()})
        out = workspace.empty(image.shape, image.dtype)
        _masked(image, kept, first, out)
        return out

    def batch_gpu(
        self, batch: BatchContext, images: TensorListGPU, **arguments: object
    ) -> TensorListGPU:
        first = lines_axis(self.called, self.layouts[0], images.ndim)
        shapes, source = images.extents(), to_numpy_type(images.dtype)
        numbers = numbers_of_batch(self, batch, images, arguments, source.kind != "b")
        exact = {k: v.astype(np.float32) for k, v in numbers.items()}
        tile = np.maximum(exact["tile"], np.float32(1))
        return pointwise(
            batch,
            " ".join(_KEPT.split()),
            images,
            cosine=np.cos(exact["angle"]) / tile,
            sine=np.sin(exact["angle"]) / tile,
            shift_x=exact["shift_x"] / tile,
            shift_y=exact["shift_y"] / tile,
            ratio=exact["ratio"],
            height=shapes[:, first],
            width=shapes[:, first + 1],
            step=shapes[:, first + 2 :].prod(axis=1),
        )


def _kept(workspace: Workspace, height: int, width: int, **numbers: np.float32) -> Array:
    """Return where pixels stay: (height, width) bool. All arithmetic is in float32."""
    tile = numbers["tile"]
    cosine, sine = np.cos(numbers["angle"]) / tile, np.sin(numbers["angle"]) / tile
    right = np.arange(width, dtype=np.float32)
    down = np.arange(height, dtype=np.float32)[:, np.newaxis]
    phase, whole = (workspace.scratch((height, width), np.float32) for _ in range(2))
    kept, also_kept = (workspace.scratch((height, width), bool) for _ in range(2))
    np.subtract(right * cosine, down * sine, out=phase)
    _outside_of_squares(phase, whole, numbers["shift_x"] / tile, numbers["ratio"], kept)
    np.add(right * sine, down * cosine, out=phase)
    _outside_of_squares(phase, whole, numbers["shift_y"] / tile, numbers["ratio"], also_kept)
    kept |= also_kept
    return kept


def _outside_of_squares(
    phase: Array, whole: Array, shift: np.float32, ratio: np.float32, out: Array
) -> None:
    """Write where the fraction of `phase - shift` is at least `ratio`; the rest is scratch."""
    phase -= shift
    np.floor(phase, out=whole)
    phase -= whole
    np.greater_equal(phase, ratio, out=out)


def _masked(image: Array, kept: Array, first: int, out: Array) -> None:
    """Write the image with 0 where pixels do not stay."""
    if not image.size:
        return
    mask = spread(kept, prod(image.shape[first + 2 :]))
    lines = (-1, *mask.shape)
    source = np.ascontiguousarray(image).reshape(lines)
    np.multiply(source, mask.astype(image.dtype, copy=False), out=out.reshape(lines))
