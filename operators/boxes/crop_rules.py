"""The windows that a search accepts, and the thresholds that a window can meet at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...engine.graph.operator import Array
from .overlaps import centers_inside, coverage, halves, ious

WHOLE_IMAGE = -1.0
"""Stands for the whole image among the options of a round, which are thresholds from 0 to 1."""

MAX_ATTEMPTS = 1 << 16
"""Number of attempts after which an unlimited search fails."""

FLOAT32_TOLERANCE = 1e-4
"""Relative error that sums and products of float32 coordinates may have."""


@dataclass(frozen=True)
class CropRules:
    """The windows that a search accepts.

    Attributes:
        thresholds: least overlaps, of which each round draws one.
        allow_no_crop: whether a round may draw the whole image instead.
        all_boxes: whether all boxes must overlap so much, or only one.
        by_coverage: whether the overlap is the share of the box in the window, instead of the
            intersection over union.
        least_coverage: least share of a box that is kept; None to keep boxes whose center is
            inside.
        round_attempts: number of attempts in a round.
        most_attempts: number of attempts before the best window is taken, in whole rounds; -1 for
            no limit.
    """

    thresholds: tuple[float, ...]
    allow_no_crop: bool = True
    all_boxes: bool = True
    by_coverage: bool = False
    least_coverage: float | None = None
    round_attempts: int = 1
    most_attempts: int = -1

    def overlaps(self, windows: Array, boxes: Array) -> Array:
        """Return the overlaps of windows and boxes."""
        return coverage(windows, boxes) if self.by_coverage else ious(windows, boxes)

    def keeps(self, windows: Array, boxes: Array) -> Array:
        """Return whether windows keep boxes."""
        if self.least_coverage is None:
            return centers_inside(windows, boxes)
        covered = coverage(windows, boxes)
        kept: Array = (covered >= np.float32(self.least_coverage)) & (covered > 0)
        return kept

    @property
    def limited(self) -> bool:
        """Whether a search that fails takes the best window."""
        return self.most_attempts >= 0

    @property
    def limit(self) -> int:
        """The number of attempts, in whole rounds."""
        if not self.limited:
            return MAX_ATTEMPTS
        return -(-self.most_attempts // self.round_attempts) * self.round_attempts

    def options(
        self, boxes: Array, counts: Array, extents: tuple[float, float]
    ) -> tuple[Array, Array]:
        """Return the options that each sample's rounds draw, and how many these are.

        An unlimited search draws no threshold that no window can meet. Rounds with such thresholds
        would have no winner, so the distribution of winners stays the same.

        Args:
            boxes: corners of the boxes of all samples: (2 * dimensions, boxes).
            counts: number of boxes of each sample: (samples,).
            extents: least and largest extent of a window on any axis, relative to the image.

        Returns:
            thresholds, or `WHOLE_IMAGE`: (samples, options), the options first; and (samples,).
        """
        values = np.array(self.thresholds + (WHOLE_IMAGE,) * self.allow_no_crop, np.float32)
        hopeful = np.ones((len(counts), len(values)), bool)
        some = counts > 0
        if some.any() and self.all_boxes and not self.by_coverage and not self.limited:
            first = (np.cumsum(counts) - counts)[some]
            thresholds = values[: len(self.thresholds)]
            hopeful[some, : len(thresholds)] = reachable(thresholds, boxes, first, extents)
        return np.sort(np.where(hopeful, values, np.inf), axis=1), hopeful.sum(axis=1)


def reachable(thresholds: Array, boxes: Array, first: Array, extents: tuple[float, float]) -> Array:
    """Return which intersections over union a window may have with all boxes of a sample.

    If a window and a box have the intersection over union t, they share at least the part t of
    both, of their volumes and of their extents on each axis. This limits the extents and the
    volume of the window. On each axis, a window of the extent w overlaps by t * w with the box that
    ends first and with the box that starts last. Hence the gap between these two boxes, which is
    negative if they overlap, is at most w - 2 * t * w.

    Args:
        thresholds: the intersections over union: (thresholds,).
        boxes, extents: as in `CropRules.options`.
        first: numbers of the first boxes of the samples, each of which has boxes: (samples,).

    Returns:
        False where no window is possible: (samples, thresholds).
    """
    lower, upper = halves(boxes)
    sizes = upper - lower
    sizes = np.concatenate([sizes, np.multiply.reduce(sizes, axis=0, keepdims=True)])
    least = np.minimum.reduceat(np.concatenate([sizes, upper]), first, axis=1)[..., None]
    largest = np.maximum.reduceat(np.concatenate([sizes, lower]), first, axis=1)[..., None]
    share, count = np.where(thresholds > 0, thresholds, 1), len(sizes)
    low, high = share * largest[:count], least[:count] / share  # of extents, and of the volume
    np.maximum(low[:-1], extents[0], out=low[:-1])
    np.minimum(high[:-1], extents[1], out=high[:-1])
    np.maximum(low[-1], np.multiply.reduce(low[:-1], axis=0), out=low[-1])
    np.minimum(high[-1], np.multiply.reduce(high[:-1], axis=0), out=high[-1])
    widest = (1 - 2 * share) * np.where(share < 0.5, high[:-1], low[:-1])
    met = np.logical_and.reduce(low <= high * np.float32(1 + FLOAT32_TOLERANCE), axis=0)
    apart = widest < largest[count:] - least[count:] - np.float32(FLOAT32_TOLERANCE)
    met &= ~np.logical_or.reduce(apart, axis=0)
    result: Array = met | (thresholds == 0)
    return result
