"""Rows of a batch, for operators that see the whole batch at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..engine.batch import Batch
from ..engine.operator import Array, Operator, Row, SampleOperator
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


def numbers_of(value: Any, count: int, width: int = 1) -> NDArray[np.float64]:
    """Return the argument's numbers for each of `count` samples: (count, width).

    Args:
        value: as `values_of` takes it, of numbers.
        count: number of samples.
        width: how many numbers a sample has; one stands for all of them. Samples with another
            number of them are NaN.
    """
    if isinstance(value, TensorList) and not value.is_dense_tensor():
        table = np.full((count, width), np.nan)
        for i, row in enumerate(value.rows()):
            if row.size in (1, width):
                table[i] = row.reshape(-1)
        return table
    if isinstance(value, TensorList):
        numbers = value.dense().reshape(count, -1).astype(np.float64)
    else:
        numbers = np.array(value, np.float64).reshape(1, -1)
    if numbers.shape[1] not in (1, width):
        return np.full((count, width), np.nan)
    return np.broadcast_to(numbers, (count, width))


class _HeapRow(Row):
    def empty(self, shape: tuple[int, ...], dtype: DTypeLike, output: int = 0) -> Array:
        return np.empty(shape, dtype)

    def scratch(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        return np.empty(shape, dtype)


def why_not(
    operator: SampleOperator,
    batch: Batch,
    i: int,
    shape: Sequence[int],
    dtype: DTypeLike,
    arguments: Mapping[str, Any],
) -> Exception:
    """Return what the CPU raises for a sample that the GPU cannot compute, but for its pixels.

    Args:
        operator: with one input.
        batch, i: which sample.
        shape, dtype: of the sample.
        arguments: the operator's, of the whole batch.
    """
    row = _HeapRow()
    row.random = batch.random(operator, operator.draws)[i]
    try:
        values = {
            name: from_row(operator.params[name], value.row(i))
            if isinstance(value, TensorList)
            else value
            for name, value in arguments.items()
        }
        operator.sample(row, np.broadcast_to(np.zeros((), dtype), shape), **values)
    except Exception as error:
        return error
    raise AssertionError(f"sample {i} of shape {shape} has no error on the CPU")
