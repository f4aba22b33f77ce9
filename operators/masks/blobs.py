"""Blobs: connected regions of a mask, and the boxes around them.

Elements are connected if they are neighbors on one axis. OpenCV labels each plane of the last two
axes; then the labels of adjacent planes that touch are joined.
"""

from __future__ import annotations

import cv2
import numpy as np

from ...engine.graph.operator import Array

_NEIGHBORS = 4  # of a pixel


def blob_boxes(mask: Array) -> Array:
    """Return the box around each blob: (blobs, 2, ndim) int64, first index and end.

    Args:
        mask: bool, of one or more dimensions.

    >>> blob_boxes(np.array([[1, 1, 0, 1], [1, 0, 0, 0]], bool)).tolist()
    [[[0, 0], [2, 2]], [[0, 3], [1, 4]]]
    """
    if mask.ndim == 1:
        return blob_boxes(mask[np.newaxis])[..., 1:]
    leading = mask.shape[:-2]
    planes = mask.reshape(-1, *mask.shape[-2:]).view(np.uint8)
    labels, starts, boxes = _plane_boxes(planes, leading)
    if len(planes) == 1:
        return boxes
    numbers = labels + np.where(labels > 0, starts[:, None, None] - 1, 0)
    pairs = [
        _touching(labels.reshape(mask.shape), numbers.reshape(mask.shape), axis)
        for axis in range(len(leading))
    ]
    roots = _roots(len(boxes), np.concatenate(pairs))
    return _joined(boxes, roots)


def _plane_boxes(planes: Array, leading: tuple[int, ...]) -> tuple[Array, Array, Array]:
    """Return the labels of each plane, the first blob of each plane, and the blobs' boxes."""
    labels = np.empty(planes.shape, np.int32)
    counts, stats = np.zeros(len(planes), np.int64), []
    for i, plane in enumerate(planes):
        count, _, table, _ = cv2.connectedComponentsWithStats(
            np.ascontiguousarray(plane), labels[i], connectivity=_NEIGHBORS
        )
        counts[i] = count - 1
        stats.append(table[1:, :4])
    left, top, width, height = np.concatenate(stats).astype(np.int64).T
    index = np.array(np.unravel_index(np.repeat(np.arange(len(planes)), counts), leading or (1,)))
    index = index if leading else index[:0]
    start = np.concatenate([index, [top, left]])
    end = np.concatenate([index + 1, [top + height, left + width]])
    return labels, np.cumsum(counts) - counts, np.stack([start.T, end.T], axis=1)


def _touching(labels: Array, numbers: Array, axis: int) -> Array:
    """Return the pairs of blobs that touch along an axis: (pairs, 2)."""
    before = (slice(None),) * axis
    one, other = (*before, slice(None, -1)), (*before, slice(1, None))
    both = (labels[one] > 0) & (labels[other] > 0)
    pairs = np.stack([numbers[one][both], numbers[other][both]], axis=1)
    changes = np.ones(len(pairs), bool)
    changes[1:] = (pairs[1:] != pairs[:-1]).any(axis=1)
    unique: Array = np.unique(pairs[changes], axis=0)
    return unique


def _roots(count: int, pairs: Array) -> Array:
    """Return the lowest number among the blobs that each blob is joined with."""
    roots = np.arange(count)
    one, other = pairs.T
    while (roots[one] != roots[other]).any():
        lowest = np.minimum(roots[one], roots[other])
        for ends in (roots[one], roots[other]):
            np.minimum.at(roots, ends, lowest)
        roots = roots[roots]
    return roots


def _joined(boxes: Array, roots: Array) -> Array:
    """Return the boxes around joined blobs, in the order of their first planes."""
    result = boxes.copy()
    np.minimum.at(result[:, 0], roots, boxes[:, 0])
    np.maximum.at(result[:, 1], roots, boxes[:, 1])
    joined: Array = result[np.unique(roots)]
    return joined
