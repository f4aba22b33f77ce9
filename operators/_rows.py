"""Rows of a batch, for operators that see the whole batch at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine.batch import Batch
from ..engine.operator import Array, Operator
from ..engine.params import from_row
from ..engine.tensors import TensorList


def empty_rows(
    batch: Batch, shapes: Sequence[tuple[int, ...]], dtype: np.dtype[Any]
) -> Array | list[Array]:
    """Return memory for rows of these shapes: one array if they are all the same."""
    if len(set(shapes)) == 1:
        return batch.empty((len(shapes), *shapes[0]), dtype)
    return [batch.empty(shape, dtype) for shape in shapes]


def values_of(operator: Operator, name: str, value: Any, count: int) -> list[Any]:
    """Return the argument's value for each of `count` samples.

    Args:
        operator: whose argument it is.
        name: the argument's.
        value: as the operator was given it: a `TensorList`, or one value for all samples.
        count: number of samples.
    """
    if not isinstance(value, TensorList):
        return [value] * count
    return [from_row(operator.params[name], value.row(i)) for i in range(count)]
