"""The search for random windows that overlap with boxes as thresholds demand.

Attempts come in rounds: each round draws one of the options, which are the thresholds and, if
allowed, the whole image. The first attempt that meets the threshold of its round wins. Many
attempts of many samples are computed at once; the winners are those of a search one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...engine.graph.operator import Array
from .crop_rules import CropRules
from .overlaps import halves
from .window_shapes import Proposals

FIRST_ATTEMPTS = 8
"""Attempts of each sample at first. Most samples need no more."""

PAIRS_AT_ONCE = 4096
"""Pairs of an attempt and a box after that, if these are more attempts."""


class DrawnWindows(NamedTuple):
    """The windows of several samples.

    Attributes:
        corners: lower and upper corners: (2 * dimensions, samples) float32.
        kept: which boxes their windows keep: (boxes of all samples,).
        met: which windows meet a threshold: (samples,).
    """

    corners: Array
    kept: Array
    met: Array


Draw = Callable[[Array, int, int], tuple[Array, Array]]
"""Returns the random numbers of some samples, given the first attempt and the number of attempts.

These are the `numbers` of `Proposals.propose`, and one number in [0, 1) for the option of a round
that starts with the attempt: (samples, attempts). They depend on sample and attempt alone."""


def search(
    rules: CropRules, boxes: Array, counts: Array, proposals: Proposals, draw: Draw
) -> DrawnWindows:
    """Return the first window of each sample that meets its threshold and keeps a box.

    Without boxes, the first possible window meets all thresholds. A limited search that fails
    returns the window with the largest overlap, or the whole image if no window is possible.

    Args:
        rules: the windows that are accepted.
        boxes: corners of the boxes of all samples: (2 * dimensions, boxes).
        counts: number of boxes of each sample: (samples,).
        proposals: makes windows.
        draw: returns random numbers.
    """
    state = _State(rules, boxes, counts, proposals.extents)
    start = 0
    while start < rules.limit and len(state.active):
        attempts = min(state.attempts_together(start), rules.limit - start)
        numbers, picks = draw(state.active, start, attempts)
        limits = state.limits(start, picks)
        state.settle(limits, *proposals.propose(state.active, numbers))
        start += attempts
    return state.drawn(boxes, counts)


class _State:
    """The samples that have no window yet, with their boxes, and the windows of all samples."""

    def __init__(
        self, rules: CropRules, boxes: Array, counts: Array, extents: tuple[float, float]
    ) -> None:
        self.rules = rules
        self.options, self.option_counts = rules.options(boxes, counts, extents)
        self.limit = np.zeros(len(counts), np.float32)  # of the round that is not over
        self.corners = np.zeros((len(boxes), len(counts)), np.float32)
        self.corners[len(boxes) // 2 :] = 1
        self.overlap = np.full(len(counts), -1, np.float32)
        self.met = np.zeros(len(counts), bool)
        self._search_for(np.arange(len(counts)), boxes, counts)
        self._keep(self.option_counts > 0)

    def _search_for(self, active: Array, boxes: Array, counts: Array) -> None:
        """Go on with these samples, given their boxes and the numbers of their boxes."""
        self.active, self.boxes, self.counts = active, boxes, counts
        self.owners = np.repeat(np.arange(len(active)), counts)
        self.first = np.cumsum(counts) - counts
        self.some = None if counts.all() else counts > 0  # samples with boxes, if not all

    def _keep(self, chosen: Array) -> None:
        """Go on with some of the active samples."""
        if not chosen.any():
            self.active = self.active[:0]
        elif not chosen.all():
            boxes = chosen[self.owners].nonzero()[0]
            self._search_for(self.active[chosen], self.boxes[:, boxes], self.counts[chosen])

    def attempts_together(self, start: int) -> int:
        """Return how many attempts of each active sample to compute at once."""
        many = PAIRS_AT_ONCE // (len(self.active) + len(self.owners)) if start else 0
        return max(many, FIRST_ATTEMPTS)

    def limits(self, start: int, picks: Array) -> Array:
        """Return the option of each attempt: (samples, attempts), or (samples, 1) if all agree."""
        length = self.rules.round_attempts
        begun, attempts = start % length, picks.shape[1]
        picked = picks[:, -begun % length :: length] * self.option_counts[self.active, None]
        limits: Array = self.options[self.active[:, None], picked.astype(np.int64)]
        if begun:
            limits = np.concatenate([self.limit[self.active, None], limits], axis=1)
        if length > 1:
            self.limit[self.active] = limits[:, -1]
            if limits.shape[1] > 1:
                limits = limits[:, np.arange(begun, begun + attempts) // length]
        return limits

    def settle(self, limits: Array, windows: Array, possible: Array) -> None:
        """Record the results of attempts with these options, windows and possibility."""
        whole = limits < 0
        for corners, edge in zip(halves(windows), (0, 1), strict=True):
            np.copyto(corners, edge, where=whole)
        passed = self._passed(limits, windows, possible)
        passed |= whole
        first = passed.argmax(axis=1)
        met = passed[np.arange(len(first)), first]
        self._take(met, windows, first)
        self.met[self.active[met]] = True
        self._keep(~met)

    def _take(self, chosen: Array, windows: Array, attempts: Array) -> None:
        """Store the windows of some of the active samples, given the number of an attempt."""
        rows = chosen.nonzero()[0]
        self.corners[:, self.active[rows]] = windows[:, rows, attempts[rows]]

    def _passed(self, limits: Array, windows: Array, possible: Array) -> Array:
        """Return which windows meet their limits and keep a box; note the largest overlaps."""
        pairs = windows.take(self.owners, axis=1)
        boxes = np.repeat(self.boxes[..., None], windows.shape[2], axis=2)  # cheaper than broadcast
        overlaps = self.rules.overlaps(pairs, boxes)
        if self.rules.limited:
            self._note_largest(overlaps, windows, possible)
        reduce = np.logical_and if self.rules.all_boxes else np.logical_or
        passed = self._of_samples(reduce, overlaps >= limits.take(self.owners, axis=0), empty=True)
        passed &= self._of_samples(np.logical_or, self.rules.keeps(pairs, boxes), empty=True)
        passed &= possible
        return passed

    def _note_largest(self, overlaps: Array, windows: Array, possible: Array) -> None:
        """Store windows whose overlap is larger than that of all windows before."""
        reduce = np.minimum if self.rules.all_boxes else np.maximum
        overlap = np.where(possible, self._of_samples(reduce, overlaps, empty=2), -1)
        largest = overlap.argmax(axis=1)
        value = overlap[np.arange(len(largest)), largest]
        better = value > self.overlap[self.active]
        self._take(better, windows, largest)
        self.overlap[self.active[better]] = value[better]

    def _of_samples(self, reduce: np.ufunc, values: Array, *, empty: float) -> Array:
        """Reduce the values of each sample's boxes; samples without boxes get `empty`."""
        if self.some is None:
            reduced: Array = reduce.reduceat(values, self.first, axis=0)
            return reduced
        result = np.full((len(self.active), values.shape[1]), empty, values.dtype)
        if self.some.any():
            result[self.some] = reduce.reduceat(values, self.first[self.some], axis=0)
        return result

    def drawn(self, boxes: Array, counts: Array) -> DrawnWindows:
        """Return the windows, given the boxes of all samples."""
        corners = np.repeat(self.corners, counts, axis=1)
        kept = self.rules.keeps(corners, boxes)
        if self.rules.least_coverage is not None:  # the whole image keeps empty boxes, too
            lower, upper = halves(corners)
            kept |= (lower == 0).all(axis=0) & (upper == 1).all(axis=0)
        return DrawnWindows(self.corners, kept, self.met)
