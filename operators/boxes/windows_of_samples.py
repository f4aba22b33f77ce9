"""The windows that random numbers choose for samples with boxes, and the boxes in the windows."""

from __future__ import annotations

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.operator import Array, Operator
from ...engine.order import philox
from ...formats.ragged import bounds_of
from .box_layout import BoxLayout
from .crop_search import (
    TUNING,
    CropRules,
    DrawnWindows,
    Propose,
    attempts_of_chunk,
    numbers_of_search,
    search,
)

_KEY_BITS = 53  # of a random number
RANDOM_COUNT = 1 + numbers_of_search(2, TUNING.first_attempts)
"""Random numbers of a sample. The first is a counter, from which few samples need more numbers."""


def draw_windows(
    operator: Operator,
    rules: CropRules,
    corners: Array,
    counts: Array,
    propose: Propose,
    numbers: Array,
) -> DrawnWindows:
    """Return the windows that random numbers choose.

    Args:
        operator: the operator, whose stream of random numbers is used.
        rules: the windows that are accepted.
        corners: of the boxes of all samples: (2 * dimensions, boxes).
        counts: number of boxes of each sample: (samples,).
        propose: makes windows of random numbers.
        numbers: the first random numbers of each sample: (samples, RANDOM_COUNT).
    """
    counters = (numbers[:, 0] * 2**_KEY_BITS).astype(np.int64)
    dimensions, stream = len(corners) // 2, operator.placement.random_stream

    def draw(chunk: int, samples: Array) -> Array:
        if chunk == 0:
            first: Array = numbers[:, 1:]
            return first
        count = numbers_of_search(dimensions, attempts_of_chunk(chunk))
        return philox.uniform(0, stream, np.full(len(samples), chunk), counters[samples], count)

    return search(rules, corners, counts, propose, draw)


def no_window(operator: Operator, rules: CropRules, boxes: int) -> ArgumentError:
    """Return the error of an unlimited search that failed for a number of boxes."""
    return ArgumentError(
        f"{operator.called}: {TUNING.most_attempts} windows, and none meets a threshold of "
        f"{rules.thresholds} for {boxes} boxes and keeps one of the boxes; lower the thresholds, "
        "allow no crop, or limit the attempts"
    )


def boxes_in_windows(
    corners: Array, counts: Array, drawn: DrawnWindows, layout: BoxLayout
) -> tuple[Array, Array]:
    """Return the boxes that windows keep, clipped to the windows and relative to them.

    Returns:
        the boxes of all samples, and the bounds of each sample's boxes among them.
    """
    owners = np.repeat(np.arange(len(counts)), counts)[drawn.kept]
    moved, windows = corners[:, drawn.kept], drawn.corners.take(owners, axis=1)
    both = moved.reshape(2, layout.dimensions, len(owners))
    lower, upper = windows.reshape(both.shape)
    both -= lower
    both /= upper - lower
    np.maximum(both, 0, out=both)
    np.minimum(both, 1, out=both)
    boxes = np.empty(moved.shape[::-1], np.float32)
    layout.write(moved, boxes)
    return boxes, bounds_of(np.bincount(owners, minlength=len(counts)))
