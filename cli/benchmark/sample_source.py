"""The samples of a data set as the source of `fn.external_source`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...datasets import Dataset, Sample
from ...datasets.sample import array_of
from ...engine.arrays import Array

SAMPLES_AT_ONCE = 64
"""Samples that follow one another; a row group of a Parquet file has about as many."""


class SampleSource:
    """Returns the samples in the order of the data set, again and again."""

    def __init__(self, dataset: Dataset, names: Sequence[str]) -> None:
        """Take the data set, and the names of the components that samples have."""
        self._dataset = dataset
        self._names = tuple(names)
        self._number = -1
        self._block: list[Sample] = []

    def __call__(self, info: Any) -> tuple[Array, ...]:
        """Return the components of the sample with the number `info.idx_in_epoch`."""
        number, row = divmod(info.idx_in_epoch % len(self._dataset), SAMPLES_AT_ONCE)
        if number != self._number:
            start = number * SAMPLES_AT_ONCE
            end = min(start + SAMPLES_AT_ONCE, len(self._dataset))
            self._block, self._number = self._dataset.read(range(start, end)), number
        components = self._block[row].components
        # External sources give no plain numbers; a missing component has no bytes.
        return tuple(np.atleast_1d(array_of(components.get(name, ""))) for name in self._names)
