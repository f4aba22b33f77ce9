"""Boxes of annotations that have none: those of their masks, as pycocotools computes them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Int64s
from ..rasterize import Toggles, polygon_toggles, run_toggles
from .columns import ElementError
from .segmentations import Segmentations, SegmentationsBuilder


def boxes_of_masks(texts: list[bytes], heights: Int64s, widths: Int64s) -> NDArray[np.float64]:
    """Return the smallest boxes that hold masks: left, top, width and height in pixels.

    A box is that of the pixels of the mask: see `pycocotools.mask.toBbox`. A mask without pixels
    has a box of zeros.

    Args:
        texts: the JSON of each segmentation.
        heights, widths: extents of the images, whose borders cut polygons.

    Raises:
        ElementError: a text is no segmentation, or an image of polygons has no size.

    >>> boxes_of_masks([b"[[1, 1, 12, 1, 12, 9, 1, 9]]"], np.array([20]), np.array([30]))
    array([[ 1.,  1., 11.,  8.]])
    """
    builder = SegmentationsBuilder()
    builder.add(texts)
    segmentations = builder.finish()
    boxes = np.zeros((len(texts), 4))
    for row in range(len(texts)):
        if segmentations.are_rle[row]:
            first, end = segmentations.run_ranges[row].tolist()
            height = int(segmentations.sizes[row, 0])
            toggles = run_toggles(segmentations.runs[first:end], np.array([0, end - first]))
        else:
            height = int(heights[row])
            if height < 1 or widths[row] < 1:
                raise ElementError(
                    row,
                    "there is no 'bbox', and its image has no 'height' and 'width', which the box "
                    "of a 'segmentation' takes",
                )
            toggles = _polygons(segmentations, row, height, int(widths[row]))
        boxes[row] = _box(toggles, height)
    return boxes


def _polygons(segmentations: Segmentations, row: int, height: int, width: int) -> Toggles:
    first, end = segmentations.polygons[row].tolist()
    bounds = segmentations.vertices[first : end + 1] // 2
    points = segmentations.coordinates.reshape(-1, 2)[bounds[0] : bounds[-1]]
    return polygon_toggles(points, bounds - bounds[0], height, width)


def _box(toggles: Toggles, height: int) -> list[int]:
    """Return the box of all regions: pixels from each odd toggle on to the even one behind it."""
    starts, ends = [], []
    for first, end in zip(toggles.bounds[:-1].tolist(), toggles.bounds[1:].tolist(), strict=True):
        end -= (end - first) & 1  # a toggle behind the last pixel of the image
        starts.append(toggles.positions[first:end:2])
        ends.append(toggles.positions[first + 1 : end : 2])
    start, last = np.concatenate([[], *starts]), np.concatenate([[], *ends]) - 1
    start, last = start[last >= start].astype(np.int64), last[last >= start].astype(np.int64)
    if not len(start):
        return [0, 0, 0, 0]
    left, right = int(start.min()) // height, int(last.max()) // height
    if (start // height != last // height).any():  # a stretch goes on in the next column
        return [left, 0, right - left + 1, height]
    top, bottom = int((start % height).min()), int((last % height).max())
    return [left, top, right - left + 1, bottom - top + 1]
