"""Random windows: of a given size in pixels, or of random extents with an aspect ratio."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Protocol

import numpy as np

from ...engine.graph.operator import Array

_TOLERANCE = 1e-5  # of aspect ratios, because extents are float32


def numbers_of_attempt(dimensions: int) -> int:
    """Return how many random numbers an attempt takes, in fours.

    These are one for each extent, one for each offset, and, with three dimensions, one for the
    order of the axes as the last one.
    """
    return 4 * (dimensions - 1)


class Proposals(Protocol):
    """Windows that are made of random numbers."""

    @property
    def extents(self) -> tuple[float, float]:
        """Bounds of the windows' extents on any axis, relative to the image."""

    def propose(self, samples: Array, numbers: Array) -> tuple[Array, Array]:
        """Make windows.

        Args:
            samples: numbers of the samples: (samples,).
            numbers: random numbers in [0, 1): (2 * dimensions or more, samples, attempts) float32.

        Returns:
            their corners, (2 * dimensions, samples, attempts) float32, which the caller may
            change; and which of them are possible, (samples, attempts).
        """


@dataclass(frozen=True)
class RandomExtents(Proposals):
    """Windows whose extents are uniform in a range, if their aspect ratios are allowed.

    Attributes:
        scaling: range of each extent, relative to the image's.
        ratios: ranges of the aspect ratios x / y, (x / z, y / z).
        input_shape: extents of each sample's image, (samples, dimensions); ratios are those in
            pixels. None for relative ones.
    """

    scaling: tuple[float, ...]
    ratios: tuple[tuple[float, float], ...]
    input_shape: Array | None = None

    @property
    def extents(self) -> tuple[float, float]:
        """Bounds of the extents; a fixed ratio may change an extent as it likes."""
        fixed = any(least == largest for least, largest in self.ratios)
        return (0.0, np.inf) if fixed else (self.scaling[0], self.scaling[1])

    def propose(self, samples: Array, numbers: Array) -> tuple[Array, Array]:
        """Return corners and possibility of windows: see `Proposals`."""
        dimensions = 1 + len(numbers) // 4
        low, high = self.scaling
        extents = np.float32(high - low) * numbers[:dimensions]
        extents += np.float32(low)
        size = None if self.input_shape is None else self.input_shape[samples].T[..., None]
        if size is not None:
            extents *= size
        ranges = self._ranges(dimensions)
        extents = _with_fixed_ratios(extents, ranges, numbers[-1])
        possible = extents[0] > 0  # and so are the others, if their ratios are in range
        for (i, j), (least, largest) in ranges.items():
            possible &= extents[i] >= np.float32(least * (1 - _TOLERANCE)) * extents[j]
            possible &= extents[i] <= np.float32(largest * (1 + _TOLERANCE)) * extents[j]
        if size is not None:
            extents /= size
        lower = numbers[dimensions : 2 * dimensions] * (np.float32(1) - extents)
        return np.concatenate([lower, lower + extents]), possible

    def _ranges(self, dimensions: int) -> dict[tuple[int, int], tuple[float, float]]:
        """Return the range of each pair of axes."""
        pairs = list(combinations(range(dimensions), 2))
        return dict(zip(pairs, self.ratios * (len(pairs) // len(self.ratios)), strict=True))


@dataclass(frozen=True)
class FixedExtents(Proposals):
    """Windows of a given size, whose offsets are whole pixels.

    A window that is larger than the image holds the whole image.

    Attributes:
        crop_shape, input_shape: extents of windows and images, in pixels: (samples, dimensions).
    """

    crop_shape: Array
    input_shape: Array

    @property
    def extents(self) -> tuple[float, float]:
        """Bounds of the extents, of which each sample has its own."""
        return (0.0, np.inf)

    def propose(self, samples: Array, numbers: Array) -> tuple[Array, Array]:
        """Return corners and possibility of windows: see `Proposals`."""
        crop, size = (shape[samples].T[..., None] for shape in (self.crop_shape, self.input_shape))
        margin, drawn = size - crop, numbers[: len(crop)].astype(np.float64)
        steps = np.floor(drawn * (np.abs(margin) + 1)) * np.sign(margin)
        corners = np.concatenate([steps / size, (steps + crop) / size])
        return corners.astype(np.float32), np.ones(numbers.shape[1:], bool)


def _with_fixed_ratios(
    extents: Array, ranges: dict[tuple[int, int], tuple[float, float]], order: Array
) -> Array:
    """Set extents whose ratio is fixed, in a random order of axes; the largest extent stays.

    Args:
        extents: (dimensions, samples, attempts).
        ranges: of the aspect ratio of each pair of axes.
        order: numbers in [0, 1), which choose an order: (samples, attempts).
    """
    fixed = {pair: least for pair, (least, largest) in ranges.items() if least == largest}
    if not fixed:
        return extents
    fixed |= {(j, i): 1 / ratio for (i, j), ratio in fixed.items()}
    result = np.empty_like(extents)
    axes_in_order = range(len(extents))  # with two, both orders give the same extents
    orders = list(permutations(axes_in_order)) if len(extents) > 2 else [tuple(axes_in_order)]
    chosen = (order * len(orders)).astype(np.int64)
    for number, axes in enumerate(orders):
        these = chosen == number
        some = extents[:, these]
        largest = some.max(axis=0)
        for i, j in combinations(axes, 2):
            if (j, i) in fixed:
                some[j] = some[i] * np.float32(fixed[j, i])
        result[:, these] = some * (largest / np.maximum(some.max(axis=0), _SMALLEST))
    return result


_SMALLEST = np.finfo(np.float32).tiny
