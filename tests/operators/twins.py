"""Two forms of one rule: for one sample on the CPU, and for a batch at once on the GPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from penstock.engine.errors import ArgumentError


def assert_twins(
    samples: Sequence[Any],
    one: Callable[[Any], Sequence[Any]],
    every: Callable[[Sequence[Any]], tuple[Sequence[Any], Any]],
    tolerance: float = 0,
) -> None:
    """Assert that both forms of a rule give the same numbers, and refuse the same samples.

    Args:
        samples: the batch.
        one: returns the results of one sample, or raises ArgumentError or ValueError.
        every: returns the results of all samples, each a column of values, and for which samples
            they hold.
        tolerance: allowed difference, relative and absolute.
    """
    columns, possible = every(samples)
    for i, sample in enumerate(samples):
        try:
            results = one(sample)
        except (ArgumentError, ValueError):
            assert not possible[i], f"{sample} is refused alone, and not in a batch"
            continue
        assert possible[i], f"{sample} is refused in a batch, and not alone"
        for column, result in zip(columns, results, strict=True):
            np.testing.assert_allclose(column[i], result, tolerance, tolerance, True, str(sample))
