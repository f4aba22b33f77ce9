"""`fn.warp_affine`: images and volumes under affine maps that the user gives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...engine.arrays import Int64s
from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, register
from ...engine.graph.params import BOOL, FLOATS, param
from ...engine.graph.rules import GpuRules, Input
from ...engine.tensors import TensorList, TensorListGPU
from ..common.batch_arguments import check_later
from .frame_maps import (
    FrameMaps,
    check_extents,
    check_one_matrix,
    every_frame,
    given_matrix,
    per_frame,
    refuse_matrix,
    samples_of,
)
from .index_maps import index_maps, index_maps_on_device
from .warp_operator import WarpAxes, WarpOperator


@register
class WarpAffine(WarpOperator):
    """Moves pixels by an affine map: result(x, y) = image(M (x, y) + T).

    The matrix is [M T], with coordinates in the order x, y, or x, y, z for volumes. The corner of
    the first pixel has the coordinates 0, and its center 0.5. `fn.transforms` makes such matrices.

    Types, and the agreement of CPU and GPU, are those of `fn.rotate`.

    Inputs:
        data: HW, HWC, DHW or DHWC, or with F before them; any type.
        matrix_input: the matrix of each sample, (2, 3) or for volumes (3, 4), or one for each
            frame, instead of the argument `matrix`.

    Outputs:
        the moved samples: of the layout and, if `dtype` is not given, the type of the input.

    Raises:
        ArgumentError: there is no matrix or there are two, it has another number of elements, a
            number is not finite, or it has to be inverted and is singular.
    """

    name = "warp_affine"
    on_gpu = GpuRules(rehearses=True)  # with its own `batch_gpu`, too
    inputs = ("data", Input("matrix_input", optional=True, device="any"))

    matrix = param(
        FLOATS,
        None,
        "[M T], row by row: 6 numbers, or 12 for volumes; for a video one matrix, or one a frame.",
        per_sample=True,
    )
    inverse_map = param(
        BOOL,
        True,
        "Whether the matrix maps the result to the image. False: it maps the image to the result, "
        "so its inverse is used.",
    )

    def prepare(self) -> None:
        super().prepare()
        check_one_matrix(self)

    def sample(
        self,
        workspace: Workspace,
        image: Array,
        matrix_input: Array | None = None,
        *,
        matrix: Sequence[float] | None,
        size: Sequence[float],
    ) -> Array:
        axes = self.axes_of(image.ndim)
        extent = axes.extent(image.shape)
        canvas = self.given_canvas(axes, size) or extent
        check_extents(extent, canvas)  # before the matrix, which may be on the device
        given = given_matrix(matrix, matrix_input)
        count, width = image.shape[0] if axes.first else 1, axes.ndim * (axes.ndim + 1)
        if given.size not in (width, width * count):
            raise ArgumentError(
                f"the matrix has {given.size} values; give {width}, or for a video as many for "
                f"each of its frames ({width * count} here)"
            )
        maps, good = index_maps(given.reshape(-1, width), self.inverse_map, self.sampling.nearest)
        if not good.all():
            refuse_matrix(given.reshape(-1, width)[~good][0])
        matrices = maps if len(maps) == count else maps.repeat(count, axis=0)
        matrices = matrices.reshape(count, axes.ndim, axes.ndim + 1)
        return self.write(workspace, image, axes, canvas, matrices)

    def maps(
        self,
        batch: BatchContext,
        axes: WarpAxes,
        frames: Int64s,
        extents: Int64s,
        canvas: Int64s,
        matrix_input: TensorList | None = None,
        *,
        matrix: object,
    ) -> FrameMaps:
        width = axes.ndim * (axes.ndim + 1)
        given = matrix if matrix_input is None else matrix_input
        canvas = np.where(canvas == 0, extents, canvas)
        if isinstance(given, TensorListGPU):
            counts = given.extents().prod(axis=1)
            possible = (counts == width) | (counts == width * frames)
            options = axes.ndim, self.inverse_map, self.sampling.nearest
            uploaded = index_maps_on_device(batch, given, np.where(possible, frames, 0), *options)
            unknown = np.zeros((int(frames.sum()), width))
            return FrameMaps(frames, possible, extents, canvas, unknown, uploaded)
        numbers, possible = per_frame(given, frames, width)
        matrices, good = index_maps(numbers, self.inverse_map, self.sampling.nearest)
        good |= ~possible[samples_of(frames)]
        return FrameMaps(frames, possible & every_frame(~good, frames), extents, canvas, matrices)

    def batch_gpu(
        self,
        batch: BatchContext,
        data: TensorListGPU,
        *others: TensorList,
        **arguments: object,
    ) -> TensorListGPU:
        result = super().batch_gpu(batch, data, *others, **arguments)
        if others and isinstance(others[0], TensorListGPU):
            width = {2: 6, 3: 12}[self.axes_of(data.ndim).ndim]

            def is_good(matrices: Array) -> bool:
                numbers = matrices.reshape(-1, width).astype(np.float64)
                good = index_maps(numbers, self.inverse_map, self.sampling.nearest)[1]
                return bool(good.all())

            check_later(self, batch, data, others[0], arguments, is_good)
        return result
