"""The reductions: what each computes, with NumPy and as CUDA C++."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...engine.arrays import DType
from ...engine.gpu.kernels import c_type
from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array
from .cpu_reduce import reduce_axes
from .gpu_reduce import GpuReduction

Axes = tuple[int, ...]

_DOUBLE = np.dtype(np.float64)
_SUM_TYPES = {"b": np.dtype("u8"), "u": np.dtype("u8"), "i": np.dtype("i8")}


def _sum_type(source: DType) -> DType:
    """Return the type in which numbers are summed."""
    return _SUM_TYPES.get(source.kind, _DOUBLE)


def _mean_type(source: DType) -> DType:
    return _DOUBLE if source == _DOUBLE else np.dtype(np.float32)


def _sum_result(source: DType) -> DType:
    return _SUM_TYPES.get(source.kind, source)


def _double(source: DType) -> DType:
    return _DOUBLE


def _same(source: DType) -> DType:
    return source


def _elements(workspace: Workspace, data: Array) -> Array:
    return data


def _squares(workspace: Workspace, data: Array) -> Array:
    """Return the squares; those of small integers fit float32."""
    exact = np.dtype(np.float32) if data.dtype.itemsize == 1 else _DOUBLE
    squares = workspace.scratch(data.shape, exact)
    return np.square(data, out=squares, dtype=exact, casting="unsafe")


def _squared_distances(workspace: Workspace, data: Array, mean: Array) -> Array:
    exact = workspace.scratch(data.shape, _DOUBLE)
    np.subtract(data, mean, out=exact, dtype=_DOUBLE, casting="unsafe")
    return np.square(exact, out=exact)


class ReductionFunction(NamedTuple):
    """One reduction: each element gives a term, and all terms are joined.

    Attributes:
        term: returns the terms of a sample, given a workspace, the sample, and the mean that is
            the operator's further input, if it has one.
        gpu_term: the term of an element x, given that mean, as C++.
        total_type: returns the dtype in which the terms are joined, for the sample's dtype.
        result_type: returns the result's dtype if the user gives none, for the sample's dtype.
        is_mean: whether the total is divided by the number of elements.
        takes_root: whether the result is the root of that mean.
        join: joins terms.
        gpu_join: joins the terms a and b, as C++.
        gpu_start: the total of no terms, as C++, for floating point numbers and for integers.
    """

    term: Callable[..., Array]
    gpu_term: str
    total_type: Callable[[DType], DType] = _double
    result_type: Callable[[DType], DType] = _mean_type
    is_mean: bool = True
    takes_root: bool = False
    join: np.ufunc = np.add
    gpu_join: str = "a + b"
    gpu_start: tuple[str, str] = ("0", "0")

    @property
    def selects(self) -> bool:
        """Whether the result is an element, so that no elements have no result."""
        return self.join is not np.add

    def compute(
        self, workspace: Workspace, data: Array, axes: Axes, divisor: int, *mean: Array
    ) -> Array:
        """Return the results for a sample; reduced axes have the extent 1.

        Args:
            data: the sample.
            axes: to reduce.
            divisor: what a total is divided by for a mean.
            mean: what distances are measured from, if any; it broadcasts with the sample.
        """
        terms, dtype = self.term(workspace, data, *mean), self.total_type(data.dtype)
        total = reduce_axes(workspace, self.join, terms, axes, dtype)
        if not self.is_mean:
            return total
        result = workspace.scratch(total.shape, _DOUBLE)
        np.divide(total, np.float64(divisor), out=result)
        return np.sqrt(result) if self.takes_root else result

    def on_gpu(self, source: DType) -> GpuReduction:
        """Return what the GPU computes for samples of a dtype."""
        total = self.total_type(source)
        acc = "float" if total == np.float16 else c_type(total)
        result = "(double)a / count" if self.is_mean else "a"
        if self.takes_root:
            result = f"sqrt({result})"
        start = self.gpu_start[source.kind != "f"]
        return GpuReduction(acc, self.gpu_term, self.gpu_join, start, result)


_SQUARE = _squares, "(double)x * (double)x"
_SQUARED_DISTANCE = _squared_distances, "((double)x - mean) * ((double)x - mean)"

REDUCTIONS = {
    "sum": ReductionFunction(_elements, "x", _sum_type, _sum_result, is_mean=False),
    "mean": ReductionFunction(_elements, "x", _sum_type),
    "mean_square": ReductionFunction(*_SQUARE),
    "rms": ReductionFunction(*_SQUARE, takes_root=True),
    "variance": ReductionFunction(*_SQUARED_DISTANCE),
    "std_dev": ReductionFunction(*_SQUARED_DISTANCE, takes_root=True),
    "min": ReductionFunction(
        _elements,
        "x",
        _same,
        _same,
        is_mean=False,
        join=np.minimum,
        gpu_join="lesser(a, b)",
        gpu_start=("__uint_as_float(0x7f800000u)", "Type<In>::most"),
    ),
    "max": ReductionFunction(
        _elements,
        "x",
        _same,
        _same,
        is_mean=False,
        join=np.maximum,
        gpu_join="greater(a, b)",
        gpu_start=("-__uint_as_float(0x7f800000u)", "Type<In>::least"),
    ),
}
"""Every reduction by its name in `fn.reductions`."""
