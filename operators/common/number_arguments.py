"""Arguments of finite numbers, within the limits that the operator declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, Float64s
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Operator, SampleOperator
from ...engine.graph.params import NumberLimits
from ...engine.tensors import TensorList, TensorListGPU
from .batch_arguments import enter_errors, numbers_of


def check_numbers(
    operator: Operator, numbers: Mapping[str, float | Sequence[float] | Array]
) -> None:
    """Check numbers that come from data, as constants are checked.

    Args:
        operator: that declares the arguments and their limits.
        numbers: of a sample, by the names of the arguments: one each, or several.

    Raises:
        ArgumentError: a number is not finite, or outside of its limits.
    """
    for name, given in numbers.items():
        limits = operator.params[name].limits
        for number in (given,) if isinstance(given, float | int) else np.ravel(given).tolist():
            if not isfinite(number):
                operator.refuse(f"{name} is {number}; it must be finite")
            if limits is not None and not _within(np.float64(number), limits):
                operator.refuse(f"{name} is {number}; it must be {limits}")


def numbers_of_batch(
    operator: SampleOperator,
    batch: BatchContext,
    data: TensorListGPU,
    arguments: Mapping[str, object],
    possible: NDArray[np.bool_] | bool = True,
    *others: TensorList,
) -> dict[str, Float64s]:
    """Return the numbers of each argument that is given: (batch,).

    Rows with numbers that `check_numbers` refuses, or which are not `possible`, get the error that
    the CPU raises for them. Their numbers are 0. `others` are further inputs: see `enter_errors`.
    """
    numbers = {k: numbers_of(v, batch.size)[:, 0] for k, v in arguments.items() if v is not None}
    usable = np.broadcast_to(possible, batch.size).copy()
    for name, values in numbers.items():
        limits = operator.params[name].limits
        usable &= np.isfinite(values) & (limits is None or _within(values, limits))
    enter_errors(operator, batch, data, usable, arguments, *others)
    return {name: np.where(usable, values, 0.0) for name, values in numbers.items()}


def _within(values: Any, limits: NumberLimits) -> object:
    """Return which numbers are within the limits."""
    least = -np.inf if limits.minimum is None else limits.minimum
    most = np.inf if limits.maximum is None else limits.maximum
    above = -np.inf if limits.above is None else limits.above
    return (values >= least) & (values > above) & (values <= most)
