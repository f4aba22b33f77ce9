"""`fn.reductions`: sum, mean, mean_square, rms, std_dev, variance, min and max.

What each computes stands in the table of `functions`, by the name.
"""

from ...engine.graph.operator import register
from ...engine.graph.params import INT, param
from .reduction_operator import DTYPE_PARAM, ReductionOperator


@register
class Sum(ReductionOperator):
    """Computes the sum of the elements along axes.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.reductions.sum([[1.0, 2.0, 3.0], [4.0, 5.0, 9.0]], axes=1))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [ 6. 18.]

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

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.reductions.mean([[1.0, 2.0, 3.0], [4.0, 5.0, 9.0]], axes=1))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [2. 6.]

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

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     output = fn.reductions.mean_square([[1.0, 2.0, 3.0], [4.0, 5.0, 9.0]], axes=1)
    ...     pipe.set_outputs(output)
    ...     (result,) = pipe.run()
    ...     print(result.at(0).round(2))
    [ 4.67 40.67]

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

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.reductions.rms([[1.0, 2.0, 3.0], [4.0, 5.0, 9.0]], axes=1))
    ...     (result,) = pipe.run()
    ...     print(result.at(0).round(2))
    [2.16 6.38]

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

    >>> from penstock import Pipeline, fn
    >>> data = [2.0, 4.0, 4.0, 6.0]
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.reductions.variance(data, fn.reductions.mean(data)))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    2.0

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

    >>> from penstock import Pipeline, fn
    >>> data = [2.0, 4.0, 4.0, 6.0]
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.reductions.std_dev(data, fn.reductions.mean(data)))
    ...     (result,) = pipe.run()
    ...     print(result.at(0).round(2))
    1.41

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

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.reductions.min([[1.0, 2.0, 3.0], [4.0, 5.0, 9.0]], axes=1))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [1. 4.]

    Inputs:
        data: any samples of numbers; reduced axes must not be empty.

    Outputs:
        the least elements: of the input's type. The layout lacks the letters of reduced axes.
    """

    name = "reductions.min"


@register
class Max(ReductionOperator):
    """Selects the largest element along axes; NaN if there is one.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.reductions.max([[1.0, 2.0, 3.0], [4.0, 5.0, 9.0]], axes=1))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [3. 9.]

    Inputs:
        data: any samples of numbers; reduced axes must not be empty.

    Outputs:
        the largest elements: of the input's type. The layout lacks the letters of reduced axes.
    """

    name = "reductions.max"
