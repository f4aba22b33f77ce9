"""The base of the operators `transforms.*` that make the matrix of an affine map."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from ...engine.arrays import Float64s
from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, HeapWorkspace, Workspace
from ...engine.graph.operator import Array, SampleOperator
from ...engine.graph.params import BOOL, param
from ...engine.graph.row_arguments import arguments_of_row, array_of, try_rows
from ...engine.graph.rules import Input, SequenceRules
from ...engine.tensors import TensorList, TensorListCPU
from .matrices import composed

REVERSE_ORDER = param(
    BOOL,
    False,
    "Whether the input's map is applied to the results of this map. By default this map is applied "
    "to the results of the input's map.",
)


class MatrixOperator(SampleOperator, ABC):
    """Base: one map for each sample, combined with the map of the input if there is one.

    A subclass has `maps`. It gets each argument as an array (count, values), or None where the user
    gave nothing, and returns a stack of matrices.
    """

    inputs = (Input("matrix", optional=True),)
    sequences = SequenceRules(repeats_inputs=True, frame_by_frame=True)
    reverse_order = REVERSE_ORDER

    @abstractmethod
    def maps(self, known: int, *args: Any, **arguments: Any) -> Float64s:
        """Return the maps of all samples: (count, n, n + 1).

        Args:
            known: number of dimensions of the input's map; 0 without an input.
            arguments: numbers of each argument: (count, values), or None.
        """

    def output_layouts(self) -> tuple[str, ...]:
        return ("",)

    def sample(self, workspace: Workspace, matrix: Array | None = None, **values: Any) -> Array:
        arguments = {name: _numbers(value) for name, value in values.items()}
        stack = None if matrix is None else as_maps(np.asarray(matrix)[np.newaxis])
        result: Array = self._combined(stack, arguments)[0].astype(np.float32)
        return result

    def batch(
        self, batch: BatchContext, matrix: TensorList | None = None, **values: Any
    ) -> Array | TensorListCPU:
        """Make the matrices of a whole batch at once."""
        try:
            arguments = {name: self._column(name, values[name], batch.size) for name in values}
            stack = None if matrix is None else as_maps(matrix.dense())
            result = self._combined(stack, arguments).astype(np.float32)
        except ValueError:  # some samples differ from the others, or are wrong

            def one(row: int) -> Array:
                own = arguments_of_row(self, values, row)
                return self.sample(
                    HeapWorkspace(), None if matrix is None else matrix.row(row), **own
                )

            return rows_one_by_one(batch, one)
        return np.broadcast_to(result, (batch.size, *result.shape[1:]))

    def _column(self, name: str, value: object, count: int) -> Array | None:
        if not isinstance(value, TensorList):
            return _numbers(value)
        return array_of(self, name, value, count).astype(np.float64)

    def _combined(self, stack: Float64s | None, arguments: dict[str, Any]) -> Float64s:
        known = 0 if stack is None else stack.shape[1]
        with np.errstate(all="ignore"):  # NaN and infinity go through
            own = self.maps(known, **arguments)
            if stack is None:
                return own
            if own.shape[1] != known:
                self.refuse(
                    f"the input is a map of {known} dimensions, but the arguments are those of "
                    f"{own.shape[1]} dimensions"
                )
            return composed(own, stack) if self.reverse_order else composed(stack, own)


def rows_one_by_one(batch: BatchContext, make: Callable[[int], Array]) -> TensorListCPU:
    """Return the matrix that `make` returns for each row; enter its errors in the batch."""
    results: list[Array] = [np.zeros((0, 0), np.float32)] * batch.size

    def work(row: int) -> None:
        results[row] = make(row)

    try_rows(batch, range(batch.size), work)
    return TensorListCPU(results)


def _numbers(value: object) -> Float64s | None:
    """Return the value of an argument as (1, values); None where nothing was given."""
    return None if value is None or value == () else np.array(value, np.float64).reshape(1, -1)


def as_maps(stack: Array) -> Float64s:
    """Return matrices (count, n, n + 1) of numbers as float64; refuse other arrays."""
    if stack.ndim != 3 or stack.shape[2] != stack.shape[1] + 1 or stack.dtype.kind not in "iuf":
        raise ArgumentError(
            "the matrix of a map of n dimensions has the shape (n, n + 1), but the input has the "
            f"shape {stack.shape[1:]} and the dtype {stack.dtype}"
        )
    return stack.astype(np.float64)
