"""Signatures of the operators; made by docs/generate.py from their declarations."""

import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike

from penstock import fn as _fn
from penstock.engine.graph.nodes import DataNode
from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType

def gaussian(
    data: DataNode,
    /,
    *,
    mean: float | DataNode | None = ...,
    stddev: float | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Adds numbers of a normal distribution to the elements.

    Results are rounded and clamped as `cast` does. CPU and GPU agree within 1 in integers, and
    1e-5 of `stddev` in floats.

    Inputs:
        data: any samples of numbers.

    Outputs:
        the samples: of the input's shape, type and layout.

    Args:
        mean (float | DataNode | None): Mean of the numbers. Default: 0.0.
        stddev (float | DataNode | None): Standard deviation of the numbers. Default: 1.0.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def salt_and_pepper(
    data: DataNode,
    /,
    *,
    pepper_val: float | DataNode | None = ...,
    per_channel: bool | None = ...,
    prob: float | DataNode | None = ...,
    salt_val: float | DataNode | None = ...,
    salt_vs_pepper: float | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Sets elements to the value of salt or of pepper.

    All channels of a pixel get the same value, unless `per_channel` is set. CPU and GPU agree
    exactly.

    Inputs:
        data: any samples of numbers; without a layout the last axis is that of channels.

    Outputs:
        the samples: of the input's shape, type and layout.

    Args:
        pepper_val (float | DataNode | None): Value of pepper; by default the smallest integer
            of the type, -1 for floats.
        per_channel (bool | None): Whether each channel of a pixel is drawn alone. Default:
            False.
        prob (float | DataNode | None): Probability of salt or pepper. Default: 0.05.
        salt_val (float | DataNode | None): Value of salt; by default the largest integer of the
            type, 1 for floats.
        salt_vs_pepper (float | DataNode | None): Probability of salt where there is salt or
            pepper. Default: 0.5.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def shot(
    data: DataNode,
    /,
    *,
    factor: float | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
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
        factor (float | DataNode | None): What an event adds. Default: 20.0.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """
