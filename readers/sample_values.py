"""Values that each sample has, such as lengths or labels: given by a program, or read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NoReturn

import numpy as np

from ..engine.arrays import Array
from .source import Columns, Source

Refusal = Callable[[str], NoReturn]

SAMPLES_AT_ONCE = 1024
"""Samples that are read at once for a value of each."""


def one_for_each(
    refuse: Refusal, name: str, values: object, count: int, *, kinds: str, expected: str
) -> Array:
    """Return values as an array, one for each sample.

    Args:
        refuse: raises the error of the reader for other values.
        name: of the values, for messages.
        values: of the samples.
        count: number of samples.
        kinds: of the array's dtype, as NumPy names them.
        expected: what each value should be, for messages.

    Raises:
        ArgumentError: the values are of another kind, or of another number.
    """
    array = np.asarray(values)
    if array.shape != (count,) or array.dtype.kind not in kinds:
        refuse(
            f"{name} is an array of {array.dtype} and shape {array.shape}; expected {expected} "
            f"for each of the {count} samples"
        )
    return array


def read_in_parts(source: Source) -> Iterator[Columns]:
    """Yield the columns of all samples in their order, of some consecutive ones at a time."""
    for first in range(0, len(source), SAMPLES_AT_ONCE):
        stop = min(first + SAMPLES_AT_ONCE, len(source))
        yield source.read(np.arange(first, stop), np.empty)
