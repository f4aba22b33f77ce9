"""Rows of a batch, for operators that see the whole batch at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..engine.batch import Batch
from ..engine.operator import Array, Operator
from ..engine.params import INT, INTS, from_row
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


def array_of(operator: Operator, name: str, value: Any, count: int) -> Array:
    """Return a numeric argument of each of `count` samples: (count, values), at once if it can.

    Args and errors are those of `values_of`; a ValueError says that samples differ in how many
    values they have.
    """
    if isinstance(value, TensorList) and value.is_dense_tensor():
        array: Array = value.dense()
        whole = operator.params[name].kind in (INT, INTS)
        if array.dtype.kind in ("bui" if whole else "buif"):
            return array.reshape(count, -1)
    elif not isinstance(value, TensorList):
        return np.broadcast_to(np.atleast_1d(np.asarray(value)), (count, np.size(value)))
    return np.array(values_of(operator, name, value, count)).reshape(count, -1)


def try_rows(batch: Batch, rows: Iterable[int], work: Callable[[int], object]) -> list[int]:
    """Do work for each of some rows; note the errors in the batch, and return where they were."""
    failed = []
    for row in map(int, rows):
        try:
            work(row)
        except Exception as error:
            batch.errors.setdefault(row, error)
            failed.append(row)
    return failed
