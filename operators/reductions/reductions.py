"""`fn.reductions`: sum, mean, mean_square, rms, std_dev, variance, min and max.

What each computes stands in the table of `functions`, by the name.
"""

from __future__ import annotations

from ...engine.graph.operator import register
from ...engine.graph.params import INT, param
from .reduction_operator import DTYPE_PARAM, ReductionOperator


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


@register
class MeanSquare(ReductionOperator):
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
class RootMeanSquare(ReductionOperator):
    """Computes the root of the mean of the squares of the elements along axes.

    Inputs:
        data: any samples of numbers.

    Outputs:
        the roots: of dtype `dtype`, by default float32, or float64 for float64. The layout lacks
        the letters of reduced axes.
    """

    name = "reductions.rms"
    dtype = DTYPE_PARAM


class _Spread(ReductionOperator):
    """Base of operators on the squares of distances from a mean."""

    inputs = ("data", "mean")
    ddof = param(
        INT, 0, "The divisor is the number of elements less `ddof`, and at least 0.", minimum=0
    )


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


@register
class Min(ReductionOperator):
    """Selects the least element along axes; NaN if there is one.

    Inputs:
        data: any samples of numbers; reduced axes must not be empty.

    Outputs:
        the least elements: of the input's type. The layout lacks the letters of reduced axes.
    """

    name = "reductions.min"


@register
class Max(ReductionOperator):
    """Selects the largest element along axes; NaN if there is one.

    Inputs:
        data: any samples of numbers; reduced axes must not be empty.

    Outputs:
        the largest elements: of the input's type. The layout lacks the letters of reduced axes.
    """

    name = "reductions.max"
