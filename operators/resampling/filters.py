"""Resampling kernels and where on an axis they are sampled.

The kernels are those of NVIDIA DALI's `fn.resize`. Its curved kernels are read from short
tables with linear interpolation between entries; the same tables are made here, because
what the interpolation loses shows in the third digit.
"""

import math
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

# More taps than this for one axis means a region far larger than any image.
MAX_TAPS = 1 << 23

# What DALI estimates that a tap of a row and of a column cost, and a sample beside its taps.
ROW_COST, COLUMN_COST, SAMPLE_COST = 1.0, 1.4, 3.0


class Filter(IntEnum):
    """Interpolation filters; the values are DALI's `types.INTERP_*`."""

    NEAREST = 0
    LINEAR = 1
    CUBIC = 2
    LANCZOS3 = 3
    TRIANGULAR = 4
    GAUSSIAN = 5


@dataclass(frozen=True, slots=True)
class Axis:
    """How one axis is resampled; hashable, so that it keys the cache of weights.

    `start` and `end` are in pixels of the input, edge coordinates (pixel i covers i to
    i + 1); `start > end` mirrors the axis. Samples outside the input repeat its border.
    """

    in_size: int
    out_size: int
    start: float
    end: float
    filter: Filter
    stretched: bool
    """The kernel widens by the reduction factor, which is what antialiasing is."""
    base: int = 0
    """Positions are computed relative to this pixel, which decides their last bits."""

    @property
    def scale(self) -> np.float32:
        """Input pixels per output pixel, negative where the axis is mirrored."""
        return (np.float32(self.end) - np.float32(self.start)) / np.float32(self.out_size)

    def copies(self) -> bool:
        """Whether every output sample is exactly one input sample."""
        if self.filter is Filter.NEAREST:
            return True
        return (
            self.filter is not Filter.GAUSSIAN
            and abs(self.end - self.start) == self.out_size
            and self.start == math.floor(self.start)
            and min(self.start, self.end) >= 0
            and max(self.start, self.end) <= self.in_size
        )


def choose_filter(
    extent: float, out_size: int, min_filter: Filter, mag_filter: Filter, antialias: bool
) -> tuple[Filter, bool]:
    """The filter for an axis and whether it is stretched, by DALI's rules.

    Shrinking takes `min_filter`, anything else `mag_filter`. TRIANGULAR is LINEAR that is
    always meant to be antialiased: without antialiasing, or when enlarging, it is LINEAR.
    """
    shrinks = out_size < extent
    chosen = min_filter if shrinks else mag_filter
    if chosen is Filter.TRIANGULAR:
        chosen = Filter.LINEAR
    return chosen, shrinks and antialias and chosen is not Filter.NEAREST


def with_bases(vertical: Axis, horizontal: Axis) -> tuple[Axis, Axis]:
    """Both axes of a region with their `base`.

    A sample may lie just between two pixels, or just where the Gaussian breaks off; then
    the last bit of float32 decides. DALI crops the axis that it resamples last and computes
    its positions from there. Which axis is last follows from an estimate of the cost.
    """
    top, height, rows_cost = _extent_and_cost(vertical, ROW_COST)
    left, width, columns_cost = _extent_and_cost(horizontal, COLUMN_COST)
    result = vertical.out_size * horizontal.out_size
    rows_first = vertical.out_size * width * rows_cost + result * columns_cost
    columns_first = height * horizontal.out_size * columns_cost + result * rows_cost
    if rows_first < columns_first:
        return vertical, replace(horizontal, base=left)
    return replace(vertical, base=top), horizontal


def _extent_and_cost(axis: Axis, tap_cost: float) -> tuple[int, int, float]:
    """First pixel in the filter's reach, number of pixels, cost of a result."""
    anchor, support = np.float32(0), 1
    if axis.filter is not Filter.NEAREST:
        _, anchor, support = _fit(axis)
    low = np.float32(min(axis.start, axis.end)) - anchor
    high = np.float32(max(axis.start, axis.end)) - anchor + np.float32(support)
    first = min(max(math.floor(low), 0), axis.in_size)
    end = min(max(math.ceil(high), 0), axis.in_size)
    return first, end - first, tap_cost * support + SAMPLE_COST


def nearest_indices(axis: Axis, *, stepwise: bool) -> NDArray[np.intp]:
    """Input index of every output sample, shape (out_size,), clamped into the input.

    DALI finds rows by adding the scale again and again in float32 (`stepwise`), columns by
    multiplying.
    """
    scale = axis.scale
    start = np.float32(axis.start) - np.float32(axis.base)
    if stepwise:
        steps = np.full(axis.out_size, scale, np.float32)
        steps[0] = start + np.float32(0.5) * scale
        positions = np.add.accumulate(steps)
    else:
        centres = np.arange(axis.out_size, dtype=np.float32) + np.float32(0.5)
        positions = centres * scale + start
    indices: NDArray[np.intp] = np.floor(positions).astype(np.intp) + axis.base
    return np.clip(indices, 0, axis.in_size - 1, out=indices)


