"""`fn.experimental.warp_perspective`: images under perspective maps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Float64s
from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import BOOL, FLOATS, INTERP, STR, param
from ...engine.graph.rules import Input, SequenceRules
from ...engine.tensors import TensorList, TensorListGPU
from ...engine.tensors.dtypes import DALIInterpType, to_numpy_type
from ...geometry.layouts import IMAGE_LAYOUTS, image_layout
from ...geometry.rounding import round_away
from ..common.batch_arguments import check_later, enter_errors
from ..common.number_arguments import check_numbers
from ..common.opencv_images import BORDERS
from .cpu_perspective import FILTERS, PerspectiveSampling, move_pixels
from .frame_maps import (
    canvases_fit,
    check_extents,
    check_one_matrix,
    given_matrix,
    given_sizes,
    per_frame,
    refuse_matrix,
)
from .gpu_perspective import maps_on_device, warp_perspectives

_TYPES = frozenset(map(np.dtype, ("u1", "u2", "i2", "f4")))


@register
class WarpPerspective(SampleOperator):
    """Moves pixels by a perspective map: result(x, y) = image(u / w, v / w).

    (u, v, w) is the matrix, 3 x 3, times (x, y, 1). OpenCV moves the pixels on the CPU. For int16,
    two channels, and cubic interpolation, OpenCV rounds positions to 1/32 of a pixel; the GPU
    computes them in float64.

    Inputs:
        data: HW, HWC or CHW, or with F before them; uint8, uint16, int16 or float32.
        matrix_input: the matrix of each sample, (3, 3), instead of the argument `matrix`.

    Outputs:
        the moved samples: of the layout and the type of the input.

    Raises:
        ArgumentError: there is no matrix or there are two, it has no 9 numbers, a number is not
            finite, or it has to be inverted and is singular.
    """

    name = "experimental.warp_perspective"
    devices = ("cpu", "gpu")
    assumed_layouts = IMAGE_LAYOUTS
    sequences = SequenceRules(frame_by_frame=True)
    inputs = ("data", Input("matrix_input", optional=True, device="any"))

    matrix = param(FLOATS, None, "The matrix, row by row: 9 numbers.", per_sample=True)
    size = param(
        FLOATS, (), "Height and width of the canvas, rounded to integers.", per_sample=True
    )
    inverse_map = param(
        BOOL,
        True,
        "Whether the matrix maps the result to the image. False: it maps the image to the result, "
        "so its inverse is used.",
    )
    pixel_origin = param(
        STR,
        "corner",
        '"corner" or "center": the point of the first pixel that has coordinates 0.',
        choices=("corner", "center"),
    )
    interp_type = param(
        INTERP,
        DALIInterpType.INTERP_LINEAR,
        "Interpolation: INTERP_NN, INTERP_LINEAR or INTERP_CUBIC.",
        choices=FILTERS,
    )
    border_mode = param(
        STR,
        "constant",
        "What lies around the image: constant, replicate, reflect, reflect_101 or wrap.",
        choices=BORDERS,
    )
    fill_value = param(
        FLOATS, (), "The constant around the image: one number, or one a channel; 0 by default."
    )

    def prepare(self) -> None:
        self._sampling = PerspectiveSampling(self.interp_type, self.border_mode)
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
        layout = image_layout(self.called, self.layouts[0], image.ndim, "CHW")
        extent = tuple(image.shape[layout.index(letter)] for letter in "HW")
        check_numbers(self, {"size": size})
        canvas = _canvas(size, extent)
        fills = self._fills(layout, image.shape)
        if image.dtype not in _TYPES:
            raise ArgumentError(
                f"{self.called} takes uint8, uint16, int16 and float32, not {image.dtype}; use "
                "fn.cast"
            )
        # After the other checks, because the matrix may be on the device.
        given = given_matrix(matrix, matrix_input)
        if given.size != 9:
            raise ArgumentError(f"the matrix has {given.size} values; give 9")
        maps, good = self._maps(given[np.newaxis])
        if not good[0]:
            refuse_matrix(given)
        shape = tuple(
            canvas["HW".index(letter)] if letter in "HW" else length
            for letter, length in zip(layout, image.shape, strict=True)
        )
        out = workspace.empty(shape, image.dtype)
        planes = [
            np.moveaxis(array, 0, -1) if layout[0] == "C" else array for array in (image, out)
        ]
        move_pixels(planes[0], planes[1], maps[0].reshape(3, 3), self._sampling, fills)
        return out

    def _maps(self, matrices: Float64s) -> tuple[Float64s, NDArray[np.bool_]]:
        """Return the maps of indices of pixels to those of the image, and which are right.

        Args:
            matrices: (count, 9), row by row.
        """
        stack = matrices.reshape(-1, 3, 3)
        with np.errstate(all="ignore"):
            good = np.isfinite(stack).all(axis=(1, 2))
            if not self.inverse_map:
                good &= np.linalg.det(stack) != 0
                stack = np.linalg.inv(np.where(good[:, np.newaxis, np.newaxis], stack, np.eye(3)))
            if self.pixel_origin == "corner":
                move = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
                stack = np.linalg.inv(move) @ stack @ move
            result = stack.reshape(-1, 9)
        return result, np.asarray(good & np.isfinite(result).all(axis=1))

    def _is_good(self, matrix: Array) -> bool:
        """Return whether a matrix of 9 numbers has a map."""
        return bool(self._maps(matrix.reshape(1, 9).astype(np.float64))[1][0])

    def _fills(self, layout: str, shape: Sequence[int]) -> Sequence[float]:
        """Return the value around the image for each channel."""
        channels = int(shape[layout.index("C")]) if "C" in layout else 1
        fills = self.fill_value or (0.0,)
        if len(fills) not in (1, channels):
            raise ArgumentError(
                f"fill_value has {len(fills)} values for {channels} channels; give one for each, "
                "or one for all"
            )
        return fills if len(fills) == channels else fills * channels

    def batch_gpu(
        self,
        batch: BatchContext,
        data: TensorListGPU,
        *others: TensorList,
        matrix: object,
        size: object,
    ) -> TensorListGPU:
        layout = image_layout(self.called, self.layouts[0], data.ndim, "CHW")
        shapes = data.extents()
        source, spatial = to_numpy_type(data.dtype), [layout.index(letter) for letter in "HW"]
        arguments = {"matrix": matrix, "size": size}
        given = others[0] if others else matrix
        maps, possible = self._uploaded_maps(batch, data, given, arguments)
        canvas = given_sizes(size, batch.size)
        canvas = np.where(canvas == 0, shapes[:, spatial], canvas)
        possible &= canvases_fit(shapes[:, spatial], canvas) & (source in _TYPES)
        fills = self.fill_value or (0.0,)
        channels = shapes[:, layout.index("C")] if "C" in layout else 1
        possible &= (len(fills) == 1) | (channels == len(fills))
        enter_errors(self, batch, data, possible, arguments, *others)
        resized = shapes.copy()
        resized[:, spatial] = np.where(possible[:, np.newaxis], canvas, 1)
        out = batch.device.empty(resized, source, self.output_layouts()[0])
        warp_perspectives(batch, data, out, layout, maps, possible, self._sampling, fills)
        return out

    def _uploaded_maps(
        self, batch: BatchContext, data: TensorListGPU, given: object, arguments: dict[str, object]
    ) -> tuple[object, NDArray[np.bool_]]:
        """Return the map of each sample in device memory, and which samples have one."""
        if isinstance(given, TensorListGPU):
            possible = given.extents().prod(axis=1) == 9
            shift = 0.5 * (self.pixel_origin == "corner")
            check_later(self, batch, data, given, arguments, self._is_good)
            maps = maps_on_device(batch, given, possible, shift, invert=not self.inverse_map)
            return maps, np.asarray(possible)
        numbers, possible = per_frame(given, np.ones(batch.size, np.int64), 9)
        host, good = self._maps(numbers)
        return batch.device.upload(np.where(good[:, np.newaxis], host, 0.0)), possible & good


def _canvas(size: Sequence[float], extent: tuple[int, ...]) -> tuple[int, ...]:
    if len(size) == 1:
        size = (size[0], size[0])
    if size and len(size) != 2:
        raise ArgumentError(f"size is {tuple(size)}; give (height, width), or one number for both")
    canvas = tuple(map(round_away, size)) if size else extent
    check_extents(extent, canvas)
    return canvas
