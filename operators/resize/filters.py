"""Resampling filters: the weight of an input sample by its distance from the output sample.

The filters are those of NVIDIA DALI's `fn.resize`. DALI reads the curved ones from short tables
and interpolates linearly between the entries. This module makes the same tables, because the
interpolation changes the third digit of a weight.
"""

import math
from enum import IntEnum
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Filter(IntEnum):
    """Interpolation filters; the values are DALI's `types.INTERP_*`."""

    NEAREST = 0
    LINEAR = 1
    CUBIC = 2
    LANCZOS3 = 3
    TRIANGULAR = 4
    GAUSSIAN = 5


class FilterCurve:
    """A symmetric filter, tabulated at equal steps from one end to the other."""

    def __init__(self, radius: int, values: NDArray[np.float64]) -> None:
        self._radius = radius
        self.last = np.float32(len(values) - 1)
        # Past its end the table runs out towards zero over one more step.
        self._steps = np.arange(len(values) + 1, dtype=np.float64)
        self._values = np.append(values, 0.0)

    @property
    def table(self) -> NDArray[np.float32]:
        """The filter at equal steps, and a zero."""
        return self._values.astype(np.float32)

    def fit(self, stretch: Any) -> tuple[Any, Any]:
        """Return the table steps an input pixel, and the pixels from start to middle.

        Args:
            stretch: a float32 or an array of float32, by which the filter widens; the results
                have the same shape.
        """
        step = self.last / self._width(stretch)
        return step, self.last / np.float32(2) / step

    def sample(self, offsets: NDArray[np.float32], step: np.float32) -> NDArray[np.float32]:
        """Return the filter's value at `offsets`, which count pixels from the filter's start."""
        values: NDArray[np.float32]
        values = np.interp(offsets * step, self._steps, self._values).astype(np.float32)
        return values

    def _width(self, stretch: Any) -> Any:
        return np.float32(2 * self._radius) * stretch


class _Triangle(FilterCurve):
    """The straight filter, which needs no table."""

    def __init__(self) -> None:
        super().__init__(1, np.array([0.0, 1.0, 0.0]))

    def sample(self, offsets: NDArray[np.float32], step: np.float32) -> NDArray[np.float32]:
        offsets *= step
        offsets -= np.float32(1)
        np.abs(offsets, out=offsets)
        np.subtract(np.float32(1), offsets, out=offsets)
        return np.maximum(offsets, np.float32(0), out=offsets)


class _Gaussian(FilterCurve):
    """exp(-x * x) for x from -2 to 2."""

    def __init__(self) -> None:
        distance = np.linspace(-2.0, 2.0, 65)
        super().__init__(1, np.exp(-distance * distance))

    def _width(self, stretch: object) -> Any:
        # DALI computes the width from the standard deviation, and rounds on the way. The filter
        # does not vanish at its ends, so the rounding decides which samples count.
        sigma = np.asarray(stretch, np.float64) * 0.5 / math.sqrt(2.0)
        return np.float32(4.0 * math.sqrt(2.0)) * sigma.astype(np.float32)


def _lanczos3() -> FilterCurve:
    distance = np.linspace(-3.0, 3.0, 193)
    return FilterCurve(3, np.sinc(distance) * np.sinc(distance / 3))


def _cubic() -> FilterCurve:
    """Keys' convolution kernel with a = -0.5 (R. Keys, 1981), also known as Catmull-Rom."""
    x = np.abs(np.linspace(-2.0, 2.0, 129))
    inner = (1.5 * x - 2.5) * x * x + 1.0
    outer = ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    return FilterCurve(2, np.where(x <= 1.0, inner, outer))


CURVES = {
    Filter.LINEAR: _Triangle(),
    Filter.CUBIC: _cubic(),
    Filter.LANCZOS3: _lanczos3(),
    Filter.GAUSSIAN: _Gaussian(),
}
"""The filters that weigh several samples, by name."""


class CurveTables(NamedTuple):
    """The filters' curves for the GPU.

    Attributes:
        values: the tables one after the other: (values,) float32.
        starts, lasts: by filter, the start of its table and its last step. The triangle and nearest
            neighbor need no table, and their start is -1.
    """

    values: NDArray[np.float32]
    starts: NDArray[np.int32]
    lasts: NDArray[np.float32]


@cache
def curve_tables() -> CurveTables:
    """Return the curves of all filters."""
    starts = np.full(len(Filter), -1, np.int32)
    lasts = np.zeros(len(Filter), np.float32)
    tables: list[NDArray[np.float32]] = []
    for number, curve in CURVES.items():
        if number is not Filter.LINEAR:
            starts[number] = sum(map(len, tables))
            lasts[number] = curve.last
            tables.append(curve.table)
    return CurveTables(np.concatenate(tables), starts, lasts)
