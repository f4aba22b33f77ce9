"""Numbers, memory and errors of operators that work on a whole batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...engine.arrays import DType
from ...engine.graph.context import BatchContext, HeapWorkspace
from ...engine.graph.operator import Array, Operator, SampleOperator
from ...engine.graph.row_arguments import arguments_of_row, try_rows, values_of
from ...engine.tensors import TensorList, TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type


def empty_rows(
    batch: BatchContext, shapes: Sequence[tuple[int, ...]], dtype: DType
) -> Array | list[Array]:
    """Return memory for samples of these shapes: one array if all shapes are the same."""
    if len(set(shapes)) == 1:
        return batch.empty((len(shapes), *shapes[0]), dtype)
    return [batch.empty(shape, dtype) for shape in shapes]


def made_of_arguments(
    operator: Operator,
    batch: BatchContext,
    arguments: Mapping[str, object],
    make: Callable[..., object],
    otherwise: object,
) -> tuple[list[Any], NDArray[np.bool_]]:
    """Return what `make` returns for the arguments of each sample; enter its errors in the batch.

    For arguments that are the same for all samples `make` is called once.

    Args:
        operator, batch, arguments: the operator, its batch and its arguments.
        make: called with the arguments of a sample by their names.
        otherwise: the result for samples with errors.

    Returns:
        the results, and which samples have no error: (batch,).
    """
    usable = np.ones(batch.size, bool)
    if not any(isinstance(value, TensorList) for value in arguments.values()):
        with suppress(Exception):  # each sample gets an error of its own
            return [make(**arguments)] * batch.size, usable
    results = [otherwise] * batch.size
    columns = {k: values_of(operator, k, value, batch.size) for k, value in arguments.items()}

    def work(row: int) -> None:
        results[row] = make(**{name: column[row] for name, column in columns.items()})

    usable[try_rows(batch, range(batch.size), work)] = False
    return results, usable


def numbers_of(value: object, count: int, width: int = 1) -> NDArray[np.float64]:
    """Return the numbers of an argument for each of `count` samples: (count, width).

    Args:
        value: a `TensorList`, or one value for all samples.
        count: number of samples.
        width: numbers of a sample; a single number stands for all of them. Samples with another
            number of values are NaN.
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


def padded_numbers(
    value: object, count: int, least: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the numbers of an argument for each of `count` samples, and how many each sample has.

    Args:
        value: a `TensorList`, or one value for all samples.
        count: number of samples.
        least: number of columns that the table has at least.

    Returns:
        (count, most), where zeros follow the numbers of samples that have fewer; (count,).
    """
    table, counts = _padded(value, count)
    missing = max(0, least - table.shape[1])
    return np.pad(table, ((0, 0), (0, missing))) if missing else table, counts


def _padded(value: object, count: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    if isinstance(value, TensorList) and not value.is_dense_tensor():
        rows = [row.reshape(-1) for row in value.rows()]
        counts = np.array([len(row) for row in rows], np.int64)
        table = np.zeros((count, counts.max(initial=0)))
        for numbers, row in zip(table, rows, strict=True):
            numbers[: len(row)] = row
        return table, counts
    dense = value.dense() if isinstance(value, TensorList) else np.array([value])
    width = prod(dense.shape[1:])
    table = dense.reshape(len(dense), width).astype(np.float64)
    return np.broadcast_to(table, (count, width)), np.full(count, width)


def enter_errors(
    operator: SampleOperator,
    batch: BatchContext,
    data: TensorListGPU,
    usable: NDArray[np.bool_],
    arguments: Mapping[str, object],
    *others: TensorList,
) -> None:
    """Enter the errors that the CPU raises for the samples that are not usable.

    Args:
        operator, batch, data, arguments: the operator, its batch, its input and its arguments.
        usable: which samples have no error: (batch,).
        others: further inputs; see `why_not`.
    """
    for row in np.flatnonzero(~usable).tolist():
        shape, dtype = data.extents()[row].tolist(), to_numpy_type(data.dtype)
        error = why_not(operator, batch, row, shape, dtype, arguments, *others)
        batch.fail_row(row, error)


def why_not(
    operator: SampleOperator,
    batch: BatchContext,
    i: int,
    shape: Sequence[int],
    dtype: DTypeLike,
    arguments: Mapping[str, object],
    *others: TensorList,
) -> Exception:
    """Return the error that the CPU raises for a sample of this shape and these arguments.

    Args:
        operator: the operator.
        batch, i: the batch, and the row of the sample.
        shape, dtype: of the sample.
        arguments: of the operator, for the whole batch.
        others: further inputs; of those on the device, only shape and dtype count.
    """
    workspace = HeapWorkspace(random=batch.random(operator, operator.random_count)[i])
    try:
        values = arguments_of_row(operator, arguments, i)
        inputs = [np.broadcast_to(np.zeros((), dtype), shape)]
        inputs += [
            np.zeros(other.row(i).shape, to_numpy_type(other.dtype))
            if isinstance(other, TensorListGPU)
            else other.row(i)
            for other in others
        ]
        operator.sample(workspace, *inputs, **values)
    except Exception as error:
        return error
    raise AssertionError(f"sample {i} of shape {shape} has no error on the CPU")


def check_later(
    operator: SampleOperator,
    batch: BatchContext,
    data: TensorListGPU,
    other: TensorListGPU,
    arguments: Mapping[str, object],
    is_good: Callable[[Array], bool],
) -> None:
    """Have the numbers of a second input, which are on the device, checked on the host later.

    Args:
        operator, batch, data, arguments: the operator, its batch, its first input and arguments.
        other: the second input.
        is_good: returns whether the CPU accepts a sample of `other`; if not, its error is entered.
    """
    copies = batch.device.to_host(other, batch.empty)
    shapes, dtype = data.extents(), to_numpy_type(data.dtype)

    def check() -> None:
        for i, numbers in enumerate(copies.rows()):
            if i not in batch.errors and not is_good(numbers):
                error = why_not(operator, batch, i, shapes[i], dtype, arguments, copies)
                batch.fail_row(i, error)

    batch.check_later(check)
