"""64 random bits for each element of a sample, as a function of the sample's key.

The generator is Philox4x64-10 (J. Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3",
2011), as NumPy has it. Number i of a sample is word `i % 4` of block `i // 4 + 1`, so the GPU
computes each number alone: see kernels/random.cuh.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...engine.graph.operator import Array

KEY_NUMBERS = 2  # random numbers of a sample, from which its key is made
_CHUNK = 1 << 15  # numbers at once: their arrays stay in the cache of a core
_BITS = 2.0**53
_TURN = np.float32(2 * np.pi)
_STEP = np.float32(2.0**-24)
_HALF = 2.0**-32


def keys_of(numbers: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Return the keys of samples, given their random numbers in [0, 1): (..., 2)."""
    return (numbers * _BITS).astype(np.uint64)


def bits_in_chunks(
    key: NDArray[np.uint64], count: int, at_once: int = _CHUNK
) -> Iterator[tuple[slice, Array]]:
    """Yield the random bits of consecutive elements, and which elements these are.

    Args:
        key: of the sample: (2,).
        count: number of elements.
        at_once: number of elements of a chunk.
    """
    source = np.random.Philox(key=key)
    for start in range(0, count, at_once):
        chunk = slice(start, min(start + at_once, count))
        yield chunk, source.random_raw(chunk.stop - start)


def high_and_low(bits: Array) -> tuple[Array, Array]:
    """Return the upper and the lower 32 bits of each number."""
    halves = bits.view(np.uint32).reshape(-1, 2)
    return halves[:, 1], halves[:, 0]


def normal(bits: Array) -> NDArray[np.float32]:
    """Return numbers of the standard normal distribution, by the method of Box and Muller."""
    high, low = high_and_low(bits)
    distance = ((high >> 8).astype(np.float32) + np.float32(0.5)) * _STEP
    np.log(distance, out=distance)
    distance *= np.float32(-2)
    np.sqrt(distance, out=distance)
    angle = (low >> 8).astype(np.float32) * _STEP * _TURN
    np.cos(angle, out=angle)
    angle *= distance
    return angle


def precise_normal(bits: Array) -> NDArray[np.float64]:
    """Return float64 numbers of the standard normal distribution, made of all bits."""
    high, low = high_and_low(bits)
    distance = (high + 0.5) * _HALF
    np.log(distance, out=distance)
    distance *= -2
    np.sqrt(distance, out=distance)
    angle = low * (2 * np.pi * _HALF)
    np.cos(angle, out=angle)
    angle *= distance
    return angle
