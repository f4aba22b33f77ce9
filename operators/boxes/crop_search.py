"""The search for random windows that overlap with boxes as thresholds demand.

Attempts come in rounds: each round draws one of the options, which are the thresholds and, if
allowed, the whole image. The first attempt that meets the threshold of its round wins. Many
attempts of many samples are computed at once; the winners are those of a search one by one.

An unlimited search draws no threshold that no window can meet. Rounds with such thresholds would
have no winner, so the distribution of winners stays the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...engine.graph.operator import Array
from ...formats.ragged import range_indices
from .overlaps import centers_inside, coverage, ious, volumes


class CropSearchTuning(NamedTuple):
    """The choices of `search`.

    Attributes:
        first_attempts: number of attempts whose random numbers are drawn for every sample.
        more_attempts: number of attempts to compute at once after that; it doubles with each
            chunk, because fewer samples are left.
        most_doublings: how often it doubles.
        most_attempts: number of attempts after which an unlimited search fails.
    """

    first_attempts: int = 24
    more_attempts: int = 64
    most_doublings: int = 3
    most_attempts: int = 1 << 16


TUNING = CropSearchTuning()


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
    def limit(self) -> int:
        """The number of attempts, in whole rounds."""
        if self.most_attempts < 0:
            return TUNING.most_attempts
        return -(-self.most_attempts // self.round_attempts) * self.round_attempts


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


Propose = Callable[[Array, Array, Array], tuple[Array, Array]]
"""Makes windows: of the numbers of samples, (samples,), and of random numbers, (samples, attempts,
2 * dimensions) and (samples, attempts).

