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
from penstock.experimental.dynamic.generators import RNG
from penstock.experimental.dynamic.kinds import DeviceLike, DTypeLike, TensorLike
from penstock.experimental.dynamic.reading import Reader
from penstock.experimental.dynamic.tensor import Tensor


@overload
def max(
    data: TensorLike,
    /,
    *,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: _builtins.bool | None = ...,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
) -> Tensor:
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
        batch_size (int | None): number of samples, if no input and no argument is a batch.
        device (DeviceLike | None): where it runs: cpu, gpu. Default: where the inputs are.
    """

@overload
def max(
    data: TensorLike | Batch,
    /,
    *,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: _builtins.bool | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Batch: ...
@overload
def mean(
    data: TensorLike,
    /,
    *,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: _builtins.bool | None = ...,
    dtype: DTypeLike | None = ...,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
) -> Tensor:
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
        batch_size (int | None): number of samples, if no input and no argument is a batch.
        device (DeviceLike | None): where it runs: cpu, gpu. Default: where the inputs are.
    """

@overload
def mean(
    data: TensorLike | Batch,
    /,
    *,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: _builtins.bool | None = ...,
    dtype: DTypeLike | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Batch: ...
@overload
def mean_square(
    data: TensorLike,
    /,
    *,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: _builtins.bool | None = ...,
    dtype: DTypeLike | None = ...,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
) -> Tensor:
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
        batch_size (int | None): number of samples, if no input and no argument is a batch.
        device (DeviceLike | None): where it runs: cpu, gpu. Default: where the inputs are.
    """

@overload
def mean_square(
    data: TensorLike | Batch,
    /,
    *,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: _builtins.bool | None = ...,
    dtype: DTypeLike | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Batch: ...
@overload
def min(
    data: TensorLike,
    /,
    *,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: _builtins.bool | None = ...,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
) -> Tensor:
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
        batch_size (int | None): number of samples, if no input and no argument is a batch.
        device (DeviceLike | None): where it runs: cpu, gpu. Default: where the inputs are.
    """

@overload
def min(
    data: TensorLike | Batch,
    /,
    *,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: _builtins.bool | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Batch: ...
@overload
def rms(
    data: TensorLike,
    /,
    *,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: _builtins.bool | None = ...,
    dtype: DTypeLike | None = ...,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
) -> Tensor:
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
        batch_size (int | None): number of samples, if no input and no argument is a batch.
        device (DeviceLike | None): where it runs: cpu, gpu. Default: where the inputs are.
    """

@overload
def rms(
    data: TensorLike | Batch,
    /,
    *,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: _builtins.bool | None = ...,
    dtype: DTypeLike | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Batch: ...
@overload
def std_dev(
    data: TensorLike,
    mean: TensorLike,
    /,
    *,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: _builtins.bool | None = ...,
    ddof: int | None = ...,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
) -> Tensor:
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
        batch_size (int | None): number of samples, if no input and no argument is a batch.
        device (DeviceLike | None): where it runs: cpu, gpu. Default: where the inputs are.
    """

@overload
def std_dev(
    data: TensorLike | Batch,
    mean: TensorLike | Batch,
    /,
    *,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: _builtins.bool | None = ...,
    ddof: int | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Batch: ...
@overload
def sum(
    data: TensorLike,
    /,
    *,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: _builtins.bool | None = ...,
    dtype: DTypeLike | None = ...,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
) -> Tensor:
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
        batch_size (int | None): number of samples, if no input and no argument is a batch.
        device (DeviceLike | None): where it runs: cpu, gpu. Default: where the inputs are.
    """

@overload
def sum(
    data: TensorLike | Batch,
    /,
    *,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: _builtins.bool | None = ...,
    dtype: DTypeLike | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Batch: ...
@overload
def variance(
    data: TensorLike,
    mean: TensorLike,
    /,
    *,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: _builtins.bool | None = ...,
    ddof: int | None = ...,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
) -> Tensor:
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
        batch_size (int | None): number of samples, if no input and no argument is a batch.
        device (DeviceLike | None): where it runs: cpu, gpu. Default: where the inputs are.
    """

@overload
def variance(
    data: TensorLike | Batch,
    mean: TensorLike | Batch,
    /,
    *,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: _builtins.bool | None = ...,
    ddof: int | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Batch: ...