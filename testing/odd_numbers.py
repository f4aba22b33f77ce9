"""Odd numbers as the values of an argument by sample, on each device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ..engine import errors
from ..engine.arrays import Array
from ..engine.graph.operator import OPERATORS
from ..engine.graph.params import ANY_FLOAT, ANY_FLOATS, FLOAT, FLOATS, INT, INTS
from ..engine.pipeline.fed_batches import Failure
from .agreement import Rows, on_device

_HUGE = 2.0**100  # some 1e30; times a power of 2, terms that cancel one another still do so exactly
_NUMBERS = np.nan, np.inf, -np.inf, _HUGE, -_HUGE
ODD = MappingProxyType(  # numbers that some operators refuse, by the type of the argument
    dict.fromkeys((INT, INTS), (*_NUMBERS, 0.5))
    | dict.fromkeys((FLOAT, FLOATS, ANY_FLOAT, ANY_FLOATS), _NUMBERS)
)
_CLOSE = 1e-5  # of float32 numbers, relative to the largest of the sample


class Refusal(NamedTuple):
    """An error: the name of its class, its text, and whether the whole batch has it."""

    kind: str
    text: str
    of_batch: bool = False


Outcome = Refusal | Rows
"""Of a sample: its error, or its row of each output."""


class OddArgument(NamedTuple):
    """An argument by sample, and what goes with it.

    Attributes:
        operator: name of the operator.
        name: of the argument.
        usual: a value for each sample of the inputs.
        inputs: samples of each input.
        options: of `on_device`.
    """

    operator: str
    name: str
    usual: Sequence[Array]
    inputs: Sequence[Sequence[Any]]
    options: Mapping[str, Any]

    def differences(self, largest: float) -> list[str] | None:
        """Return which odd numbers the devices take differently; None if no usual value goes.

        Args:
            largest: difference of two results that is allowed.
        """
        kind = OPERATORS[self.operator]
        numbers = ODD.get(kind.params[self.name].type, ())
        said = {}
        for device in kind.devices:
            said[device] = self._outcomes(device, numbers)
            if isinstance(said[device][0], Refusal):
                return None
        each = zip(("a usual value", *numbers), *said.values(), strict=True)
        return [
            f"{self.name}={number}: {dict(zip(said, outcomes, strict=True))}"
            for number, *outcomes in each
            if not _alike(outcomes, largest)
        ]

    def _outcomes(self, device: str, numbers: Sequence[float]) -> list[Outcome]:
        """Return what a usual value gives, and what each number gives: samples of one batch."""
        rows = [i % len(self.usual) for i in range(1 + len(numbers))]
        values = [self.usual[i].astype(np.float32) for i in rows]
        for value, number in zip(values[1:], numbers, strict=True):
            value[...] = number
        failures: dict[int, Failure] = {}
        try:
            outputs = on_device(
                device,
                self.operator,
                *([samples[i] for i in rows] for samples in self.inputs),
                per_sample={self.name: values},
                batch_size=len(rows),
                failures=failures,
                **self.options,
            ).outputs
        except Exception as error:
            refusal = Refusal(type(error).__name__, str(error), of_batch=True)
            return self._apart(device, numbers, refusal)
        return [
            Refusal(*failures[i][:2]) if i in failures else [output[i] for output in outputs]
            for i in range(len(rows))
        ]

    def _apart(self, device: str, numbers: Sequence[float], refusal: Refusal) -> list[Outcome]:
        """Return `_outcomes` of numbers whose batch has an error: each one has a batch then."""
        if len(numbers) < 2:
            return [refusal] * (1 + len(numbers))
        (usual,) = self._outcomes(device, ())
        if isinstance(usual, Refusal):
            return [usual] * (1 + len(numbers))
        return [usual, *(self._outcomes(device, [number])[1] for number in numbers)]


def _alike(outcomes: Sequence[Outcome], largest: float) -> bool:
    """Return whether devices give one result, or one error that the package has made."""
    refusals = [outcome for outcome in outcomes if isinstance(outcome, Refusal)]
    if refusals:
        is_own = hasattr(errors, refusals[0].kind)
        return is_own and len(refusals) == len(outcomes) and len({*refusals}) == 1
    first, *others = [outcome for outcome in outcomes if not isinstance(outcome, Refusal)]
    return all(
        _close(row, wanted, largest)
        for other in others
        for row, wanted in zip(other, first, strict=True)
    )


def _close(row: Array, wanted: Array, largest: float) -> bool:
    if (row.shape, row.dtype) != (wanted.shape, wanted.dtype):
        return False
    exact, expected = row.astype(np.float64), wanted.astype(np.float64)
    size = np.abs(expected[np.isfinite(expected)]).max(initial=0)
    return np.allclose(exact, expected, _CLOSE, max(largest, _CLOSE * size), equal_nan=True)
