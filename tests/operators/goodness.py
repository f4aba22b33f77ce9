"""Statistics of goodness of fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def kolmogorov(numbers: Any, distribution: Callable[[float], float]) -> float:
    """Return Kolmogorov's statistic; it exceeds 1.95 once in a thousand times."""
    numbers = np.sort(np.asarray(numbers, np.float64).reshape(-1))
    expected = np.array([distribution(float(x)) for x in numbers])
    steps = np.arange(len(numbers) + 1) / len(numbers)
    distance = max(np.max(steps[1:] - expected), np.max(expected - steps[:-1]))
    return float(distance * np.sqrt(len(numbers)))


def chi_square(counts: Any, expected: Any) -> float:
    """Return Pearson's statistic; in 1 of 1000 cases above 13.8 for 3 counts, 16.3 for 4."""
    counts, expected = np.asarray(counts, np.float64), np.asarray(expected, np.float64)
    return float(((counts - expected) ** 2 / expected).sum())
