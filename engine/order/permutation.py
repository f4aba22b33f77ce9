"""A shuffle that is computed, not stored: a keyed bijection of range(size)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentError
from .philox import mix

LARGEST = 1 << 62

# Measured: with 10 rounds, sizes from 9 to 1000 pass chi-square tests of single positions, pairs
# and neighbors. Small sizes need more rounds. For 5 and for 6 items, all orders are equally
# frequent with 16 rounds, but visibly not with 10.
_ROUNDS = 10
_ROUNDS_WHEN_SMALL = 16
_SMALL = 64
_Step = Callable[[NDArray[np.uint64]], NDArray[np.uint64]]
_SPREAD = np.uint64(0xD6E8FEB86659FD93)  # odd, from Degski's 64-bit hash
_SHIFT = np.uint64(32)
_DROP = np.uint64(20)


class Permutation:
    """The bijection of range(`size`) that `key` selects, in O(1) memory, in both directions.

    A Feistel network maps a number, written as `left * right_base + right`. Each round adds a hash
    of one half to the other half, modulo the base of the other half. Both bases are near the
    square root of `size`, and their product exceeds `size` by little, because they need not be
    powers of two. A result of `size` or more goes through the network again ("cycle walking").

        number = left * right_base + right
                  |                   |
                  + <--- hash --------|         round 0, modulo the left base
                  |-------- hash ---> +         round 1, modulo the right base
                 ...                 ...

    This is the generalized Feistel cipher of Black and Rogaway, "Ciphers with arbitrary finite
    domains" (CT-RSA 2002). The hash is too weak for cryptography.

    >>> shuffle = Permutation(5, key=1)
    >>> sorted(shuffle(np.arange(5)).tolist())
    [0, 1, 2, 3, 4]
    >>> shuffle.inverse(shuffle(np.arange(5))).tolist()
    [0, 1, 2, 3, 4]

    Args:
        size: 1 to 2**62.
        key: any integer; it counts modulo 2**64.

    Raises:
        ArgumentError: the size, or a number to map, is out of range.
    """

    def __init__(self, size: int, key: int) -> None:
        if not 1 <= size <= LARGEST:
            raise ArgumentError(f"a permutation of {size} items: expected 1 to 2**62")
        self.size = size
        self._size = np.uint64(size)
        left, right = _bases(size)
        self._left, self._right = np.uint64(left), np.uint64(right)
        rounds = _ROUNDS if size > _SMALL else _ROUNDS_WHEN_SMALL
        self._keys = [np.uint64(mix(key, round_number)) for round_number in range(rounds)]

    def __call__(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the image of each position: int64 `(n,)`, like `positions`, in range(size)."""
        return self._walk(positions, self._forth)

    def inverse(self, images: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the position of each image, int64 `(n,)`: `p.inverse(p(x)) == x`."""
        return self._walk(images, self._back)

    def _walk(self, numbers: NDArray[np.int64], step: _Step) -> NDArray[np.int64]:
        unsigned = numbers.astype(np.uint64)  # negative numbers become too large
        if len(unsigned) and unsigned.max() >= self._size:
            raise ArgumentError(
                f"positions {numbers.min()} to {numbers.max()}: expected 0 to {self.size - 1}"
            )
        walked = step(unsigned)
        while True:
            (outside,) = (walked >= self._size).nonzero()
            if not outside.size:
                return walked.view(np.int64)
            walked[outside] = step(walked[outside])

    def _forth(self, numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
        return _forth(numbers, self._left, self._right, self._keys)

    def _back(self, numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
        left, right = np.divmod(numbers, self._right)
        scratch = np.empty_like(left), np.empty_like(left)
        for round_number, key in reversed(list(enumerate(self._keys))):
            if round_number % 2:
                right += self._right - _hash(left, key, *scratch) % self._right
                right %= self._right
            else:
                left += self._left - _hash(right, key, *scratch) % self._left
                left %= self._left
        left *= self._right
        left += right
        return left


@lru_cache(maxsize=4096)
def permutation(size: int, key: int) -> Permutation:
    """Return the permutation of a size and a key, made once."""
    return Permutation(size, key)


class Permutations:
    """Several permutations, computed for many numbers in one go: each number has its own.

    >>> both = Permutations([Permutation(5, key=1), Permutation(70, key=2)])
    >>> both(np.array([0, 1, 0]), np.array([4, 69, 0])).tolist()
    [2, 45, 1]
    """

    def __init__(self, permutations: Sequence[Permutation]) -> None:
        self._all = permutations
        self._rounds = np.array([len(each._keys) for each in permutations])
        self._size = np.array([each._size for each in permutations])
        self._left = np.array([each._left for each in permutations])
        self._right = np.array([each._right for each in permutations])
        self._keys = {
            rounds: np.array(
                [
                    each._keys if len(each._keys) == rounds else [0] * rounds
                    for each in permutations
                ],
                np.uint64,
            ).T
            for rounds in set(self._rounds.tolist())
        }

    def __call__(self, which: NDArray[np.int64], positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the image of each position, by permutation number `which`: int64 `(n,)`."""
        if len(self._all) == 1:
            return self._all[0](positions)
        images = np.empty_like(positions)
        rounds_of = self._rounds[which]
        for rounds in self._keys:
            (rows,) = (rounds_of == rounds).nonzero()
            numbers = positions[rows].astype(np.uint64)
            if (numbers >= self._size[which[rows]]).any():
                raise ArgumentError("a position lies beyond the size of its permutation")
            left = rows
            while left.size:
                own = which[left]
                numbers = _forth(
                    numbers, self._left[own], self._right[own], self._keys[rounds][:, own]
                )
                outside = numbers >= self._size[own]
                images[left[~outside]] = numbers[~outside].view(np.int64)
                left, numbers = left[outside], numbers[outside]
        return images


def _forth(
    numbers: NDArray[np.uint64], left_base: Any, right_base: Any, keys: Iterable[Any]
) -> NDArray[np.uint64]:
    """Take numbers through the network; bases and keys are numbers, or arrays of one a number."""
    left, right = np.divmod(numbers, right_base)
    scratch = np.empty_like(left), np.empty_like(left)
    for round_number, key in enumerate(keys):
        if round_number % 2:
            right += _hash(left, key, *scratch)
            right %= right_base
        else:
            left += _hash(right, key, *scratch)
            left %= left_base
    left *= right_base
    left += right
    return left


def _hash(
    half: NDArray[np.uint64],
    key: Any,
    hashed: NDArray[np.uint64],
    scratch: NDArray[np.uint64],
) -> NDArray[np.uint64]:
    """Write 44 well-mixed bits of each number of `half` to `hashed`, and overwrite `scratch`."""
    np.add(half, key, out=hashed)
    np.multiply(hashed, _SPREAD, out=hashed)
    np.right_shift(hashed, _SHIFT, out=scratch)
    np.bitwise_xor(hashed, scratch, out=hashed)
    np.multiply(hashed, _SPREAD, out=hashed)
    np.right_shift(hashed, _DROP, out=hashed)
    return hashed


def _bases(size: int) -> tuple[int, int]:
    """Return two numbers near the root of `size` whose product is `size` or slightly larger."""
    root = isqrt(size - 1) + 1
    left = min(range(root, root + min(root // 4, 64) + 1), key=lambda base: -size % base)
    return left, -(-size // left)
