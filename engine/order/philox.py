"""Counter-based random numbers: functions of a sample's epoch and position, without a state.

Every number is a function of (key, epoch, position, column). Threads, prefetching and batch sizes
therefore change nothing, and a resumed run draws the numbers of an uninterrupted run.
Column j of a row does not depend on the number of columns.

The generator is Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as
1, 2, 3", SC'11). A key, in [0, 2**64), comes from `mix`. The counter has four 32-bit words: both
halves of the position, the low 32 bits of the epoch, and the number of the block. A block gives
four 32-bit words, enough for two numbers of `uniform` or `normal`.

All functions take `epoch` and `position` as int64 arrays of one shape `(rows,)` and return a new
C-contiguous array `(rows, count)`.
"""

from __future__ import annotations

import sys
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_ROUNDS = 10
_MULTIPLIERS = np.array([[0xD2511F53], [0xCD9E8D57]], np.uint64)
_WEYL = (0x9E3779B9, 0xBB67AE85)  # added to the key's two words after every round
_MASK32 = 0xFFFFFFFF
_MASK64 = 0xFFFFFFFFFFFFFFFF
_LOW = np.uint64(_MASK32)
_HALF = np.uint64(32)
_HIGH = int(sys.byteorder == "little")  # index of the upper word of a 64-bit product
_WORDS = 4  # words of 32 bits in a block
_TOGETHER = 2048  # rows to compute at once if batches are consecutive
_FEW_ROWS, _FEW_NUMBERS = 32, 16  # compute fewer rows, or more numbers a row, one batch at a time

# SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA'14).
_GOLDEN = 0x9E3779B97F4A7C15


def _scramble(value: int) -> int:
    """Return SplitMix64's output for the state `value`."""
    value = (value + _GOLDEN) & _MASK64
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK64
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK64
    return value ^ (value >> 31)


def mix(seed: int, *values: int) -> int:
    """Derive a sub-seed in [0, 2**64) from `seed` and any number of integers, in their order.

    Integers count modulo 2**64.

    >>> mix(1, 2) == mix(1, 2), mix(1, 2) == mix(2, 1)
    (True, False)
    """
    mixed = _scramble(seed)
    for value in values:
        mixed = _scramble(mixed ^ (value & _MASK64))  # chained like a block cipher's CBC-MAC
    return mixed


def mixes(seed: int, count: int) -> list[int]:
    """Return `mix(seed, i)` for each i in range(count)."""
    mixed = _scramble(seed)
    return [_scramble(mixed ^ i) for i in range(count)]


@lru_cache(maxsize=1024)
def _round_keys(key: int) -> NDArray[np.uint32]:
    """Return `(rounds, 2, 1)`: the keys that each round combines with the two high products."""
    words = [
        [[((key & _MASK32) + i * _WEYL[0]) & _MASK32], [((key >> 32) + i * _WEYL[1]) & _MASK32]]
        for i in range(_ROUNDS)
    ]
    keys: NDArray[np.uint32] = np.array(words, np.uint32)
    keys.flags.writeable = False
    return keys


