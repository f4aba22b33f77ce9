"""Canvases of rotated images and volumes, and the maps from their pixels to those of the input.

The rules for images stand here twice: for one image, which is fast for the CPU, and for a batch.
"""

from __future__ import annotations

import math

import numpy as np

from ...engine.arrays import Float64s, Int64s
from ..transforms.matrices import radians_of

Size = tuple[int, int]

_SLACK = 0.01
"""If an image reaches less than this into a line of pixels, the canvas leaves the line out."""
_TIE = 1e-6
"""If two axes are nearer to each other than this, they are equally near to a third one."""


def cosine_and_sine(degrees: float) -> tuple[float, float]:
    """Return cosine and sine of an angle, which is converted to radians in float32, as in DALI."""
    radians = float(radians_of(degrees))
    return math.cos(radians), math.sin(radians)


def cosines_and_sines(degrees: Float64s) -> tuple[Float64s, Float64s]:
    """Return the same of each angle; NaN for angles that are not finite."""
    with np.errstate(all="ignore"):
        radians = radians_of(degrees)
        return np.cos(radians), np.sin(radians)


def canvas_size(extent: Size, *degrees: float) -> Size:
    """Return height and width of the canvas that holds an image after each of some rotations.

    The rule is NVIDIA DALI's: see `canvases`.
    """
    frames = [_reach(extent, angle) for angle in degrees]
    height, width = (max(frame[axis] for frame in frames) for axis in (0, 1))
    rows, columns = (2 * sum(frame[axis] % 2 for frame in frames) for axis in (2, 3))
    return (
        height + (height + (rows > len(frames))) % 2,
        width + (width + (columns > len(frames))) % 2,
    )


def _reach(extent: Size, degrees: float) -> tuple[int, int, int, int]:
    """Return height and width of a rotated image, and the nearest extents of the image itself."""
    height, width = extent
    cosine, sine = map(abs, cosine_and_sine(degrees))
    out_height = math.ceil(sine * width + cosine * height - _SLACK)
    out_width = math.ceil(cosine * width + sine * height - _SLACK)
    return out_height, out_width, *((width, height) if sine > cosine else (height, width))


def image_reaches(extents: Int64s, degrees: Float64s) -> tuple[Int64s, Int64s]:
    """Return the same for each of `extents` and `degrees`: twice (count, 2)."""
    height, width = extents.T
    cosine, sine = np.nan_to_num(np.abs(cosines_and_sines(degrees)))
    sizes = np.ceil(
        [sine * width + cosine * height - _SLACK, cosine * width + sine * height - _SLACK]
    ).astype(np.int64)
    nearest = np.where(sine > cosine, (width, height), (height, width))
    return sizes.T, nearest.T


def canvases(reaches: tuple[Int64s, Int64s], samples: Int64s, count: int) -> Int64s:
    """Return the canvas of each of `count` samples, which holds all of its frames; 0 without any.

    One pixel is added to the largest reach of an axis where it were even, and the nearest extents
    of most frames odd, or the reverse.

    Args:
        reaches: extents of each frame after its rotation, and the nearest extents of the frame.
        samples: the sample of each frame.
        count: number of samples.
    """
    sizes, nearest = reaches
    largest, odd = np.zeros((2, count, sizes.shape[1]), np.int64)
    np.maximum.at(largest, samples, sizes)
    np.add.at(odd, samples, nearest % 2)
    frames = np.bincount(samples, minlength=count)[:, np.newaxis]
    grown: Int64s = largest + (largest + (2 * odd > frames)) % 2
    return grown


def source_of_pixel(extent: Size, canvas: Size, degrees: float) -> Float64s:
    """Return the (2, 3) matrix from pixel indices (x, y, 1) of the canvas to those of the image.

    Centers of pixels are at half coordinates; the centers of canvas and image coincide.
    """
    cosine, sine = cosine_and_sine(degrees)
    middle_y, middle_x = (canvas[0] - 1) / 2, (canvas[1] - 1) / 2
    x = (extent[1] - 1) / 2 - (cosine * middle_x - sine * middle_y)
    y = (extent[0] - 1) / 2 - (sine * middle_x + cosine * middle_y)
    return np.array([[cosine, -sine, x], [sine, cosine, y]])


def sources_of_pixels(extents: Int64s, canvas: Int64s, degrees: Float64s) -> Float64s:
    """Return the same for each of `extents`, `canvas` and `degrees`: (count, 6)."""
    cosine, sine = cosines_and_sines(degrees)
    middle_y, middle_x = (canvas.T - 1) / 2
    center_y, center_x = (extents.T - 1) / 2
    x = center_x - (cosine * middle_x - sine * middle_y)
    y = center_y - (sine * middle_x + cosine * middle_y)
    return np.stack([cosine, -sine, x, sine, cosine, y], axis=1)


def volume_reaches(extents: Int64s, turns: Float64s) -> tuple[Int64s, Int64s]:
    """Return extents of volumes after rotation, and their own nearest ones: twice (count, 3).

    Args:
        extents: depth, height and width: (count, 3).
        turns: the rotations of points x, y, z: (count, 3, 3).
    """
    reach = np.nan_to_num(np.abs(turns))
    sizes = extents[:, ::-1]
    grown = np.ceil((reach * sizes[:, np.newaxis]).sum(axis=2) - _SLACK).astype(np.int64)
    own_first = reach + _TIE * np.eye(3)  # at 45 degrees an axis is its own nearest one
    nearest = np.take_along_axis(sizes, own_first.argmax(axis=2), axis=1)
    return grown[:, ::-1], nearest[:, ::-1]


def sources_of_voxels(extents: Int64s, canvas: Int64s, turns: Float64s) -> Float64s:
    """Return the maps from voxels (x, y, z, 1) of canvases to those of volumes: (count, 12).

    The centers of canvas and volume coincide. For the arguments see `volume_reaches`.
    """
    back = turns.transpose(0, 2, 1)
    middle, center = ((size[:, ::-1, np.newaxis] - 1) / 2 for size in (canvas, extents))
    return np.concatenate([back, center - back @ middle], axis=2).reshape(-1, 12)
