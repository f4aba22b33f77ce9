"""The windows that random numbers choose for samples with boxes, and the boxes in the windows."""

from __future__ import annotations

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.operator import Array, Operator
from ...engine.order import philox
from ...formats.ragged import bounds_of
from .box_layout import BoxLayout
from .crop_rules import MAX_ATTEMPTS, CropRules
from .crop_search import DrawnWindows, search
from .window_shapes import Proposals, numbers_of_attempt

_NUMBER_BITS = 53  # of a random number of a sample
_PICK_BITS = 16


def draw_windows(
    operator: Operator,
    rules: CropRules,
    corners: Array,
    counts: Array,
    proposals: Proposals,
    numbers: Array,
) -> DrawnWindows:
    """Return the windows that random numbers choose.

    Args:
        operator: the operator, whose stream of random numbers is used.
        rules: the windows that are accepted.
        corners: of the boxes of all samples: (2 * dimensions, boxes).
        counts: number of boxes of each sample: (samples,).
        proposals: makes windows of random numbers.
        numbers: a random number of each sample, from which its other numbers follow: (samples,).
    """
    blocks = numbers_of_attempt(len(corners) // 2) // 4
    positions = (numbers * 2**_NUMBER_BITS).astype(np.uint64)
    halves = np.stack([positions, positions >> 32]).astype(np.uint32)
    key = philox.mix(0, operator.placement.random_key)

    def draw(samples: Array, start: int, attempts: int) -> tuple[Array, Array]:
        """Encrypt the position of each sample with the numbers of attempt and block."""
        counters = np.empty((2, 2, blocks, len(samples), attempts), np.uint32)
        counters[:, 0] = halves[:, None, samples, None]
        counters[0, 1] = np.arange(start, start + attempts)
        counters[1, 1] = np.arange(blocks)[:, None, None]
        even, odd = counters.reshape(2, 2, -1)
        words = np.concatenate(philox.philox4x32(even, odd, key))
        words = words.reshape(-1, len(samples), attempts)
        # Numbers are the upper 24 bits of words; picks rest on the lowest 8 bits of two words.
        drawn = (words >> 8).astype(np.float32)
        drawn *= np.float32(2**-24)
        picks = ((words[0] << 8) ^ words[1]).astype(np.uint16) * 2.0**-_PICK_BITS
        return drawn, picks

    return search(rules, corners, counts, proposals, draw)


def no_window(operator: Operator, rules: CropRules, boxes: int) -> ArgumentError:
    """Return the error of an unlimited search that failed for a number of boxes."""
    return ArgumentError(
        f"{operator.called}: {MAX_ATTEMPTS} windows, and none meets a threshold of "
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
    kept = drawn.kept.nonzero()[0]
    owners = np.repeat(np.arange(len(counts)), counts)[kept]
    moved, windows = corners.take(kept, axis=1), drawn.corners.take(owners, axis=1)
    both = moved.reshape(2, layout.dimensions, len(owners))
    lower, upper = windows.reshape(both.shape)
    both -= lower
    both /= upper - lower
    np.maximum(both, 0, out=both)
    np.minimum(both, 1, out=both)
    boxes = np.empty(moved.shape[::-1], np.float32)
    layout.write(moved, boxes)
    return boxes, bounds_of(np.bincount(owners, minlength=len(counts)))