def philox4x32(
    even: NDArray[np.uint32], odd: NDArray[np.uint32], key: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Encrypt blocks by Philox4x32-10.

    `even` is `(2, blocks)`: words 0 and 2 of each counter; `odd` likewise words 1 and 3. The
    key's word 0 is the low half of `key`. The result is laid out like the arguments.
    """
    products = np.empty((2, *even.shape), np.uint64)  # of this round and of the round before
    # The product of one pair of words becomes the other pair in the next round.
    halves = products.view(np.uint32).reshape(*products.shape, 2)[:, ::-1]
    for i, round_key in enumerate(_round_keys(key)):
        np.multiply(even, _MULTIPLIERS, out=products[i % 2])
        even = halves[i % 2, ..., _HIGH] ^ odd
        even ^= round_key
        odd = halves[i % 2, ..., _HIGH - 1]
    return even, odd


def _blocks(
    key: int, epoch: NDArray[np.int64], position: NDArray[np.int64], blocks: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return words 0 and 2, then words 1 and 3, of the rows' blocks: `(2, rows, blocks)` each.

    The counter of a block, before its encryption:

        word      0               1                2              3
                  position, low   position, high   epoch, low     block's number in the row
    """
    rows = len(position)
    even = np.empty((2, rows, blocks), np.uint32)
    odd = np.empty((2, rows, blocks), np.uint32)
    counter = position.astype(np.uint64)[:, None]
    even[0] = counter & _LOW
    odd[0] = counter >> _HALF
    even[1] = epoch.astype(np.uint64)[:, None] & _LOW
    odd[1] = np.arange(blocks, dtype=np.uint32)
    even, odd = philox4x32(even.reshape(2, -1), odd.reshape(2, -1), key)
    return even.reshape(2, rows, blocks), odd.reshape(2, rows, blocks)


def _words64(
    key: int, epoch: NDArray[np.int64], position: NDArray[np.int64], count: int
) -> NDArray[np.uint64]:
    """Return `(rows, count)` numbers of 64 random bits, two from each block."""
    blocks = -(-count // 2)
    even, odd = _blocks(key, epoch, position, blocks)
    words = np.empty((len(position), blocks, 2), np.uint64)
    np.left_shift(odd.transpose(1, 2, 0), _HALF, out=words)
    words |= even.transpose(1, 2, 0)
    return words.reshape(len(position), 2 * blocks)[:, :count]


def uniform(
    key: int, epoch: NDArray[np.int64], position: NDArray[np.int64], count: int
) -> NDArray[np.float64]:
    """Return float64 numbers, uniform over the multiples of 2**-53 in [0, 1).

    A number has 53 random bits. Rounding to float32 can turn a number into 1.0.
    """
    if len(position) < _FEW_ROWS or count > _FEW_NUMBERS or not _follow(epoch, position):
        return _uniform(key, epoch, position, count)
    first, end, start = int(position[0]), int(position[-1]) + 1, int(epoch[0])
    blocks = [
        _uniform_block(key, start, block, count)[
            max(0, first - block) : min(_TOGETHER, end - block)
        ]
        for block in range(first // _TOGETHER * _TOGETHER, end, _TOGETHER)
    ]
    return np.concatenate(blocks)


def _follow(epoch: NDArray[np.int64], position: NDArray[np.int64]) -> bool:
    """Return whether the positions are consecutive and belong to one epoch."""
    steps = position[1:] - position[:-1]
    return bool((steps == 1).all() and (epoch == epoch[0]).all())


@lru_cache(maxsize=32)
def _uniform_block(key: int, epoch: int, first: int, count: int) -> NDArray[np.float64]:
    """Return the numbers of _TOGETHER positions, which serve several consecutive batches."""
    position = np.arange(first, first + _TOGETHER)
    numbers = _uniform(key, np.full(_TOGETHER, epoch), position, count)
    numbers.flags.writeable = False
    return numbers


def _uniform(
    key: int, epoch: NDArray[np.int64], position: NDArray[np.int64], count: int
) -> NDArray[np.float64]:
    words = _words64(key, epoch, position, count)
    numbers = (words >> np.uint64(11)).astype(np.float64)
    numbers *= 2.0**-53
    return numbers


def normal(
    key: int, epoch: NDArray[np.int64], position: NDArray[np.int64], count: int
) -> NDArray[np.float64]:
    """Return float64 numbers of mean 0 and standard deviation 1 (at most 8.58 in magnitude).

    Box and Muller, "A note on the generation of random normal deviates" (1958): columns 2i and
    2i + 1 come from one block.
    """
    pairs = -(-count // 2)
    draws = uniform(key, epoch, position, 2 * pairs)
    radius = np.sqrt(-2.0 * np.log(1.0 - draws[:, 0::2]))  # 1 - u is in (0, 1]
    angle = (2.0 * np.pi) * draws[:, 1::2]
    np.multiply(radius, np.cos(angle), out=draws[:, 0::2])
    np.multiply(radius, np.sin(angle), out=draws[:, 1::2])
    return np.ascontiguousarray(draws[:, :count])


def generator(key: int, epoch: int, position: int) -> np.random.Generator:
    """Return NumPy's generator for one sample: a function of the three numbers alone.

    NumPy spreads the numbers by its `SeedSequence`; the bit generator is Philox4x64-10.

    >>> generator(1, 0, 7).random() == generator(1, 0, 7).random()
    True
    """
    seed = np.random.SeedSequence(key, spawn_key=(epoch, position))
    return np.random.Generator(np.random.Philox(seed))
