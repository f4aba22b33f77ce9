"""Arguments and errors of single samples, for operators that work on a whole batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ..errors import ArgumentError
from ..tensors import TensorList, TensorListCPU
from ..tensors.dtypes import to_numpy_type
from .context import RowsContext
from .operator import Array, Operator
from .params import ANY_FLOAT, ANY_FLOATS, FLOAT, FLOATS, INT, INTS, from_row

_ONE = INT, FLOAT, ANY_FLOAT
_SEVERAL = INTS, FLOATS, ANY_FLOATS


def value_of_row(operator: Operator, name: str, row: Any) -> Any:
    """Return the value of an argument for one sample.

    Args:
        operator: declares the argument.
        name: of the argument.
        row: the sample's row of the node.

    Raises:
        ArgumentError: it is no value of the argument's type.
    """
    declared = operator.params[name]
    try:
        return from_row(declared, row)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArgumentError(
            f"{operator.called}: the argument {name!r} must be {declared.type.annotation}, but is "
            f"{row!r} for this sample ({error})"
        ) from error


def fit_arguments(
    operator: Operator, batch: RowsContext, arguments: Mapping[str, object]
) -> dict[str, Any]:
    """Return arguments for work on a whole batch, with a value of the right type for each sample.

    A sample with another value gets the error that it gets in work on single samples, and zeros.
    """
    return {
        name: _fit(operator, batch, name, value)
        if isinstance(value, TensorList) and not _all_fit(operator, name, value)
        else value
        for name, value in arguments.items()
    }


def _all_fit(operator: Operator, name: str, values: TensorList) -> bool:
    """Return whether all values are surely of the argument's type: False for what takes a look."""
    kind = operator.params[name].type
    if kind not in (*_ONE, *_SEVERAL) or not len(values):
        return not len(values)
    whole = kind in (INT, INTS)
    return (
        np.can_cast(to_numpy_type(values.dtype), np.int64 if whole else np.float64)
        and (kind in _SEVERAL or bool((values.extents().prod(axis=1) == 1).all()))
        and (kind not in (FLOAT, FLOATS) or _all_finite(values))
    )


def _all_finite(values: TensorList) -> bool:
    """Return whether all numbers are surely finite: False for rows that lie apart."""
    numbers = values.dense() if values.is_dense_tensor() else values.stored.flat()
    return numbers is not None and bool(np.isfinite(numbers).all())


def _fit(operator: Operator, batch: RowsContext, name: str, values: TensorList) -> TensorList:
    rows = values.rows()

    def check(row: int) -> None:
        value_of_row(operator, name, rows[row])

    failed = try_rows(batch, range(len(rows)), check)
    if not failed:
        return values
    for i in failed:
        several = operator.params[name].type in _SEVERAL
        rows[i] = np.zeros(rows[i].shape if several else (1,) * rows[i].ndim, rows[i].dtype)
    return TensorListCPU(rows)


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
        name: value_of_row(operator, name, value.row(row))
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
    return [value_of_row(operator, name, value.row(i)) for i in range(count)]


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
