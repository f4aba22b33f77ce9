"""How much windows and boxes overlap: intersections, intersection over union, shares of boxes.

Corners are arrays (2 * dimensions, ...): the lower corners, then the upper corners. The remaining
axes of windows and boxes are broadcast.
"""

from __future__ import annotations

import numpy as np

from ...engine.graph.operator import Array

_TINY = np.finfo(np.float32).tiny  # instead of the volume of an empty box: its share is 0


def volumes(corners: Array) -> Array:
    """Return the area or the volume of each box; 0 for boxes that end before they start."""
    lower, upper = halves(corners)
    product: Array = np.multiply.reduce(np.maximum(upper - lower, 0), axis=0)
    return product


def intersections(windows: Array, boxes: Array) -> Array:
    """Return the volume that windows share with boxes."""
    lower, upper = halves(windows)
    box_lower, box_upper = halves(boxes)
    common = np.minimum(upper, box_upper)
    common -= np.maximum(lower, box_lower)
    np.maximum(common, np.zeros_like(common), out=common)  # a number takes several times as long
    product: Array = np.multiply.reduce(common, axis=0)
    return product


def ious(windows: Array, boxes: Array) -> Array:
    """Return intersection over union of windows, which are not empty, and boxes.

    >>> ious(np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([[0.5], [0.0], [1.5], [1.0]]))
    array([0.33333333])
    """
    common = intersections(windows, boxes)
    common /= volumes(windows) + volumes(boxes) - common
    return common


def coverage(windows: Array, boxes: Array) -> Array:
    """Return which part of boxes is in windows; 0 for empty boxes."""
    common = intersections(windows, boxes)
    common /= np.maximum(volumes(boxes), _TINY)
    return common


def centers_inside(windows: Array, boxes: Array) -> Array:
    """Return whether windows hold the centers of boxes."""
    lower, upper = halves(windows)
    box_lower, box_upper = halves(boxes)
    centers = (box_lower + box_upper) * boxes.dtype.type(0.5)
    inside: Array = np.logical_and.reduce((centers >= lower) & (centers <= upper), axis=0)
    return inside


def halves(corners: Array) -> tuple[Array, Array]:
    """Return the lower corners and the upper corners."""
    half = len(corners) // 2
    return corners[:half], corners[half:]
