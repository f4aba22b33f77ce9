"""Regions of images that are pasted on a canvas: where they come from, and where they go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.operator import Array

_MOST = 2.0**31  # pixels; more, and numbers that are not finite, reach out of every image


class RegionArguments(NamedTuple):
    """Arguments of `fn.multi_paste` for one sample; None if they are not given."""

    in_anchors: Any
    in_anchors_rel: Any
    out_anchors: Any
    out_anchors_rel: Any
    shapes: Any
    shapes_rel: Any


class CanvasPlan(NamedTuple):
    """The regions of one canvas, in the order in which they are pasted.

    Attributes:
        shape: of the canvas, with frames and channels.
        sources: number of the input, and row in its batch, of each region.
        start, to, extents: first pixel in the source, first pixel on the canvas, and size of each
            region, as (y, x): (frames or 1, regions, 2) int64.
    """

    shape: tuple[int, ...]
    sources: Sequence[tuple[int, int]]
    start: Array
    to: Array
    extents: Array


def plan_canvas(
    owner: str,
    canvas: tuple[int, int],
    sources: Sequence[tuple[int, int]],
    shapes: Sequence[tuple[int, ...]],
    own_shape: tuple[int, ...],
    arguments: RegionArguments,
) -> CanvasPlan:
    """Return the regions of a canvas.

    Args:
        owner: the operator, for messages.
        canvas: height and width.
        sources: see `CanvasPlan`.
        shapes: of the sources: HWC or FHWC.
        own_shape: the shape that gives channels and frames if there are no sources.
        arguments: see there.

    Raises:
        ArgumentError: sources do not fit together, or a region reaches out of its source or the
            canvas.
    """
    like = shapes[0] if shapes else own_shape
    for other in shapes:
        if other[-1:] != like[-1:] or other[:-3] != like[:-3]:
            raise ArgumentError(
                f"{owner}: images of the shapes {like} and {other} cannot be pasted together; "
                "their channels and frames must be as many"
            )
    frames = like[0] if len(like) == 4 else 1
    inner = np.array([shape[-3:-1] for shape in shapes], np.int64).reshape(1, -1, 2)
    outer = np.array(canvas, np.int64)

    def numbers(name: str) -> Array | None:
        return _numbers(owner, name, getattr(arguments, name), frames, len(sources))

    start = _absolute(numbers("in_anchors"), numbers("in_anchors_rel"), inner, np.floor)
    to = _absolute(numbers("out_anchors"), numbers("out_anchors_rel"), outer, np.floor)
    start = np.zeros_like(inner) if start is None else start
    to = np.zeros_like(inner) if to is None else to
    extents = _absolute(numbers("shapes"), numbers("shapes_rel"), inner, np.ceil)
    extents = inner - start if extents is None else extents
    start, to, extents = np.broadcast_arrays(start, to, extents)
    for what, first, limit in (("its source", start, inner), ("the canvas", to, outer)):
        beyond = (first < 0) | (extents < 0) | (first + extents > limit)
        if beyond.any():
            frame, region, _ = np.argwhere(beyond)[0]
            sizes = np.broadcast_to(limit, first.shape)[frame, region]
            raise ArgumentError(
                f"{owner}: region {region} of {extents[frame, region].tolist()} pixels at "
                f"{first[frame, region].tolist()} reaches out of {what} of {sizes.tolist()} pixels "
                "(height, width)"
            )
    return CanvasPlan((*like[:-3], *canvas, *like[-1:]), sources, start, to, extents)


def _numbers(owner: str, name: str, values: Any, frames: int, regions: int) -> Array | None:
    """Return an argument's numbers: (frames or 1, regions, 2)."""
    if values is None:
        return None
    array = np.asarray(values)
    for shape in ((1, regions, 2), (frames, regions, 2)):
        if array.shape in ((), shape[1:], shape) or array.size == np.prod(shape) == 0:
            return np.broadcast_to(array.reshape(shape) if array.ndim else array, shape)
    raise ArgumentError(
        f"{owner}: {name} has the shape {array.shape}; give a y and an x for each of the "
        f"{regions} regions, ({regions}, 2), or for a video ({frames}, {regions}, 2)"
    )


def _absolute(
    pixels: Array | None, relative: Array | None, sizes: Array, rounding: np.ufunc
) -> Array | None:
    """Return numbers of pixels, from pixels or from parts of `sizes`."""
    if pixels is not None:
        return pixels.astype(np.int64)
    if relative is None:
        return None
    scaled = relative.astype(np.float32) * sizes.astype(np.float32)
    rounded: Array = rounding(np.where(np.abs(scaled) < _MOST, scaled, -1)).astype(np.int64)
    return rounded
