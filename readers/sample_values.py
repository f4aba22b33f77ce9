"""Values that a program gives for each sample, such as lengths or labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import numpy as np

from ..engine.arrays import Array

Refusal = Callable[[str], NoReturn]


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
