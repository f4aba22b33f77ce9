"""Polygons and run lengths as masks, pixel for pixel as pycocotools makes them.

A *toggle* is a pixel at which a mask changes between 0 and 1, if its pixels are numbered column by
column. The C code of COCO walks along a polygon's border in steps of a fifth of a pixel, and
toggles where the walk passes the center of a column. Only these crossings are computed here.

Source: rleFrPoly of https://github.com/cocodataset/cocoapi/blob/master/common/maskApi.c
"""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from ..engine.arrays import Array, Int64s
from .ragged import bounds_of

_SCALE = 5  # steps of the walk in a pixel
_BEFORE = 2  # the step before a column's center
_FARTHEST = 1 << 28  # steps; farther coordinates are moved to this one


class Toggles(NamedTuple):
    """The toggles of several regions.

    Attributes:
        positions: int64; those of a region are in ascending order. x * height + y.
        bounds: int64, (regions + 1,): those of region i are `bounds[i]` to `bounds[i + 1]`.
    """

    positions: Int64s
    bounds: Int64s


def polygon_toggles(
    points: NDArray[np.float64], bounds: Int64s, height: int | Int64s, width: int | Int64s
) -> Toggles:
    """Return the toggles of polygons, each of which is a region.

    Args:
        points: x and y of the vertices of all polygons, pixels: (vertices, 2).
        bounds: bounds of the points of each polygon: (polygons + 1,).
        height, width: extents of the masks: one number each, or one a polygon.

    >>> square = np.array([[1.0, 1.0], [3.0, 1.0], [3.0, 3.0], [1.0, 3.0]])
    >>> polygon_toggles(square, np.array([0, 4]), 4, 4).positions
    array([ 5,  7,  9, 11])
    """
    steps = np.clip(points * float(_SCALE) + 0.5, -_FARTHEST, _FARTHEST).astype(np.int64)
    counts = np.diff(bounds)
    polygon = np.repeat(np.arange(len(counts)), counts)
    heights, widths = (np.broadcast_to(extent, len(counts)) for extent in (height, width))
    following = np.arange(1, len(steps) + 1)
    following[bounds[1:][counts > 0] - 1] = bounds[:-1][counts > 0]
    ends = steps[following]
    x_length, y_length = np.abs(ends - steps).T
    steep = x_length < y_length
    flip = np.where(steep, steps[:, 1] > ends[:, 1], steps[:, 0] > ends[:, 0])[:, np.newaxis]
    start, end = np.where(flip, ends, steps), np.where(flip, steps, ends)
    edge, column = _crossed(start[:, 0], end[:, 0], widths[polygon])
    of_crossing = heights[polygon[edge]]
    y = _heights(start[edge], end[edge], steep[edge], column * _SCALE + _BEFORE)
    row = np.ceil(np.clip((y + 0.5) / _SCALE - 0.5, 0, of_crossing)).astype(np.int64)
    return _sorted(column * of_crossing + row, polygon[edge], len(counts))


def _crossed(x0: Int64s, x1: Int64s, width: Int64s) -> tuple[Int64s, Int64s]:
    """Return each crossing of an edge and the center of a column: the edge and the column."""
    first = np.maximum(-(-(np.minimum(x0, x1) - _BEFORE) // _SCALE), 0)
    last = np.minimum((np.maximum(x0, x1) - _BEFORE - 1) // _SCALE, width - 1)
    counts = np.maximum(last - first + 1, 0)
    edge = np.repeat(np.arange(len(counts)), counts)
    before = np.cumsum(counts) - counts
    return edge, np.arange(len(edge)) - before[edge] + first[edge]


def _heights(start: Int64s, end: Int64s, steep: NDArray[np.bool_], x: Int64s) -> Int64s:
    """Return the lower y of the two steps x and x + 1 of each edge, which runs in steps."""
    (x0, y0), (x1, y1) = start.T, end.T
    y = np.empty(len(x), np.int64)
    flat = ~steep
    slope = (y1 - y0)[flat] / (x1 - x0)[flat]
    step = (x - x0)[flat]
    both = [(y0[flat] + slope * t + 0.5).astype(np.int64) for t in (step, step + 1)]
    y[flat] = np.minimum(*both)
    y[steep] = y0[steep] + _steep_step(x0[steep], (x1 - x0)[steep], (y1 - y0)[steep], x[steep])
    return y


def _steep_step(x0: Int64s, dx: Int64s, dy: Int64s, x: Int64s) -> Int64s:
    """Return the last step of steep edges before they pass from x to x + 1, or back."""
    slope = dx / dy
    rising = dx > 0

    def passed(step: Int64s) -> NDArray[np.bool_]:
        return np.equal(x0 + slope * step + 0.5 >= x + 1, rising)

    guess = np.ceil((x + 0.5 - x0) / slope).astype(np.int64)
    guess = np.clip(guess, 1, dy)
    guess -= passed(guess - 1)  # the guess is rounded, so it may be one off
    guess += ~passed(guess)
    return guess - 1


def _sorted(positions: Int64s, region: Int64s, regions: int) -> Toggles:
    """Sort the positions of each region; one sort of single numbers is the fastest."""
    span = int(positions.max(initial=0)) + 1
    ordered = np.sort(positions + region * span)
    counts = np.bincount(region, minlength=regions)
    ordered -= np.repeat(np.arange(regions) * span, counts)
    return Toggles(ordered, bounds_of(counts))


def run_toggles(runs: NDArray[np.uint32], bounds: Int64s) -> Toggles:
    """Return the toggles of masks that are stored as run lengths: see `formats.rle`.

    Args:
        runs: runs of all masks.
        bounds: bounds of each mask's runs: mask i has those from `bounds[i]` to `bounds[i + 1]`.
    """
    ends = np.concatenate([[0], np.cumsum(runs, dtype=np.int64)])
    starts = np.repeat(ends[bounds[:-1]], np.diff(bounds))
    return Toggles(ends[1:] - starts, bounds)


def paint(toggles: Toggles, labels: Array, out: NDArray[np.int32]) -> None:
    """Draw regions into an image: a pixel becomes the highest label of its regions, or 0.

    Args:
        toggles: toggles of the regions.
        labels: labels of the regions: (regions,).
        out: int32, (height, width).

    >>> image = np.empty((2, 2), np.int32)
    >>> paint(Toggles(np.array([1, 3]), np.array([0, 2])), np.array([7]), image)
    >>> image
    array([[0, 7],
           [7, 0]], dtype=int32)
    """
    height, width = out.shape
    counts = np.diff(toggles.bounds)
    rank = np.arange(len(toggles.positions)) - np.repeat(toggles.bounds[:-1], counts)
    order = np.argsort(toggles.positions, kind="stable")
    steps = np.where(rank & 1, -1, 1)[order]
    label = np.repeat(labels, counts)[order]
    positions = toggles.positions[order]
    few = labels.size == 0 or (labels.min() >= 0 and labels.max() < 256)
    values = np.zeros(len(positions) + 1, np.uint8 if few else np.int32)
    for value in np.unique(labels):
        covers = np.cumsum(np.where(label == value, steps, 0)) > 0
        values[1:][covers] = value
    lengths = np.diff(positions, prepend=0, append=height * width)
    columns = np.repeat(values, lengths).reshape(width, height)
    if few:  # to transpose bytes and to convert them takes a third of the time
        out[...] = cv2.transpose(columns)
    else:
        cv2.transpose(columns, dst=out)
