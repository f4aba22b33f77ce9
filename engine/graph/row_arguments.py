"""Arguments and errors of single samples, for operators that work on a whole batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ..tensors import TensorList
from .context import RowsContext
from .operator import Array, Operator
from .params import INT, INTS, from_row


def arguments_of_row(
    operator: Operator, arguments: Mapping[str, object], row: int
) -> dict[str, Any]:
    """Return the arguments of one sample.

    Args:
        operator: declares the arguments.
        arguments: by name: a `TensorList`, or one value for all samples.
        row: of the sample.
    """
    return {
        name: from_row(operator.params[name], value.row(row))
        if isinstance(value, TensorList)
        else value
        for name, value in arguments.items()
    }


def values_of(operator: Operator, name: str, value: object, count: int) -> list[Any]:
    """Return the argument's value for each of `count` samples.

    Args:
        operator: the operator that has the argument.
        name: of the argument.
        value: a `TensorList`, or one value for all samples.
        count: number of samples.
    """
    if not isinstance(value, TensorList):
        return [value] * count
    return [from_row(operator.params[name], value.row(i)) for i in range(count)]


def array_of(operator: Operator, name: str, value: Any, count: int) -> Array:
    """Return a numeric argument of each of `count` samples: (count, values).

    Args and errors are those of `values_of`.

    Raises:
        ValueError: the samples differ in their number of values.
    """
    if isinstance(value, TensorList) and value.is_dense_tensor():
        array: Array = value.dense()
        whole = operator.params[name].type in (INT, INTS)
        if array.dtype.kind in ("bui" if whole else "buif"):
            return array.reshape(count, -1)
    elif not isinstance(value, TensorList):
        return np.broadcast_to(np.atleast_1d(np.asarray(value)), (count, np.size(value)))
    return np.array(values_of(operator, name, value, count)).reshape(count, -1)


def try_rows(batch: RowsContext, rows: Iterable[int], work: Callable[[int], object]) -> list[int]:
    """Call `work` for each row; enter its errors in the batch, and return the rows that failed."""
    failed = []
    for row in map(int, rows):
        try:
            work(row)
        except Exception as error:
            batch.fail_row(row, error)
            failed.append(row)
    return failed
