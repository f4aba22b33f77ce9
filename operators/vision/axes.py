"""Which samples of an axis each output sample weighs, by the rules of PyTorch.

The curves and positions are those of PyTorch's `UpSampleKernel.cpp`. For bytes PyTorch rounds the
weights of an axis to whole numbers: to the most bits with which all of them fit into 16 bits. So
results of bytes are sums of whole numbers, and exact.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, DType
from ..resize.axes import MAX_TAPS, ResampledAxis
from ..resize.cpu_bands import Band, band_of_taps
from ..resize.filters import Filter

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

PILLOW, TENSOR = "pillow", "tensor"
RULES = (PILLOW, TENSOR)
NEAREST, NEAREST_EXACT = "nearest", "nearest-exact"

_MOST_BITS = 22
_WEIGHT_LIMIT = 1 << 15
_FLOAT32_WHOLE = 1 << 24  # float32 holds all whole numbers up to it
_CACHED_AXES = 64


def _bilinear(x: Floats) -> Floats:
    heights: Floats = np.maximum(1 - np.abs(x), 0.0)
    return heights


def _bicubic(x: Floats, a: float = -0.5) -> Floats:
    x = np.abs(x)
    near = ((a + 2.0) * x - (a + 3.0)) * x * x + 1
    far = (((x - 5) * x + 8) * x - 4) * a
    return np.where(x < 1, near, np.where(x < 2, far, 0.0))


def _lanczos(x: Floats) -> Floats:
    return np.where((x >= -3) & (x < 3), np.sinc(x) * np.sinc(x / 3), 0.0)


class Curve(NamedTuple):
    """A filter: its function, and how far it reaches to each side."""

    function: Callable[[Floats], Floats]
    support: float


CURVES: dict[str, Curve] = {
    "bilinear": Curve(_bilinear, 1.0),
    "bicubic": Curve(_bicubic, 2.0),
    "lanczos": Curve(_lanczos, 3.0),
}
"""The filters of PyTorch, by the names of `InterpolationMode`."""

SUPPORTS = {name: curve.support for name, curve in CURVES.items()} | {"box": 0.5, "hamming": 1.0}
"""How far each filter reaches; PyTorch lacks the last two of Pillow."""

INTERPOLATIONS = (NEAREST, NEAREST_EXACT, *SUPPORTS)


class Axis(NamedTuple):
    """How one axis is resampled.

    Attributes:
        in_size, out_size: number of samples before and after, at least 1.
        interpolation: one of `INTERPOLATIONS`.
        antialias: whether the filter widens where the axis shrinks.
        rule: PILLOW or TENSOR.
    """

    in_size: int
    out_size: int
    interpolation: str
    antialias: bool
    rule: str

    @property
    def scale(self) -> float:
        """Input samples per output sample."""
        return self.in_size / self.out_size

    @property
    def taps(self) -> int:
        """Largest number of input samples that an output sample weighs."""
        return taps_of(self.in_size, self.out_size, self.interpolation, self.antialias)


def taps_of(in_size: int, out_size: int, interpolation: str, antialias: bool) -> int:
    """Return `Axis.taps`: twice the filter's reach, rounded up, and one."""
    support = SUPPORTS[interpolation]
    if not antialias:
        return int(2 * support)
    return int(np.ceil(support * max(in_size / out_size, 1.0))) * 2 + 1


def nearest_indices(axis: Axis) -> Indices:
    """Return the index of the input sample that each output sample copies."""
    steps = np.arange(axis.out_size)
    if axis.rule == PILLOW:  # Pillow adds the scale again and again
        positions = np.full(axis.out_size, axis.scale)
        positions[0] = axis.scale * 0.5
        positions = np.add.accumulate(positions)
    else:
        scale = np.float32(axis.in_size) / np.float32(axis.out_size)
        shift = np.float32(0.5 if axis.interpolation == NEAREST_EXACT else 0.0)
        positions = (steps.astype(np.float32) + shift) * scale
    return np.minimum(positions.astype(np.intp), axis.in_size - 1)


