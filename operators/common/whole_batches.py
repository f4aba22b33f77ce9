"""Light operators on whole batches, and sample by sample where a sample has an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import HeapWorkspace
from ...engine.graph.operator import Array, SampleOperator
from ...engine.graph.row_arguments import arguments_of_row
from ...engine.tensors import TensorList
from ...engine.tensors.packed_rows import packed_between
from ...formats.ragged import bounds_of

if TYPE_CHECKING:
    from ...engine.graph.context import BatchContext

Columns = tuple[Any, ...]
"""The samples of each output: an array over the samples, or a list of arrays."""


def compute_together(
    operator: SampleOperator,
    batch: BatchContext,
    inputs: Sequence[TensorList],
    arguments: Mapping[str, Any],
    together: Callable[[], Columns],
) -> Columns:
    """Return the results of `together`; enter the errors of single samples in the batch.

    Args:
        operator: the operator. Its outputs correspond to its last inputs.
        batch: the batch.
        inputs, arguments: of the operator.
        together: computes the whole batch. Raises ArgumentError if a sample has an error, or if
            the samples cannot be computed together; then `operator.sample` computes each one.
    """
    if batch.size:
        try:
            return together()
        except ArgumentError:
            pass  # of a sample that is not known yet
    outputs = inputs[-operator.num_outputs() :]
    columns: list[list[Array]] = [[] for _ in outputs]
    for i in range(batch.size):
        for column, array in zip(
            columns, _sample(operator, batch, inputs, arguments, outputs, i), strict=True
        ):
            column.append(array)
    return tuple(columns)


def _sample(
    operator: SampleOperator,
    batch: BatchContext,
    inputs: Sequence[TensorList],
    arguments: Mapping[str, Any],
    outputs: Sequence[TensorList],
    i: int,
) -> tuple[Array, ...]:
    """Return the results for a sample; empty arrays for one with an error."""
    try:
        if i not in batch.errors:
            values = arguments_of_row(operator, arguments, i)
            rows = [data.row(i) for data in inputs]
            result = operator.sample(HeapWorkspace(), *rows, **values)
            return result if isinstance(result, tuple) else (result,)
    except Exception as error:
        batch.errors[i] = error
    rows = [data.row(i) for data in outputs]
    return tuple(np.empty((0,) * row.ndim, row.dtype) for row in rows)


class JoinedRows:
    """The rows of all samples of a batch, one below the other.

    Attributes:
        table: a copy that may be changed: (rows, columns).
        counts: number of rows of each sample: (samples,).
    """

    def __init__(self, data: TensorList, check: Callable[[tuple[int, ...], Any], object]) -> None:
        """Join the samples of a batch.

        Args:
            data: samples of shape (..., columns), with as many columns each.
            check: called with each shape and dtype; raises ArgumentError for a wrong one.
        """
        flat = None if data.packed is None else data.packed.flat()
        if data.is_dense_tensor():
            dense = data.dense()
            self._shapes = [dense.shape[1:]] * len(dense)
            forms = {(dense.shape[1:], dense.dtype)}
        elif flat is not None:
            self._shapes = data.shape()
            forms = {(shape, flat.dtype) for shape in set(self._shapes)}
        else:
            samples = data.rows()
            self._shapes = [row.shape for row in samples]
            forms = {(row.shape, row.dtype) for row in samples}
        for form in forms:
            check(*form)
        if len({(shape[-1], dtype) for shape, dtype in forms}) > 1:
            raise ArgumentError("samples with different columns are computed one by one")
        columns = self._shapes[0][-1]
        if data.is_dense_tensor():
            self.table = dense.reshape(-1, columns).copy()
        elif flat is not None:
            self.table = flat.reshape(-1, columns).copy()
        else:
            self.table = np.concatenate([row.reshape(-1, columns) for row in samples])
        self.counts = np.array([prod(shape[:-1]) for shape in self._shapes], np.int64)

    def each(self, values: Array) -> Array:
        """Return the values of each row, given those of each sample along axis 0."""
        return np.repeat(values, self.counts, axis=0)

    def samples(self) -> Any:
        """Return the table as samples of the shapes that were joined."""
        if len(set(self._shapes)) == 1:
            return self.table.reshape(len(self._shapes), *self._shapes[0])
        if all(len(shape) == 2 for shape in self._shapes):
            return packed_between(self.table, bounds_of(self.counts))
        ends = np.cumsum(self.counts).tolist()
        places = zip(self._shapes, [0, *ends[:-1]], ends, strict=True)
        return [self.table[start:end].reshape(shape) for shape, start, end in places]
