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
def gaussian(
    data: TensorLike,
    /,
    *,
    mean: float | TensorLike | None = ...,
    stddev: float | TensorLike | None = ...,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Tensor:
    """Adds numbers of a normal distribution to the elements.

    Results are rounded and clamped as `cast` does. CPU and GPU agree within 1 in integers, and
    1e-5 of `stddev` in floats.

    Inputs:
        data: any samples of numbers.

    Outputs:
        the samples: of the input's shape, type and layout.

    Args:
        mean (float | TensorLike | Batch | None): Mean of the numbers. Default: 0.0.
        stddev (float | TensorLike | Batch | None): Standard deviation of the numbers. Default:
            1.0.
        batch_size (int | None): number of samples, if no input and no argument is a batch.
        device (DeviceLike | None): where it runs: cpu, gpu. Default: where the inputs are.
        rng (RNG | None): generator of random numbers. Default: that of the thread.
    """

@overload
def gaussian(
    data: TensorLike | Batch,
    /,
    *,
    mean: float | TensorLike | Batch | None = ...,
    stddev: float | TensorLike | Batch | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Batch: ...
@overload
def salt_and_pepper(
    data: TensorLike,
    /,
    *,
    pepper_val: float | TensorLike | None = ...,
    per_channel: _builtins.bool | None = ...,
    prob: float | TensorLike | None = ...,
    salt_val: float | TensorLike | None = ...,
    salt_vs_pepper: float | TensorLike | None = ...,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Tensor:
    """Sets elements to the value of salt or of pepper.

    All channels of a pixel get the same value, unless `per_channel` is set. CPU and GPU agree
    exactly.

    Inputs:
        data: any samples of numbers; without a layout the last axis is that of channels.

    Outputs:
        the samples: of the input's shape, type and layout.

    Args:
        pepper_val (float | TensorLike | Batch | None): Value of pepper; by default the smallest
            integer of the type, -1 for floats.
        per_channel (bool | None): Whether each channel of a pixel is drawn alone. Default:
            False.
        prob (float | TensorLike | Batch | None): Probability of salt or pepper. Default: 0.05.
        salt_val (float | TensorLike | Batch | None): Value of salt; by default the largest
            integer of the type, 1 for floats.
        salt_vs_pepper (float | TensorLike | Batch | None): Probability of salt where there is
            salt or pepper. Default: 0.5.
        batch_size (int | None): number of samples, if no input and no argument is a batch.
        device (DeviceLike | None): where it runs: cpu, gpu. Default: where the inputs are.
        rng (RNG | None): generator of random numbers. Default: that of the thread.
    """

@overload
def salt_and_pepper(
    data: TensorLike | Batch,
    /,
    *,
    pepper_val: float | TensorLike | Batch | None = ...,
    per_channel: _builtins.bool | None = ...,
    prob: float | TensorLike | Batch | None = ...,
    salt_val: float | TensorLike | Batch | None = ...,
    salt_vs_pepper: float | TensorLike | Batch | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Batch: ...
@overload
def shot(
    data: TensorLike,
    /,
    *,
    factor: float | TensorLike | None = ...,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Tensor:
    """Replaces each element by a number of events, times `factor`.

    The number of events has a Poisson distribution with the mean `max(0, x) / factor`. A factor of
    0 leaves the sample as it is. Results are rounded and clamped as `cast` does. CPU and GPU draw
    the same numbers. Their last bits of float64 differ, which changes fewer than one of 10^9
    numbers, by one event.

    Inputs:
        data: any samples of numbers.

    Outputs:
        the samples: of the input's shape, type and layout.

    Args:
        factor (float | TensorLike | Batch | None): What an event adds. Default: 20.0.
        batch_size (int | None): number of samples, if no input and no argument is a batch.
        device (DeviceLike | None): where it runs: cpu, gpu. Default: where the inputs are.
        rng (RNG | None): generator of random numbers. Default: that of the thread.
    """

@overload
def shot(
    data: TensorLike | Batch,
    /,
    *,
    factor: float | TensorLike | Batch | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Batch: ...