def weights_of(axis: Axis) -> tuple[Indices, Floats]:
    """Return the first input sample of each output sample, and the weights.

    Returns:
        Indices, (out_size,), and weights, (out_size, taps), which add up to 1. Weights of samples
        beyond the axis are zero, unless the axis is not antialiased: then samples beyond the axis
        repeat its border.

    Raises:
        ValueError: the axis shrinks so much that the weights would not fit into memory.
    """
    if axis.taps * axis.out_size > MAX_TAPS:
        raise ValueError(
            f"cannot resample {axis.in_size} pixels to {axis.out_size} with {axis.taps} weights a "
            "pixel; choose a size nearer to that of the image"
        )
    return _widened(axis) if axis.antialias else _unwidened(axis)


def _widened(axis: Axis) -> tuple[Indices, Floats]:
    curve, scale = CURVES[axis.interpolation], axis.scale
    stretch = max(scale, 1.0)
    support = curve.support * stretch
    centers = (np.arange(axis.out_size) + 0.5) * scale
    first = np.maximum((centers - support + 0.5).astype(np.intp), 0)
    end = np.minimum((centers + support + 0.5).astype(np.intp), axis.in_size)
    taps = np.arange(axis.taps)
    weights = curve.function(((taps + first[:, None]) - centers[:, None] + 0.5) * (1 / stretch))
    weights[taps >= (end - first)[:, None]] = 0
    sums = np.add.accumulate(weights, axis=1)[:, -1:]  # in the order of the loops in C
    return first, np.divide(weights, sums, out=weights, where=sums != 0)


def _unwidened(axis: Axis) -> tuple[Indices, Floats]:
    """Return the weights of PyTorch's interpolation without antialiasing."""
    reach = axis.taps // 2
    positions = (np.arange(axis.out_size) + 0.5) * axis.scale - 0.5
    if axis.interpolation == "bilinear":
        positions = np.maximum(positions, 0)
    floors = np.minimum(np.floor(positions), axis.in_size - 1)
    fractions = np.clip(positions - floors, 0, 1)
    offsets = np.arange(axis.taps) + 1 - reach - fractions[:, None]
    weights = (
        _bicubic(offsets, -0.75) if reach > 1 else CURVES[axis.interpolation].function(offsets)
    )
    return floors.astype(np.intp) + 1 - reach, weights


class RoundedWeights(NamedTuple):
    """Weights as whole numbers: the real weights times 2 to the power of `bits`."""

    weights: Floats
    bits: int


def rounded_weights(weights: Floats) -> RoundedWeights:
    """Return weights as the arithmetic of bytes has them."""
    bits = tensor_bits(float(weights.max()))
    scaled = weights * (1 << bits)
    return RoundedWeights(np.trunc(scaled + np.copysign(0.5, scaled)), bits)


def tensor_bits(largest: float) -> int:
    """Return how many bits after the point PyTorch gives weights whose largest is `largest`."""
    bits = 0
    while bits < _MOST_BITS and int(0.5 + largest * (1 << (bits + 1))) < _WEIGHT_LIMIT:
        bits += 1
    return bits


class AxisBand(NamedTuple):
    """The band of an axis, and the bits of its whole weights; -1 bits for weights that are real."""

    band: Band
    bits: int


@lru_cache(maxsize=_CACHED_AXES)
def band_of(axis: Axis, dtype: DType) -> AxisBand:
    """Return the band of an axis: for bytes whole weights, else real ones."""
    first, weights = weights_of(axis)
    bits, work = -1, np.dtype(np.float64 if dtype == np.float64 else np.float32)
    if dtype == np.uint8:
        weights, bits = rounded_weights(weights)
        largest = 255 * np.abs(weights).sum(axis=1).max() + (1 << bits >> 1)
        work = np.dtype(np.float32 if largest <= _FLOAT32_WHOLE else np.float64)
    shape = ResampledAxis(
        axis.in_size, axis.out_size, 0.0, float(axis.in_size), Filter.LINEAR, axis.antialias
    )
    return AxisBand(band_of_taps(shape, first, weights, work), bits)


def unchanged(axis: Axis) -> bool:
    """Return whether the axis keeps its samples."""
    return axis.in_size == axis.out_size


def whole(values: Array, bits: int, out: NDArray[np.uint8]) -> None:
    """Write sums of bytes with whole weights as bytes, halves up; `values` are overwritten."""
    values += values.dtype.type(1 << bits >> 1)
    values *= values.dtype.type(2.0**-bits)
    np.maximum(values, 0, out=values)
    np.minimum(values, 255, out=values)
    np.copyto(out, values, casting="unsafe")
