"""`fn.reductions`: sum, mean, mean_square, rms, std_dev, variance, min and max."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.gpu.kernels import c_type
from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array, register
from ...engine.graph.params import INT, param
from .cpu_reduce import reduce_axes
from .gpu_reduce import GpuReduction
from .reduction_operator import DTYPE_PARAM, Axes, DType, ReductionOperator

if TYPE_CHECKING:
    from ...engine.graph.context import BatchContext

_DOUBLE = np.dtype(np.float64)
_SUM_TYPES = {"b": np.dtype("u8"), "u": np.dtype("u8"), "i": np.dtype("i8")}


def _sum_type(source: DType) -> DType:
    """Return the type in which numbers are summed."""
    return _SUM_TYPES.get(source.kind, _DOUBLE)


def _mean_type(source: DType) -> DType:
    return _DOUBLE if source == _DOUBLE else np.dtype(np.float32)


def _squares(workspace: Workspace, data: Array) -> Array:
    """Return the squares; those of small integers fit float32."""
    exact = np.dtype(np.float32) if data.dtype.itemsize == 1 else _DOUBLE
    squares = workspace.scratch(data.shape, exact)
    return np.square(data, out=squares, dtype=exact, casting="unsafe")


def _divided(workspace: Workspace, total: Array, divisor: int) -> Array:
    out = workspace.scratch(total.shape, _DOUBLE)
    return np.divide(total, np.float64(divisor), out=out)


@register
class Sum(ReductionOperator):
    """Computes the sum of the elements along axes.

    Inputs:
        data: any samples of numbers.

    Outputs:
        the sums: of dtype `dtype`, by default uint64, int64 or the input's floating point type.
        The layout lacks the letters of reduced axes.
    """

    name = "reductions.sum"
    dtype = DTYPE_PARAM

    def result_type(self, source: DType) -> DType:
        return _SUM_TYPES.get(source.kind, source)

    def computed(
        self, workspace: Workspace, data: Array, axes: Axes, divisor: int, mean: Array | None
    ) -> Array:
        return reduce_axes(workspace, np.add, data, axes, _sum_type(data.dtype))

    def gpu_reduction(self, source: DType) -> GpuReduction:
        return GpuReduction(c_type(_sum_type(source)), "x" if source.kind != "f" else "(double)x")


@register
class Mean(ReductionOperator):
    """Computes the mean of the elements along axes. The mean of no elements is NaN.

    Inputs:
        data: any samples of numbers.

    Outputs:
        the means: of dtype `dtype`, by default float32, or float64 for float64. The layout lacks
        the letters of reduced axes.
    """

    name = "reductions.mean"
    dtype = DTYPE_PARAM

    def result_type(self, source: DType) -> DType:
        return _mean_type(source)

    def computed(
        self, workspace: Workspace, data: Array, axes: Axes, divisor: int, mean: Array | None
    ) -> Array:
        total = reduce_axes(workspace, np.add, data, axes, _sum_type(data.dtype))
        return _divided(workspace, total, divisor)

    def gpu_reduction(self, source: DType) -> GpuReduction:
        return GpuReduction(
            c_type(_sum_type(source)),
            "x" if source.kind != "f" else "(double)x",
            result="(double)a / count",
        )


class _MeanOfSquares(ReductionOperator):
    """Base of operators that average the squares of elements, or of distances from a mean.

    Attributes:
        gpu_term: the square of an element x, as C++.
        takes_root: whether the result is the root of the mean.
    """

    gpu_term = "(double)x * (double)x"
    takes_root = False

    def result_type(self, source: DType) -> DType:
        return _mean_type(source)

    def squares(self, workspace: Workspace, data: Array, mean: Array | None) -> Array:
        """Return the squares of the elements."""
        return _squares(workspace, data)

    def computed(
        self, workspace: Workspace, data: Array, axes: Axes, divisor: int, mean: Array | None
    ) -> Array:
        squares = self.squares(workspace, data, mean)
        result = _divided(
            workspace, reduce_axes(workspace, np.add, squares, axes, _DOUBLE), divisor
        )
        return np.sqrt(result) if self.takes_root else result

    def gpu_reduction(self, source: DType) -> GpuReduction:
        result = "sqrt(a / count)" if self.takes_root else "a / count"
        return GpuReduction("double", self.gpu_term, result=result)


@register
class MeanSquare(_MeanOfSquares):
    """Computes the mean of the squares of the elements along axes.

    Inputs:
        data: any samples of numbers.

    Outputs:
        the means: of dtype `dtype`, by default float32, or float64 for float64. The layout lacks
        the letters of reduced axes.
    """

    name = "reductions.mean_square"
    dtype = DTYPE_PARAM


@register
class RootMeanSquare(_MeanOfSquares):
    """Computes the root of the mean of the squares of the elements along axes.

    Inputs:
        data: any samples of numbers.

    Outputs:
        the roots: of dtype `dtype`, by default float32, or float64 for float64. The layout lacks
        the letters of reduced axes.
    """

    name = "reductions.rms"
    dtype = DTYPE_PARAM
    takes_root = True


class _Spread(_MeanOfSquares):
    """Base of operators on the squares of distances from a mean."""

    inputs: ClassVar[tuple[str, ...]] = ("data", "mean")
    gpu_term = "((double)x - mean) * ((double)x - mean)"

    ddof = param(
        INT, 0, "The divisor is the number of elements less `ddof`, and at least 0.", minimum=0
    )

    def squares(self, workspace: Workspace, data: Array, mean: Array | None) -> Array:
        assert mean is not None
        exact = workspace.scratch(data.shape, _DOUBLE)
        np.subtract(data, mean, out=exact, dtype=_DOUBLE, casting="unsafe")
        return np.square(exact, out=exact)


@register
class Variance(_Spread):
    """Computes the mean square distance of the elements from a mean, along axes.

    Inputs:
        data: any samples of numbers.
        mean: a number for each sample, or one for each result.

    Outputs:
        the variances: float32, or float64 for float64. The layout lacks the letters of reduced
        axes.
    """

    name = "reductions.variance"


@register
class StdDev(_Spread):
    """Computes the root of the mean square distance of the elements from a mean, along axes.

    Inputs:
        data: any samples of numbers.
        mean: a number for each sample, or one for each result.

    Outputs:
        the deviations: float32, or float64 for float64. The layout lacks the letters of reduced
        axes.
    """

    name = "reductions.std_dev"
    takes_root = True


class _Extreme(ReductionOperator):
    """Base of operators that select an element."""

    function: np.ufunc
    gpu_join: str
    gpu_start: tuple[str, str]

    def result_type(self, source: DType) -> DType:
        return source

    def computed(
        self, workspace: Workspace, data: Array, axes: Axes, divisor: int, mean: Array | None
    ) -> Array:
        self._check_some(data.shape, axes)
        return reduce_axes(workspace, self.function, data, axes, data.dtype)

    def _check_some(self, shape: tuple[int, ...], axes: Axes) -> None:
        if any(shape[axis] == 0 for axis in axes):
            self.refuse(
                f"a sample of the shape {shape} has no elements along the axes {axes}, so it has "
                "no extremes"
            )

    def _check_batch(self, batch: BatchContext, shapes: Array, axes: Axes, mean: Any) -> None:
        for row in np.flatnonzero((shapes[:, list(axes)] == 0).any(axis=1)).tolist():
            try:
                self._check_some(tuple(shapes[row].tolist()), axes)
            except ArgumentError as error:
                batch.errors.setdefault(row, error)

    def gpu_reduction(self, source: DType) -> GpuReduction:
        acc = "float" if source == np.float16 else c_type(source)
        return GpuReduction(acc, "x", join=self.gpu_join, start=self.gpu_start[source.kind != "f"])


@register
class Min(_Extreme):
    """Selects the least element along axes; NaN if there is one.

    Inputs:
        data: any samples of numbers; reduced axes must not be empty.

    Outputs:
        the least elements: of the input's type. The layout lacks the letters of reduced axes.
    """

    name = "reductions.min"
    function = np.minimum
    gpu_join = "lesser(a, b)"
    gpu_start = "__uint_as_float(0x7f800000u)", "Type<In>::most"


@register
class Max(_Extreme):
    """Selects the largest element along axes; NaN if there is one.

    Inputs:
        data: any samples of numbers; reduced axes must not be empty.

    Outputs:
        the largest elements: of the input's type. The layout lacks the letters of reduced axes.
    """

    name = "reductions.max"
    function = np.maximum
    gpu_join = "greater(a, b)"
    gpu_start = "-__uint_as_float(0x7f800000u)", "Type<In>::least"
