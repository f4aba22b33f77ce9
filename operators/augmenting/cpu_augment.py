"""Steps of augmentations on the CPU, one sample at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError
from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array
from ..color.cpu_colors import map_colors
from ..color.matrices import twist
from ..elementwise.byte_table import look_up
from ..warp.cpu_warp import Sampling, warp
from ..warp.frame_maps import check_extents
from .byte_tables import as_bytes, given_tables, pillow_luma, table_of_levels
from .effects import BY_NUMBER, NAMES, Floats, Work
from .maps import pixel_maps

_SMOOTH = np.array([[1, 1, 1], [1, 5, 1], [1, 1, 1]], np.float32)
_SMOOTH_SUM = 13


class Style(NamedTuple):
    """What all steps of a node have in common.

    Attributes:
        sampling: how moved pixels are made.
        pillow: whether colors are computed as by Pillow.
    """

    sampling: Sampling
    pillow: bool


def color_maps(factors: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the maps of RGB colors that scale their distance from gray: (..., 3, 4)."""
    ones = np.ones(np.shape(factors))
    return twist(0 * ones, np.asarray(factors, np.float64), ones, 0 * ones)


def apply_steps(
    workspace: Workspace,
    frames: Array,
    steps: Floats,
    reference: Sequence[float],
    style: Style,
    out: Array,
) -> None:
    """Write what the steps make of the frames of a sample, one after the other.

    Args:
        frames: (frames, height, width, channels) uint8, contiguous, not empty.
        steps: at least one, none of them the identity: (steps, 1 + WIDTH).
        reference: height and width that relative translations refer to.
        style: see there.
        out: the result: contiguous, of the shape of `frames`.
    """
    spare = workspace.scratch(frames.shape, np.uint8) if len(steps) > 1 else out
    for left, step in zip(range(len(steps) - 1, -1, -1), steps, strict=True):
        target = spare if left % 2 else out
        _apply(workspace, frames, step, reference, style, target)
        frames = target


def _apply(
    workspace: Workspace,
    frames: Array,
    step: Floats,
    reference: Sequence[float],
    style: Style,
    out: Array,
) -> None:
    effect, values = BY_NUMBER[int(step[0])], step[1:]
    channels = frames.shape[3]
    if effect.colors and channels not in (1, 3):
        raise ArgumentError(
            f"the augmentation {NAMES[effect.number]} needs images with 1 or 3 channels, but the "
            f"sample has {channels}"
        )
    if effect.of_levels:
        for frame, result in zip(frames, out, strict=True):
            table = table_of_levels(effect.number, values[0], frame, pillow=style.pillow)
            _look_up(frame, table, result)
    elif effect.work is Work.LOOK_UP:
        (table,) = given_tables(np.array([effect.number]), values[:1], pillow=style.pillow)
        look_up(frames, table, out)
    elif effect.work is Work.WARP:
        _warp(frames, step, reference, style.sampling, out)
    elif effect.work is Work.FILTER:
        _each(frames, out, _filter, values)
    elif effect.work is Work.SMOOTH:
        _each(frames, out, _pillow_sharpen, values)
    elif channels == 1:
        np.copyto(out, frames)  # gray images have no color
    elif style.pillow:
        _each(frames, out, _pillow_color, values)
    else:
        map_colors(workspace, frames, color_maps(values[0]), out)


def _each(
    frames: Array, out: Array, function: Callable[[Array, Floats, Array], None], values: Floats
) -> None:
    for frame, result in zip(frames, out, strict=True):
        function(frame, values, result)


def _look_up(frame: Array, table: NDArray[np.uint8], out: Array) -> None:
    if table.ndim == 1:
        look_up(frame, table, out)
    elif len(table) == 1:
        look_up(frame, table[0], out)
    else:
        by_level = np.ascontiguousarray(table.T)[np.newaxis]
        cv2.LUT(frame, by_level, dst=out)


def _warp(
    frames: Array, step: Floats, reference: Sequence[float], sampling: Sampling, out: Array
) -> None:
    extent = frames.shape[1:3]
    check_extents(extent, extent)
    extents, wanted = np.array([extent]), np.array([reference], np.float64)
    number = np.array([int(step[0])])
    maps, good = pixel_maps(number, step[np.newaxis, 1:], extents, wanted, nearest=sampling.nearest)
    if not good[0]:
        raise ArgumentError(
            f"the augmentation {NAMES[number[0]]} with the parameter {step[1:3].tolist()} has no "
            "inverse; give other factors"
        )
    matrix = maps.reshape(2, 3)
    for frame, result in zip(frames, out, strict=True):
        warp(frame, result, matrix, sampling)


def _filter(frame: Array, values: Floats, out: Array) -> None:
    window = values.reshape(3, 3)
    made = cv2.filter2D(frame, -1, window, dst=out, borderType=cv2.BORDER_REFLECT_101)
    if made is not out:
        np.copyto(out, made.reshape(out.shape))


def _pillow_sharpen(frame: Array, values: Floats, out: Array) -> None:
    """Blend with Pillow's SMOOTH, which leaves the border as it is."""
    smooth = frame.copy()
    if min(frame.shape[:2]) >= len(_SMOOTH):
        sums = cv2.filter2D(frame, cv2.CV_16S, _SMOOTH).reshape(frame.shape)[1:-1, 1:-1]
        smooth[1:-1, 1:-1] = (2 * sums.astype(np.int32) + _SMOOTH_SUM) // (2 * _SMOOTH_SUM)
    _blend(smooth, frame, values[0], out)


def _pillow_color(frame: Array, values: Floats, out: Array) -> None:
    _blend(pillow_luma(frame)[..., np.newaxis], frame, values[0], out)


def _blend(first: Array, second: Array, factor: np.float32, out: Array) -> None:
    """Write Pillow's `Image.blend` of two images."""
    start = first.astype(np.float32)
    np.copyto(out, as_bytes(start + factor * (second.astype(np.float32) - start), pillow=True))
