"""Signatures of the operators; made by docs/generate.py from their declarations."""

import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike

from penstock import fn as _fn
from penstock.engine.graph.nodes import DataNode
from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType

def beta(
    shape_like: DataNode | None = ...,
    /,
    *,
    shape: int | _abc.Sequence[int] | DataNode | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    alpha: float | DataNode | None = ...,
    beta: float | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
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
        shape (int | Sequence[int] | DataNode | None): Shape of a sample's output; by default
            one number, of shape ().
        dtype (DALIDataType | DTypeLike | None): Dtype of the output. For integer dtypes numbers
            are rounded, halves away from zero, and clamped to the dtype's range.
        alpha (float | DataNode | None): Above 0; the larger, the nearer to 1. Default: 1.0.
        beta (float | DataNode | None): Above 0; the larger, the nearer to 0. Default: 1.0.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def choice(
    a: DataNode,
    shape_like: DataNode | None = ...,
    /,
    *,
    p: float | _abc.Sequence[float] | DataNode | None = ...,
    shape: int | _abc.Sequence[int] | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
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
        p (float | Sequence[float] | DataNode | None): Probability of each element; they must
            add up to 1. All equal by default.
        shape (int | Sequence[int] | DataNode | None): Shape of the draw. By default one element
            is drawn, and the output lacks the first dimension.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def coin_flip(
    shape_like: DataNode | None = ...,
    /,
    *,
    shape: int | _abc.Sequence[int] | DataNode | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    probability: float | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
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
        shape (int | Sequence[int] | DataNode | None): Shape of a sample's output; by default
            one number, of shape ().
        dtype (DALIDataType | DTypeLike | None): Dtype of the output. For integer dtypes numbers
            are rounded, halves away from zero, and clamped to the dtype's range.
        probability (float | DataNode | None): Probability of 1, from 0 to 1. Default: 0.5.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def normal(
    shape_like: DataNode | None = ...,
    /,
    *,
    shape: int | _abc.Sequence[int] | DataNode | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    mean: float | DataNode | None = ...,
    stddev: float | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
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
        shape (int | Sequence[int] | DataNode | None): Shape of a sample's output; by default
            one number, of shape ().
        dtype (DALIDataType | DTypeLike | None): Dtype of the output. For integer dtypes numbers
            are rounded, halves away from zero, and clamped to the dtype's range.
        mean (float | DataNode | None): Mean. Default: 0.0.
        stddev (float | DataNode | None): Standard deviation. Default: 1.0.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def uniform(
    shape_like: DataNode | None = ...,
    /,
    *,
    shape: int | _abc.Sequence[int] | DataNode | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    range: float | _abc.Sequence[float] | DataNode | None = ...,
    values: float | _abc.Sequence[float] | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
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
        shape (int | Sequence[int] | DataNode | None): Shape of a sample's output; by default
            one number, of shape ().
        dtype (DALIDataType | DTypeLike | None): Dtype of the output. For integer dtypes numbers
            are rounded, halves away from zero, and clamped to the dtype's range.
        range (float | Sequence[float] | DataNode | None): Numbers are drawn from [range[0],
            range[1]). Excludes `values`. Default: (-1.0, 1.0).
        values (float | Sequence[float] | DataNode | None): The numbers to draw from, all
            equally likely. Excludes `range`.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """
