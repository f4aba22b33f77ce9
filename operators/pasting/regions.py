"""Regions of images that are pasted on a canvas: where they come from, and where they go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.operator import Array

_MOST = 2.0**31  # pixels; more, and numbers that are not finite, reach out of every image


class RegionArguments(NamedTuple):
    """Arguments of `fn.multi_paste`: (samples or 1, ...); None if they are not given."""

    in_anchors: Array | None
    in_anchors_rel: Array | None
    out_anchors: Array | None
    out_anchors_rel: Array | None
    shapes: Array | None
    shapes_rel: Array | None


@dataclass(frozen=True)
class CanvasPlans:
    """The regions of canvases, of which each has as many, in the order in which they are pasted.

    Attributes:
        rows: of the canvases in the batch: (canvases,).
        shapes: of the canvases, with frames and channels: (canvases, ndim).
        sources: number of the input, and row in its batch, of each region: (canvases, regions).
        start, to, extents: first pixel in the source, first pixel on the canvas, and size of each
            region, as (y, x): (canvases, frames or 1, regions, 2) int64.
    """

    rows: Sequence[int]
    shapes: Array
    sources: tuple[Array, Array]
    start: Array
    to: Array
    extents: Array

    def __len__(self) -> int:
        return len(self.shapes)


def empty_canvas(row: int, ndim: int) -> CanvasPlans:
    """Return the plan of one canvas without pixels."""
    no_source, none = np.zeros((1, 0), np.int64), np.zeros((1, 1, 0, 2), np.int64)
    shape = np.zeros((1, ndim), np.int64)
    return CanvasPlans([row], shape, (no_source, no_source), none, none, none)


def plan_canvases(
    owner: str,
    rows: Sequence[int],
    canvases: Array,
    sources: tuple[Array, Array],
    images: Array,
    arguments: RegionArguments,
) -> CanvasPlans:
    """Return the regions of canvases.

    Args:
        owner: the operator, for messages.
        rows, sources: see `CanvasPlans`.
        canvases: height and width of each: (canvases, 2).
        images: shapes of all images, HWC or FHWC: (inputs, batch, ndim). If there are no sources,
            the image of the first input gives channels and frames.
        arguments: see there.

    Raises:
        ArgumentError: sources do not fit together, or a region reaches out of its source or the
            canvas. If there are several canvases, they may also differ in their number of frames.
    """
    shapes = images[sources]
    regions, ndim = shapes.shape[1:]
    like = shapes[:, 0] if regions else images[0, rows]
    kept = [*range(ndim - 3), ndim - 1]
    differs = (shapes[..., kept] != like[:, np.newaxis, kept]).any(axis=-1)
    if differs.any():
        i, region = np.argwhere(differs)[0]
        pair = f"{tuple(like[i].tolist())} and {tuple(shapes[i, region].tolist())}"
        raise ArgumentError(
            f"{owner}: images of the shapes {pair} cannot be pasted together; "
            "their channels and frames must be as many"
        )
    frames = like[:, 0] if ndim == 4 else np.ones(1, np.int64)
    if (frames != frames[0]).any():
        raise ArgumentError("canvases with different numbers of frames are planned apart")
    inner, outer = shapes[:, np.newaxis, :, -3:-1], canvases[:, np.newaxis, np.newaxis]

    def numbers(name: str) -> Array | None:
        return _numbers(owner, name, getattr(arguments, name), int(frames[0]), regions)

    start = _absolute(numbers("in_anchors"), numbers("in_anchors_rel"), inner, np.floor)
    to = _absolute(numbers("out_anchors"), numbers("out_anchors_rel"), outer, np.floor)
    start = np.zeros_like(inner) if start is None else start
    to = np.zeros_like(inner) if to is None else to
    extents = _absolute(numbers("shapes"), numbers("shapes_rel"), inner, np.ceil)
    extents = inner - start if extents is None else extents
    start, to, extents, _ = np.broadcast_arrays(start, to, extents, inner)
    for place, first, limit in (("its source", start, inner), ("the canvas", to, outer)):
        beyond = (first < 0) | (extents < 0) | (first + extents > limit)
        if beyond.any():
            i, frame, region, _ = np.argwhere(beyond)[0]
            sizes = np.broadcast_to(limit, first.shape)[i, frame, region]
            raise ArgumentError(
                f"{owner}: region {region} of {extents[i, frame, region].tolist()} pixels at "
                f"{first[i, frame, region].tolist()} reaches out of {place} of {sizes.tolist()} "
                "pixels (height, width)"
            )
    whole = np.concatenate([like[:, :-3], canvases, like[:, -1:]], axis=1)
    return CanvasPlans(rows, whole, sources, start, to, extents)


def _numbers(
    owner: str, name: str, values: Array | None, frames: int, regions: int
) -> Array | None:
    """Return an argument's numbers: (samples or 1, frames or 1, regions, 2)."""
    if values is None:
        return None
    count, *own = values.shape
    for shape in ([1, regions, 2], [frames, regions, 2]):
        if own in ([], shape[1:], shape) or prod(own) == prod(shape) == 0:
            numbers = values.reshape(count, *(shape if own else [1, 1, 1]))
            return np.broadcast_to(numbers, (count, *shape))
    raise ArgumentError(
        f"{owner}: {name} has the shape {tuple(own)}; give a y and an x for each of the "
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
