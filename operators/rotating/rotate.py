"""fn.rotate: rotates images by an angle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError
from ...engine.layouts import layout_of
from ...engine.operator import Array, Row, SampleOperator, register
from ...engine.params import BOOL, DTYPE, FLOAT, FLOATS, INTERP, NO_EFFECT, REQUIRED, param
from ...engine.tensors import TensorListGPU
from ...engine.types import DALIInterpType, to_numpy_type
from ...engine.windows import round_away
from .._rows import why_not
from ..numeric.convert import target_type
from ..numeric.saturation import saturate
from .rotate_batch import (
    Rotation,
    can_turn,
    canvases_fit,
    given_sizes,
    largest_canvas,
    per_frame,
    rotate_batch,
)

if TYPE_CHECKING:
    from ...engine.batch import Batch

_DEFAULT_LAYOUTS = {2: "HW", 3: "HWC", 4: "FHWC"}
_FILTERS = {
    DALIInterpType.INTERP_NN: cv2.INTER_NEAREST,
    DALIInterpType.INTERP_LINEAR: cv2.INTER_LINEAR,
}
_OPENCV_TYPES = frozenset(map(np.dtype, ("u1", "u2", "i2", "f4", "f8")))
_OPENCV_CHANNELS = 4
_OPENCV_EXTENT = 32767

Size = tuple[int, int]


@register
class Rotate(SampleOperator):
    """Rotates each image, counter-clockwise as it is seen, about its centre.

    The canvas grows to hold the whole image, if neither `size` nor `keep_size` is given: to the
    rotated extent, plus one where the image's and the canvas's extent would not both be even or
    odd; so a rotation by a multiple of 90 degrees moves pixels onto pixels.

    CPU and GPU agree within 1 in integers and 1e-4 of the range in floats, and exactly for nearest
    neighbour, except where a position lies in the middle between two pixels.

    Inputs:
        data: HW, HWC or FHWC; any type. Volumes (with a D) are not rotated.

    The result has the layout and, if `dtype` is not given, the type of the input.
    """

    name = "rotate"
    devices = ("cpu", "gpu")
    inputs = ("data",)

    angle = param(FLOATS, REQUIRED, "Degrees; for a video one, or one a frame.", per_sample=True)
    axis = param(FLOATS, None, NO_EFFECT, per_sample=True)
    fill_value = param(
        FLOAT, None, "What lies around the image; by default its border is repeated."
    )
    interp_type = param(
        INTERP, DALIInterpType.INTERP_LINEAR, "Interpolation: INTERP_NN or INTERP_LINEAR."
    )
    keep_size = param(BOOL, False, "Whether the canvas stays as large as the image.")
    size = param(
        FLOATS,
        (),
        "Height and width of the canvas in pixels, rounded to integers.",
        per_sample=True,
    )
    dtype = param(DTYPE, None, "Element type of the result, by default the input's.")
    output_dtype = param(DTYPE, None, "Older name of `dtype`.")

    def prepare(self) -> None:
        self.target = target_type(self)
        if self.interp_type not in _FILTERS:
            allowed = " or ".join(kind.name for kind in _FILTERS)
            raise ArgumentError(f"fn.rotate: interp_type is {self.interp_type.name}; use {allowed}")
        if self.layouts[0]:
            _check_layout(self.layouts[0])

    def sample(
        self,
        row: Row,
        image: Array,
        *,
        angle: Sequence[float],
        axis: Sequence[float] | None,
        size: Sequence[float],
    ) -> Array:
        layout = layout_of(self.layouts[0], image.ndim, _DEFAULT_LAYOUTS)
        _check_layout(layout)
        frames = image.shape[:1] if layout[0] == "F" else ()
        angles = _angles(angle, frames)
        first = len(frames)
        extent: Size = image.shape[first : first + 2]
        canvas = self._canvas(extent, angles, size)
        _check_extents(extent, canvas)
        dtype = self.target or image.dtype
        shape = (*frames, *canvas, *image.shape[first + 2 :])
        out = row.empty(shape, dtype)
        for place, degrees in zip(np.ndindex(frames), angles, strict=True):
            matrix = source_of_pixel(extent, canvas, degrees)
            self._warp(image[place], out[place], matrix)
        return out

    def gpu(
        self, batch: Batch, data: TensorListGPU, *, angle: Any, axis: Any, size: Any
    ) -> TensorListGPU:
        layout = layout_of(self.layouts[0], data.ndim, _DEFAULT_LAYOUTS)
        _check_layout(layout)
        shapes, source = data.extents(), to_numpy_type(data.dtype)
        first = layout.index("H")
        extents = shapes[:, first : first + 2]
        frames = shapes[:, 0] if first else np.ones_like(shapes[:, 0])
        degrees, possible = per_frame(angle, frames)
        canvas = given_sizes(size, batch.size)
        automatic = extents if self.keep_size else largest_canvas(extents, frames, degrees)
        canvas = np.where(canvas == 0, automatic, canvas)
        possible &= canvases_fit(extents, canvas, _OPENCV_EXTENT) & can_turn(frames, degrees)
        arguments = {"angle": angle, "axis": axis, "size": size}
        for i in np.flatnonzero(~possible).tolist():
            batch.errors.setdefault(i, why_not(self, batch, i, shapes[i], source, arguments))

        canvas = np.where(possible[:, None], canvas, 1)
        dtype = self.target or source
        resized = np.column_stack([shapes[:, :first], canvas, shapes[:, first + 2 :]])
        out = batch.device.empty(resized, dtype, self.output_layouts()[0])
        direct, work = _work_type(source, dtype)
        rotation = Rotation(
            work, direct, self.interp_type == DALIInterpType.INTERP_NN, self.fill_value
        )
        rotate_batch(batch, data, out, frames, possible, extents, canvas, degrees, rotation)
        return out

    def _canvas(self, extent: Size, angles: Sequence[float], size: Sequence[float]) -> Size:
        if size:
            if len(size) != 2:
                raise ArgumentError(f"size is {tuple(size)}; give (height, width)")
            return round_away(size[0]), round_away(size[1])
        if self.keep_size:
            return extent
        sizes = [canvas_size(extent, angle) for angle in angles]
        return max(height for height, _ in sizes), max(width for _, width in sizes)

    def _warp(self, image: Array, out: Array, matrix: NDArray[np.float64]) -> None:
        channels = range(0, image.shape[2], _OPENCV_CHANNELS) if image.ndim == 3 else ()
        for first in channels:  # OpenCV fills the border of so many channels at a time
            some = slice(first, first + _OPENCV_CHANNELS)
            self._warp_channels(image[..., some], out[..., some], matrix)
        if image.ndim == 2:
            self._warp_channels(image, out, matrix)

    def _warp_channels(self, image: Array, out: Array, matrix: NDArray[np.float64]) -> None:
        source = image
        direct, work = _work_type(image.dtype, out.dtype)
        if not direct:
            source = image.astype(work)
        border = cv2.BORDER_REPLICATE if self.fill_value is None else cv2.BORDER_CONSTANT
        height, width = out.shape[:2]
        options: dict[str, Any] = {
            "flags": _FILTERS[self.interp_type] | cv2.WARP_INVERSE_MAP,
            "borderMode": border,
            "borderValue": (self.fill_value or 0.0,) * _OPENCV_CHANNELS,
        }
        if source.dtype == out.dtype and out.flags.c_contiguous:
            options["dst"] = out
        result = cv2.warpAffine(source, matrix, (width, height), **options)
        if result is not out:
            saturate(result.reshape(out.shape), out)


def canvas_size(extent: Size, degrees: float) -> Size:
    """Return the height and width of the canvas that holds an image after rotation.

    The rule is NVIDIA DALI's.
    """
    height, width = extent
    cosine, sine = map(abs, _cosine_and_sine(degrees))
    slack = 0.01  # what sticks out less than that is not worth another row of pixels
    out_height = math.ceil(sine * width + cosine * height - slack)
    out_width = math.ceil(cosine * width + sine * height - slack)
    if sine > cosine:
        height, width = width, height
    return out_height + (out_height - height) % 2, out_width + (out_width - width) % 2


def source_of_pixel(extent: Size, canvas: Size, degrees: float) -> NDArray[np.float64]:
    """Return the (2, 3) matrix from pixel indices (x, y, 1) of the canvas to those of the image.

    Centres of pixels are at half coordinates; the centres of canvas and image coincide.
    """
    cosine, sine = _cosine_and_sine(degrees)
    rotation = np.array([[cosine, -sine], [sine, cosine]])
    middle = np.array([canvas[1] - 1, canvas[0] - 1]) / 2
    centre = np.array([extent[1] - 1, extent[0] - 1]) / 2
    return np.column_stack([rotation, centre - rotation @ middle])


def _cosine_and_sine(degrees: float) -> tuple[float, float]:
    radians = float(np.float32(degrees) * np.float32(math.pi / 180))  # float32 as in DALI
    return math.cos(radians), math.sin(radians)


def _angles(angle: Sequence[float], frames: tuple[int, ...]) -> Sequence[float]:
    count = frames[0] if frames else 1
    if len(angle) not in (1, count):
        raise ArgumentError(
            f"angle has {len(angle)} values; give one, or for a video one for each of its frames "
            f"({count} here)"
        )
    return angle if len(angle) == count else list(angle) * count


def _work_type(source: np.dtype[Any], target: np.dtype[Any]) -> tuple[bool, np.dtype[Any]]:
    """Return whether OpenCV makes the results from the pixels as they are, and else from what."""
    if source in _OPENCV_TYPES and source == target:
        return True, source
    wide = source.kind in "iu" and source.itemsize >= 4
    return False, np.dtype(np.float64 if wide else np.float32)


def _check_layout(layout: str) -> None:
    if layout not in _DEFAULT_LAYOUTS.values():
        raise ArgumentError(
            f"fn.rotate rotates HW, HWC and FHWC, but the sample is {layout!r}; bring it into "
            "such an order with fn.transpose, or take a volume for a video with fn.reshape"
        )


def _check_extents(extent: Size, canvas: Size) -> None:
    if not (min(*extent, *canvas) > 0 and max(*extent, *canvas) <= _OPENCV_EXTENT):
        raise ArgumentError(
            f"cannot rotate an image of {extent} pixels onto a canvas of {canvas}: every extent "
            f"must lie in [1, {_OPENCV_EXTENT}]"
        )
