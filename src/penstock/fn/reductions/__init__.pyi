"""Signatures of the operators; made by docs/generate.py from their declarations."""

import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike

from penstock import fn as _fn
from penstock.engine.graph.nodes import DataNode
from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType

def max(
    data: DataNode,
    /,
    *,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: bool | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
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

    Args:
        axes (int | Sequence[int] | None): Axes to reduce; negative ones count from the back. By
            default all axes.
        axis_names (str | None): The axes, as letters of the layout, instead of `axes`.
        keep_dims (bool | None): Whether reduced axes stay, with the extent 1. Default: False.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def mean(
    data: DataNode,
    /,
    *,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: bool | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
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

    Args:
        axes (int | Sequence[int] | None): Axes to reduce; negative ones count from the back. By
            default all axes.
        axis_names (str | None): The axes, as letters of the layout, instead of `axes`.
        keep_dims (bool | None): Whether reduced axes stay, with the extent 1. Default: False.
        dtype (DALIDataType | DTypeLike | None): Type of the result. Integers are rounded and
            clamped to its range; DALI sums in this type.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def mean_square(
    data: DataNode,
    /,
    *,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: bool | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
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

    Args:
        axes (int | Sequence[int] | None): Axes to reduce; negative ones count from the back. By
            default all axes.
        axis_names (str | None): The axes, as letters of the layout, instead of `axes`.
        keep_dims (bool | None): Whether reduced axes stay, with the extent 1. Default: False.
        dtype (DALIDataType | DTypeLike | None): Type of the result. Integers are rounded and
            clamped to its range; DALI sums in this type.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def min(
    data: DataNode,
    /,
    *,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: bool | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
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

    Args:
        axes (int | Sequence[int] | None): Axes to reduce; negative ones count from the back. By
            default all axes.
        axis_names (str | None): The axes, as letters of the layout, instead of `axes`.
        keep_dims (bool | None): Whether reduced axes stay, with the extent 1. Default: False.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def rms(
    data: DataNode,
    /,
    *,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: bool | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
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

    Args:
        axes (int | Sequence[int] | None): Axes to reduce; negative ones count from the back. By
            default all axes.
        axis_names (str | None): The axes, as letters of the layout, instead of `axes`.
        keep_dims (bool | None): Whether reduced axes stay, with the extent 1. Default: False.
        dtype (DALIDataType | DTypeLike | None): Type of the result. Integers are rounded and
            clamped to its range; DALI sums in this type.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def std_dev(
    data: DataNode,
    mean: DataNode,
    /,
    *,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: bool | None = ...,
    ddof: int | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
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

    Args:
        axes (int | Sequence[int] | None): Axes to reduce; negative ones count from the back. By
            default all axes.
        axis_names (str | None): The axes, as letters of the layout, instead of `axes`.
        keep_dims (bool | None): Whether reduced axes stay, with the extent 1. Default: False.
        ddof (int | None): The divisor is the number of elements less `ddof`, and at least 0.
            Default: 0.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def sum(
    data: DataNode,
    /,
    *,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: bool | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
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

    Args:
        axes (int | Sequence[int] | None): Axes to reduce; negative ones count from the back. By
            default all axes.
        axis_names (str | None): The axes, as letters of the layout, instead of `axes`.
        keep_dims (bool | None): Whether reduced axes stay, with the extent 1. Default: False.
        dtype (DALIDataType | DTypeLike | None): Type of the result. Integers are rounded and
            clamped to its range; DALI sums in this type.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def variance(
    data: DataNode,
    mean: DataNode,
    /,
    *,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: bool | None = ...,
    ddof: int | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
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

    Args:
        axes (int | Sequence[int] | None): Axes to reduce; negative ones count from the back. By
            default all axes.
        axis_names (str | None): The axes, as letters of the layout, instead of `axes`.
        keep_dims (bool | None): Whether reduced axes stay, with the extent 1. Default: False.
        ddof (int | None): The divisor is the number of elements less `ddof`, and at least 0.
            Default: 0.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """
