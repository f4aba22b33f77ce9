"""`fn.rotate`: images turned by an angle, and volumes turned about an axis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...engine.arrays import Int64s
from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, register
from ...engine.graph.params import BOOL, FLOATS, REQUIRED, param
from ..transforms.matrices import space_rotations
from .frame_maps import FrameMaps, every_frame, per_frame, samples_of
from .rotation import (
    Size,
    canvas_size,
    canvases,
    image_reaches,
    source_of_pixel,
    sources_of_pixels,
    sources_of_voxels,
    volume_reaches,
)
from .warp_operator import WarpAxes, WarpOperator


@register
class Rotate(WarpOperator):
    """Rotates each image about its center, or each volume about an axis through its center.

    Images turn counter-clockwise, as they are seen. Volumes turn from x to y if the axis is z, from
    y to z if the axis is x, and from z to x if the axis is y.

    If neither `size` nor `keep_size` is given, the canvas grows to the rotated extent, which holds
    the whole image. One pixel is added where otherwise an extent were even and the extent of the
    image that lies nearest to it odd, or the reverse. So a rotation by a multiple of 90 degrees
    moves pixels onto pixels. The canvas of a video holds all frames; for the odd pixel most of the
    frames count.

    Integers of 16 bits and more and float64 are right to the last digit: positions are computed in
    float64, as they are for volumes. For other images positions are float32. CPU and GPU agree
    within 1 in integers and 1e-4 of the range in floats. Nearest neighbors agree exactly, except
    where a position lies in the middle between two pixels.

    Inputs:
        data: HW, HWC, DHW or DHWC, or with F before them; any type.

    Outputs:
        the rotated samples: of the layout and, if `dtype` is not given, the type of the input.
    """

    name = "rotate"
    inputs = ("data",)
    turned = True

    angle = param(FLOATS, REQUIRED, "Degrees; for a video one, or one a frame.", per_sample=True)
    axis = param(
        FLOATS,
        None,
        "Of volumes: the direction x, y, z of the axis, of any length but 0; for a series of "
        "volumes one, or one a frame. Images ignore it.",
        per_sample=True,
    )
    keep_size = param(BOOL, False, "Whether the canvas stays as large as the image.")

    def sample(
        self,
        workspace: Workspace,
        image: Array,
        *,
        angle: Sequence[float],
        axis: Sequence[float] | None,
        size: Sequence[float],
    ) -> Array:
        axes = self.axes_of(image.ndim)
        count = image.shape[0] if axes.first else 1
        angles = _of_frames("angle", angle, 1, count)
        canvas = self.given_canvas(axes, size)
        extent = axes.extent(image.shape)
        if axes.ndim == 2:
            canvas = canvas or self._canvas(extent, angles)
            matrices = [source_of_pixel(extent, (canvas[0], canvas[1]), angle) for angle in angles]
            return self.write(workspace, image, axes, canvas, matrices)
        if axis is None:
            raise ArgumentError(f"{self.called} needs the argument axis to rotate a volume")
        directions = _of_frames("axis", axis, 3, count)
        turns = space_rotations(np.array(angles), np.array(directions).reshape(-1, 3))
        extents = np.broadcast_to(extent, (count, 3))
        if canvas is None:
            canvas = tuple(extent)
            if not self.keep_size:
                reaches = volume_reaches(extents, turns)
                canvas = tuple(canvases(reaches, np.zeros(count, np.int64), 1)[0].tolist())
        sources = sources_of_voxels(extents, np.broadcast_to(canvas, (count, 3)), turns)
        return self.write(workspace, image, axes, canvas, sources.reshape(-1, 3, 4))

    def _canvas(self, extent: Size, angles: Sequence[float]) -> Size:
        if self.keep_size or not angles:
            return extent
        return canvas_size(extent, *angles)

    def maps(
        self,
        batch: BatchContext,
        axes: WarpAxes,
        frames: Int64s,
        extents: Int64s,
        canvas: Int64s,
        *,
        angle: object,
        axis: object,
    ) -> FrameMaps:
        degrees, possible = per_frame(angle, frames)
        samples = samples_of(frames)
        of_frames = extents[samples]
        degrees, good = degrees[:, 0], np.ones(len(degrees), np.bool_)
        if axes.ndim == 2:
            reaches = image_reaches(of_frames, degrees)
        else:
            directions, known = per_frame(() if axis is None else axis, frames, 3)
            possible = possible & known
            good &= directions.any(axis=1)
            turns = space_rotations(degrees, np.where(good[:, None], directions, (0.0, 0.0, 1.0)))
            reaches = volume_reaches(of_frames, turns)
        automatic = extents
        if not self.keep_size:
            automatic = canvases(reaches, samples, len(extents))
            automatic = np.where(automatic == 0, extents, automatic)  # of videos without frames
        canvas = np.where(canvas == 0, automatic, canvas)
        if axes.ndim == 2:
            matrices = sources_of_pixels(of_frames, canvas[samples], degrees)
        else:
            matrices = sources_of_voxels(of_frames, canvas[samples], turns)
        return FrameMaps(frames, possible & every_frame(~good, frames), extents, canvas, matrices)


def _of_frames(name: str, values: Sequence[float], width: int, count: int) -> Sequence[float]:
    """Return the numbers of an argument for each of `count` frames, `width` a frame."""
    if len(values) not in (width, width * count):
        raise ArgumentError(
            f"{name} has {len(values)} values; give {'one' if width == 1 else width}, or for a "
            f"video as many for each of its frames ({width * count} here)"
        )
    return values if len(values) == width * count else list(values) * count