Returns their corners, (2 * dimensions, samples, attempts), and which of them are possible."""

Draw = Callable[[int, Array], Array]
"""Returns random numbers (samples, count), given the number of the chunk, and the samples."""


def attempts_of_chunk(chunk: int) -> int:
    """Return the number of attempts of chunk 0, 1, ..."""
    if chunk == 0:
        return TUNING.first_attempts
    return TUNING.more_attempts << min(chunk - 1, TUNING.most_doublings)


def numbers_of_search(dimensions: int, attempts: int) -> int:
    """Return how many random numbers these attempts take."""
    return attempts * (1 + 2 * dimensions)


def search(
    rules: CropRules, boxes: Array, counts: Array, propose: Propose, draw: Draw
) -> DrawnWindows:
    """Return the first window of each sample that meets its threshold and keeps a box.

    Without boxes, the first possible window meets all thresholds. A limited search that fails
    returns the window with the largest overlap, or the whole image if no window is possible.

    Args:
        rules: see there.
        boxes: corners of the boxes of all samples: (2 * dimensions, boxes).
        counts: number of boxes of each sample: (samples,).
        propose: makes windows.
        draw: returns the random numbers of chunk 0, 1, ...
    """
    dimensions = len(boxes) // 2
    state = _State(rules, boxes, counts)
    active, start, chunk = np.flatnonzero(state.choice_counts), 0, 0
    while start < rules.limit and len(active):
        numbers = draw(chunk, active)
        attempts = min(numbers.shape[1] // (1 + 2 * dimensions), rules.limit - start)
        numbers = numbers[:, : numbers_of_search(dimensions, attempts)]
        numbers = numbers.reshape(len(active), attempts, -1)
        options, rest = state.options(active, numbers[..., 0], start)
        windows, possible = propose(active, numbers[..., 1:], rest)
        active = state.settle(active, options, windows, possible)
        start, chunk = start + attempts, chunk + 1
    return state.finish(np.union1d(active, np.flatnonzero(state.choice_counts == 0)))


_ALMOST = 1 - 1e-4  # of a bound, because volumes are float32


class _State:
    """What the search knows of each sample."""

    def __init__(self, rules: CropRules, boxes: Array, counts: Array) -> None:
        self.rules, self.boxes, self.counts = rules, boxes, counts
        self.first = np.cumsum(counts) - counts
        self.option = np.zeros(len(counts), np.int64)
        self.corners = np.zeros((len(boxes), len(counts)), np.float32)
        self.corners[len(boxes) // 2 :] = 1
        self.overlap = np.full(len(counts), -1, np.float32)
        self.thresholds = np.array([*rules.thresholds, np.inf], np.float32)
        hopeful = self._hopeful()
        self.choices = np.argsort(~hopeful, axis=1, kind="stable")
        self.choice_counts = hopeful.sum(axis=1)

    def _hopeful(self) -> Array:
        """Return which options each sample may draw: (samples, options).

        Intersection over union is at most the ratio of two volumes. So if the volumes of two boxes
        differ by more than 1 / threshold**2, no window overlaps with both as demanded.
        """
        rules, some = self.rules, self.counts > 0
        hopeful = np.ones((len(self.counts), len(self.thresholds)), bool)
        hopeful[:, -1] = rules.allow_no_crop
        if some.any() and rules.all_boxes and not rules.by_coverage and rules.most_attempts < 0:
            sizes, first = volumes(self.boxes), self.first[some]
            least, largest = (each.reduceat(sizes, first) for each in (np.minimum, np.maximum))
            needed = np.float32(_ALMOST) * self.thresholds[:-1] ** 2 * largest[:, None]
            hopeful[some, :-1] = least[:, None] >= needed
        return hopeful

    def options(self, active: Array, drawn: Array, start: int) -> tuple[Array, Array]:
        """Return the option of each attempt, and the part of the numbers that did not decide it."""
        scaled = drawn * self.choice_counts[active, None]
        picked = scaled.astype(np.int64)
        rest = scaled - picked
        options = np.take_along_axis(self.choices[active], picked, axis=1)
        length = self.rules.round_attempts
        if length > 1:
            attempts = np.arange(start, start + drawn.shape[1])
            first = attempts - attempts % length - start  # of the attempt's round
            carried = self.option[active, None]
            options = np.where(first < 0, carried, options[:, np.maximum(first, 0)])
        return options, rest

    def settle(self, active: Array, options: Array, windows: Array, possible: Array) -> Array:
        """Record the results of a chunk; return the samples that have none yet."""
        rows = np.arange(len(active))
        whole = options == len(self.rules.thresholds)
        if self.rules.allow_no_crop:
            possible = possible & ~np.logical_or.accumulate(whole, axis=1)
        overlap, keeps = self._compared(active, windows)
        valid = possible & keeps & (overlap >= self.thresholds[options])
        first = valid.argmax(axis=1)
        met = valid[rows, first]
        self.corners[:, active[met]] = windows[:, rows[met], first[met]]
        ended = met | whole.any(axis=1)
        left = ~ended
        overlap[~possible] = -1
        largest = overlap.argmax(axis=1)
        better = left & (overlap[rows, largest] > self.overlap[active])
        self.corners[:, active[better]] = windows[:, rows[better], largest[better]]
        self.overlap[active[better]] = overlap[rows, largest][better]
        whole_image = active[ended & ~met]
        half = len(self.boxes) // 2
        self.corners[:half, whole_image], self.corners[half:, whole_image] = 0, 1
        self.option[active] = options[:, -1]
        remaining: Array = active[left]
        return remaining

    def _compared(self, active: Array, windows: Array) -> tuple[Array, Array]:
        """Return the overlap of each window, and whether the window keeps a box."""
        counts = self.counts[active]
        overlap = np.full(windows.shape[1:], 2, np.float32)
        keeps = np.ones(windows.shape[1:], bool)
        some = counts > 0
        if some.any():
            owners = np.repeat(np.arange(len(active)), counts)
            boxes = self.boxes[:, range_indices(self.first[active], counts), None]
            pairs = windows.take(owners, axis=1)
            first = (np.cumsum(counts) - counts)[some]
            reduce = np.minimum if self.rules.all_boxes else np.maximum
            overlap[some] = reduce.reduceat(self.rules.overlaps(pairs, boxes), first, axis=0)
            keeps[some] = np.logical_or.reduceat(self.rules.keeps(pairs, boxes), first, axis=0)
        return overlap, keeps

    def finish(self, failed: Array) -> DrawnWindows:
        """Return the windows, given the samples whose search failed."""
        owners = np.repeat(np.arange(len(self.counts)), self.counts)
        corners = self.corners.take(owners, axis=1)
        half = len(corners) // 2
        whole = (corners[:half] == 0).all(axis=0) & (corners[half:] == 1).all(axis=0)
        met = np.ones(len(self.counts), bool)
        met[failed] = False
        return DrawnWindows(self.corners, whole | self.rules.keeps(corners, self.boxes), met)