def taps(axis: Axis) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """First input index of every output sample and its normalised weights.

    Returns indices of shape (out_size,), not clamped into the input, and weights of shape
    (out_size, support). Positions are computed in float32, step by step as DALI does.

    Raises:
        ValueError: the region is so large that the weights would not fit into memory.
    """
    scale = axis.scale
    step, anchor, support = _fit(axis)
    if support * axis.out_size > MAX_TAPS:
        raise ValueError(
            f"cannot resample the region {axis.start} to {axis.end} of {axis.in_size} pixels to "
            f"{axis.out_size}: each output sample would weigh {support} input samples; "
            "choose a region nearer to the size of the image"
        )
    start = np.float32(axis.start) - np.float32(axis.base)
    start += np.float32(0.5) * scale - np.float32(0.5) - anchor
    begin = np.arange(axis.out_size, dtype=np.float32) * scale + start
    first = np.ceil(begin)
    offsets = np.arange(support, dtype=np.float32) + (first - begin)[:, None]
    weights = KERNELS[axis.filter].sample(offsets, step)
    weights /= np.add.reduce(weights, axis=1, keepdims=True)
    return first.astype(np.intp) + axis.base, weights


def _fit(axis: Axis) -> tuple[np.float32, np.float32, int]:
    """The kernel's table steps an input pixel, pixels to its middle, and samples it weighs."""
    kernel = KERNELS[axis.filter]
    step, anchor = kernel.fit(abs(axis.scale) if axis.stretched else np.float32(1))
    return step, anchor, math.ceil(kernel.last / step)


class _Kernel:
    """A symmetric window, tabled at equal steps from one end to the other."""

    def __init__(self, radius: int, values: NDArray[np.float64]) -> None:
        self._radius = radius
        self.last = np.float32(len(values) - 1)
        # Past its end the table runs out towards zero over one more step.
        self._steps = np.arange(len(values) + 1, dtype=np.float64)
        self._values = np.append(values, 0.0)

    @property
    def table(self) -> NDArray[np.float32]:
        """The window at equal steps, and a zero."""
        return self._values.astype(np.float32)

    def fit(self, stretch: Any) -> tuple[Any, Any]:
        """Table steps an input pixel, and pixels from the window's begin to its middle.

        `stretch` is a float32, or an array of them, and so are the results.
        """
        step = self.last / self._width(stretch)
        return step, self.last / np.float32(2) / step

    def sample(self, offsets: NDArray[np.float32], step: np.float32) -> NDArray[np.float32]:
        """The window's value at `offsets`, in pixels from its begin."""
        values: NDArray[np.float32]
        values = np.interp(offsets * step, self._steps, self._values).astype(np.float32)
        return values

    def _width(self, stretch: Any) -> Any:
        return np.float32(2 * self._radius) * stretch


class _Triangle(_Kernel):
    """The straight window, which needs no table."""

    def __init__(self) -> None:
        super().__init__(1, np.array([0.0, 1.0, 0.0]))

    def sample(self, offsets: NDArray[np.float32], step: np.float32) -> NDArray[np.float32]:
        offsets *= step
        offsets -= np.float32(1)
        np.abs(offsets, out=offsets)
        np.subtract(np.float32(1), offsets, out=offsets)
        return np.maximum(offsets, np.float32(0), out=offsets)


class _Gaussian(_Kernel):
    """exp(-x * x) for x from -2 to 2."""

    def __init__(self) -> None:
        distance = np.linspace(-2.0, 2.0, 65)
        super().__init__(1, np.exp(-distance * distance))

    def _width(self, stretch: Any) -> Any:
        # By way of the standard deviation, as DALI does: it does not round to twice the
        # radius, and the window does not vanish where that decides which samples count.
        sigma = np.asarray(stretch, np.float64) * 0.5 / math.sqrt(2.0)
        return np.float32(4.0 * math.sqrt(2.0)) * sigma.astype(np.float32)


def _lanczos3() -> _Kernel:
    distance = np.linspace(-3.0, 3.0, 193)
    return _Kernel(3, np.sinc(distance) * np.sinc(distance / 3))


def _cubic() -> _Kernel:
    """Keys' convolution kernel with a = -0.5 (R. Keys, 1981), also known as Catmull-Rom."""
    x = np.abs(np.linspace(-2.0, 2.0, 129))
    inner = (1.5 * x - 2.5) * x * x + 1.0
    outer = ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    return _Kernel(2, np.where(x <= 1.0, inner, outer))


KERNELS = {
    Filter.LINEAR: _Triangle(),
    Filter.CUBIC: _cubic(),
    Filter.LANCZOS3: _lanczos3(),
    Filter.GAUSSIAN: _Gaussian(),
}
