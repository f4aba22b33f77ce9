"""Signatures of dynamic mode; made by docs/generate.py from operators' declarations."""

# mypy: disable-error-code="overload-overlap"
import builtins as _builtins
import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike

from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType
from penstock.experimental import dynamic as _dynamic
from penstock.experimental.dynamic.batch import Batch
from penstock.experimental.dynamic.generators import RNG as RNG
from penstock.experimental.dynamic.kinds import DeviceLike, DTypeLike, TensorLike
from penstock.experimental.dynamic.reading import Reader
from penstock.experimental.dynamic.tensor import Tensor

from penstock.experimental.dynamic.generators import get_default_rng as get_default_rng
from penstock.experimental.dynamic.generators import set_seed as set_seed

@overload
def beta(
    shape_like: TensorLike | None = ...,
    /,
    *,
    shape: int | _abc.Sequence[int] | TensorLike | None = ...,
    dtype: DTypeLike | None = ...,
    alpha: float | TensorLike | None = ...,
    beta: float | TensorLike | None = ...,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Tensor:
    """Draws from the beta distribution: its density is proportional to x^(alpha-1) (1-x)^(beta-1).

    Numbers lie in [0, 1]. If X and Y have gamma distributions, X / (X + Y) has this distribution.
    X and Y are drawn by the method of Marsaglia and Tsang, "A simple method for generating gamma
    variables" (2000).

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=4, num_threads=1, seed=1) as pipe:
    ...     pipe.set_outputs(fn.random.beta(alpha=2.0, beta=5.0))
    ...     (result,) = pipe.run()
    ...     print(result.as_array().round(3))
    [0.256 0.313 0.128 0.424]

    Args:
        shape (int | Sequence[int] | TensorLike | Batch | None): Shape of a sample's output; by
            default one number, of shape ().
        dtype (DALIDataType | DTypeLike | None): Dtype of the output. For integer dtypes numbers
            are rounded, halves away from zero, and clamped to the dtype's range.
        alpha (float | TensorLike | Batch | None): Above 0; the larger, the nearer to 1.
            Default: 1.0.
        beta (float | TensorLike | Batch | None): Above 0; the larger, the nearer to 0. Default:
            1.0.
        batch_size (int | None): number of samples, if no input and no argument is a batch.
        device (DeviceLike | None): where it runs: cpu, gpu. Default: where the inputs are.
        rng (RNG | None): generator of random numbers. Default: that of the thread.
    """

@overload
def beta(
    shape_like: TensorLike | Batch | None = ...,
    /,
    *,
    shape: int | _abc.Sequence[int] | TensorLike | Batch | None = ...,
    dtype: DTypeLike | None = ...,
    alpha: float | TensorLike | Batch | None = ...,
    beta: float | TensorLike | Batch | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Batch: ...
@overload
def choice(
    a: TensorLike,
    shape_like: TensorLike | None = ...,
    /,
    *,
    p: float | _abc.Sequence[float] | TensorLike | None = ...,
    shape: int | _abc.Sequence[int] | TensorLike | None = ...,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Tensor:
    """Draws elements of the first input, with replacement.

    A scalar input n, which must be an integer, means the numbers from 0 to n - 1. For other
    inputs, the elements are the entries along the first dimension.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=4, num_threads=1, seed=1) as pipe:
    ...     pipe.set_outputs(fn.random.choice(5, p=[0.1, 0.2, 0.4, 0.2, 0.1]))
    ...     (result,) = pipe.run()
    ...     print(result.as_array().tolist())
    [2, 0, 1, 2]

    Inputs:
        a: the elements to draw from.
        shape_like: samples with the shape of the draw, instead of `shape`.

    Outputs:
        the elements: of the input's dtype, shape (*shape, *element).

    Raises:
        ArgumentError: there is no element, or the probabilities do not match the elements.

    Args:
        p (float | Sequence[float] | TensorLike | Batch | None): Probability of each element;
            they must add up to 1. All equal by default.
        shape (int | Sequence[int] | TensorLike | Batch | None): Shape of the draw. By default
            one element is drawn, and the output lacks the first dimension.
        batch_size (int | None): number of samples, if no input and no argument is a batch.
        device (DeviceLike | None): where it runs: cpu, gpu. Default: where the inputs are.
        rng (RNG | None): generator of random numbers. Default: that of the thread.
    """

@overload
def choice(
    a: TensorLike | Batch,
    shape_like: TensorLike | Batch | None = ...,
    /,
    *,
    p: float | _abc.Sequence[float] | TensorLike | Batch | None = ...,
    shape: int | _abc.Sequence[int] | TensorLike | Batch | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Batch: ...
@overload
def coin_flip(
    shape_like: TensorLike | None = ...,
    /,
    *,
    shape: int | _abc.Sequence[int] | TensorLike | None = ...,
    dtype: DTypeLike | None = ...,
    probability: float | TensorLike | None = ...,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Tensor:
    """Draws 1 with the given probability, else 0.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=4, num_threads=1, seed=1) as pipe:
    ...     pipe.set_outputs(fn.random.coin_flip(probability=0.5))
    ...     (result,) = pipe.run()
    ...     print(result.as_array().tolist())
    [0, 0, 0, 1]

    Inputs:
        shape_like: samples with the shape of the output, instead of `shape`.

    Outputs:
        the numbers: of dtype `dtype` (by default int32), without a layout.

    Raises:
        ArgumentError: a probability is below 0 or above 1.

    Args:
        shape (int | Sequence[int] | TensorLike | Batch | None): Shape of a sample's output; by
            default one number, of shape ().
        dtype (DALIDataType | DTypeLike | None): Dtype of the output. For integer dtypes numbers
            are rounded, halves away from zero, and clamped to the dtype's range.
        probability (float | TensorLike | Batch | None): Probability of 1, from 0 to 1. Default:
            0.5.
        batch_size (int | None): number of samples, if no input and no argument is a batch.
        device (DeviceLike | None): where it runs: cpu, gpu. Default: where the inputs are.
        rng (RNG | None): generator of random numbers. Default: that of the thread.
    """

@overload
def coin_flip(
    shape_like: TensorLike | Batch | None = ...,
    /,
    *,
    shape: int | _abc.Sequence[int] | TensorLike | Batch | None = ...,
    dtype: DTypeLike | None = ...,
    probability: float | TensorLike | Batch | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Batch: ...
@overload
def normal(
    shape_like: TensorLike | None = ...,
    /,
    *,
    shape: int | _abc.Sequence[int] | TensorLike | None = ...,
    dtype: DTypeLike | None = ...,
    mean: float | TensorLike | None = ...,
    stddev: float | TensorLike | None = ...,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Tensor:
    """Draws from a normal distribution.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=4, num_threads=1, seed=1) as pipe:
    ...     pipe.set_outputs(fn.random.normal(mean=10.0, stddev=2.0))
    ...     (result,) = pipe.run()
    ...     print(result.as_array().round(3))
    [10.716 15.607 10.161 10.008]

    Inputs:
        shape_like: samples with the shape of the output, instead of `shape`.

    Outputs:
        the numbers: of dtype `dtype` (by default float32), without a layout.

    Args:
        shape (int | Sequence[int] | TensorLike | Batch | None): Shape of a sample's output; by
            default one number, of shape ().
        dtype (DALIDataType | DTypeLike | None): Dtype of the output. For integer dtypes numbers
            are rounded, halves away from zero, and clamped to the dtype's range.
        mean (float | TensorLike | Batch | None): Mean. Default: 0.0.
        stddev (float | TensorLike | Batch | None): Standard deviation. Default: 1.0.
        batch_size (int | None): number of samples, if no input and no argument is a batch.
        device (DeviceLike | None): where it runs: cpu, gpu. Default: where the inputs are.
        rng (RNG | None): generator of random numbers. Default: that of the thread.
    """

@overload
def normal(
    shape_like: TensorLike | Batch | None = ...,
    /,
    *,
    shape: int | _abc.Sequence[int] | TensorLike | Batch | None = ...,
    dtype: DTypeLike | None = ...,
    mean: float | TensorLike | Batch | None = ...,
    stddev: float | TensorLike | Batch | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Batch: ...
@overload
def uniform(
    shape_like: TensorLike | None = ...,
    /,
    *,
    shape: int | _abc.Sequence[int] | TensorLike | None = ...,
    dtype: DTypeLike | None = ...,
    range: float | _abc.Sequence[float] | TensorLike | None = ...,
    values: float | _abc.Sequence[float] | TensorLike | None = ...,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Tensor:
    """Draws from a continuous uniform distribution, or from given values with equal probability.

    The numbers are below the end of the range. Rounding to an integer dtype can reach the end.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=4, num_threads=1, seed=1) as pipe:
    ...     pipe.set_outputs(fn.random.uniform(range=(-1.0, 1.0)))
    ...     (result,) = pipe.run()
    ...     print(result.as_array().round(3))
    [ 0.426  0.992  0.232 -0.035]

    Inputs:
        shape_like: samples with the shape of the output, instead of `shape`.

    Outputs:
        the numbers: of dtype `dtype` (by default float32), without a layout.

    Raises:
        ArgumentError: the range is empty, or there are no values.

    Args:
        shape (int | Sequence[int] | TensorLike | Batch | None): Shape of a sample's output; by
            default one number, of shape ().
        dtype (DALIDataType | DTypeLike | None): Dtype of the output. For integer dtypes numbers
            are rounded, halves away from zero, and clamped to the dtype's range.
        range (float | Sequence[float] | TensorLike | Batch | None): Numbers are drawn from
            [range[0], range[1]). Excludes `values`. Default: (-1.0, 1.0).
        values (float | Sequence[float] | TensorLike | Batch | None): The numbers to draw from,
            all equally likely. Excludes `range`.
        batch_size (int | None): number of samples, if no input and no argument is a batch.
        device (DeviceLike | None): where it runs: cpu, gpu. Default: where the inputs are.
        rng (RNG | None): generator of random numbers. Default: that of the thread.
    """

@overload
def uniform(
    shape_like: TensorLike | Batch | None = ...,
    /,
    *,
    shape: int | _abc.Sequence[int] | TensorLike | Batch | None = ...,
    dtype: DTypeLike | None = ...,
    range: float | _abc.Sequence[float] | TensorLike | Batch | None = ...,
    values: float | _abc.Sequence[float] | TensorLike | Batch | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Batch: ...