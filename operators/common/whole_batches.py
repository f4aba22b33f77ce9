"""Operators on whole batches: light ones, and ones whose results are the CPU's on both devices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, HeapWorkspace
from ...engine.graph.operator import Array, BatchOperator, SampleOperator
from ...engine.graph.row_arguments import arguments_of_row
from ...engine.tensors import TensorList
from ...engine.tensors.results import as_tensor_list
from ...engine.tensors.rows import packed_between
from ...formats.ragged import bounds_of

Columns = tuple[Any, ...]
"""The samples of each output: an array over the samples, or a list of arrays."""


class UploadedOperator(BatchOperator):
    """Base of operators whose results are computed on the CPU on both devices."""

    devices = ("cpu", "gpu")

    def batch_gpu(
        self, batch: BatchContext, *inputs: TensorList, **arguments: object
    ) -> TensorList:
        result = self.batch(batch, *inputs, **arguments)
        numbers = as_tensor_list(result, batch.size, self.output_layouts()[0])
        return batch.device.to_device(numbers)


def compute_together(
    operator: SampleOperator,
    batch: BatchContext,
    inputs: Sequence[TensorList],
    arguments: Mapping[str, object],
    together: Callable[[], Columns | None],
) -> Columns:
    """Return the results of `together`, or of the samples one by one; enter their errors.

    Args:
        operator: the operator. Its outputs correspond to its last inputs.
        inputs, arguments: of the operator.
        together: computes the whole batch. Returns None if the samples are not alike; then
            `operator.sample` computes each one. A check may raise the ArgumentError of a sample;
            then `operator.sample` tells which one that is.
    """
    results = None
    if batch.size:
        with suppress(ArgumentError):  # of a sample that is not known yet
            results = together()
    if results is not None:
        return results
    outputs = inputs[-operator.num_outputs() :]
    columns: list[list[Array]] = [[] for _ in outputs]
    for i in range(batch.size):
        for column, array in zip(
            columns, _sample(operator, batch, inputs, arguments, outputs, i), strict=True
        ):
            column.append(array)
    return tuple(columns)


def compute_joined(
    operator: SampleOperator,
    batch: BatchContext,
    inputs: Sequence[TensorList],
    arguments: Mapping[str, object],
    check: Callable[[tuple[int, ...], Any], object],
    compute: Callable[[JoinedRows], Columns | None],
) -> Columns:
    """Return the results of `compute` for the joined rows of the first input.

    Args:
        operator, batch, inputs, arguments: see `compute_together`.
        check: see `JoinedRows.of`.
        compute: as `together` of `compute_together`.
    """

    def together() -> Columns | None:
        joined = JoinedRows.of(inputs[0], check)
        return None if joined is None else compute(joined)

    return compute_together(operator, batch, inputs, arguments, together)


def _sample(
    operator: SampleOperator,
    batch: BatchContext,
    inputs: Sequence[TensorList],
    arguments: Mapping[str, object],
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
        batch.fail_row(i, error)
    rows = [data.row(i) for data in outputs]
    return tuple(np.empty((0,) * row.ndim, row.dtype) for row in rows)


@dataclass
class JoinedRows:
    """The rows of all samples of a batch, one below the other.

    Attributes:
        table: a copy that may be changed: (rows, columns).
        counts: number of rows of each sample: (samples,).
        shapes: of the samples: (..., columns).
    """

    table: Array
    counts: NDArray[np.int64]
    shapes: Sequence[tuple[int, ...]]

    @classmethod
    def of(
        cls, data: TensorList, check: Callable[[tuple[int, ...], Any], object]
    ) -> JoinedRows | None:
        """Join the samples of a batch; None if they differ in columns or dtype.

        Args:
            data: samples of shape (..., columns).
            check: called with each shape and dtype; raises ArgumentError for a wrong one.
        """
        whole = data.dense() if data.is_dense_tensor() else data.stored.flat()
        samples = data.rows() if whole is None else []
        shapes = data.shape() if whole is not None else [row.shape for row in samples]
        forms = {(row.shape, row.dtype) for row in samples}
        if whole is not None:
            forms = {(shape, whole.dtype) for shape in set(shapes)}
        for form in forms:
            check(*form)
        if len({(shape[-1], dtype) for shape, dtype in forms}) > 1:
            return None
        columns = shapes[0][-1]
        if whole is None:
            table = np.concatenate([row.reshape(-1, columns) for row in samples])
        else:
            table = whole.reshape(-1, columns).copy()
        counts = np.array([prod(shape[:-1]) for shape in shapes], np.int64)
        return cls(table, counts, shapes)

    def each(self, values: Array) -> Array:
        """Return the values of each row, given those of each sample along axis 0."""
        return np.repeat(values, self.counts, axis=0)

    def samples(self) -> Any:
        """Return the table as samples of the shapes that were joined."""
        if len(set(self.shapes)) == 1:
            return self.table.reshape(len(self.shapes), *self.shapes[0])
        if all(len(shape) == 2 for shape in self.shapes):
            return packed_between(self.table, bounds_of(self.counts))
        ends = np.cumsum(self.counts).tolist()
        places = zip(self.shapes, [0, *ends[:-1]], ends, strict=True)
        return [self.table[start:end].reshape(shape) for shape, start, end in places]
