"""A shuffle that is computed, not stored: a keyed bijection of range(size)."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from .errors import ArgumentError
from .philox import mix

LARGEST = 1 << 62

# Measured: with 10 rounds, sizes from 9 to 1000 pass chi-square tests of single places, pairs and
# neighbours. The fewer values a round has to choose among, the more rounds it takes: all orders
# of 5 and of 6 items come evenly with 16, visibly unevenly with 10.
_ROUNDS = 10
_ROUNDS_WHEN_SMALL = 16
_SMALL = 64
_Step = Callable[[NDArray[np.uint64]], NDArray[np.uint64]]
_SPREAD = np.uint64(0xD6E8FEB86659FD93)  # odd, from Degski's 64-bit hash
_SHIFT = np.uint64(32)
_DROP = np.uint64(20)


class Permutation:
    """The bijection of range(`size`) that `key` chooses, in O(1) memory, in both directions.

    A Feistel network works on a number written as `left * right_base + right`: round by round a
    hash of one half is added to the other one, modulo its base. The bases are any two numbers
    near the square root of `size`, not powers of two, so their product exceeds `size` by little;
    what falls beyond is sent through the network again until it falls inside ("cycle walking").
    This is the generalised Feistel cipher of Black and Rogaway, "Ciphers with arbitrary finite
    domains" (CT-RSA 2002). It shuffles; it keeps no secrets.

    >>> shuffle = Permutation(5, key=1)
    >>> sorted(shuffle(np.arange(5)).tolist())
    [0, 1, 2, 3, 4]
    >>> shuffle.inverse(shuffle(np.arange(5))).tolist()
    [0, 1, 2, 3, 4]

    `size` is 1 to 2**62, `key` any integer (taken modulo 2**64). Numbers out of range raise
    `ArgumentError`.
    """

    def __init__(self, size: int, key: int) -> None:
        if not 1 <= size <= LARGEST:
            raise ArgumentError(f"a permutation of {size} items: expected 1 to 2**62")
        self.size = size
        self._size = np.uint64(size)
        left, right = _bases(size)
        self._left, self._right = np.uint64(left), np.uint64(right)
        rounds = _ROUNDS if size > _SMALL else _ROUNDS_WHEN_SMALL
        self._keys = [np.uint64(mix(key, number)) for number in range(rounds)]

    def __call__(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where each of `positions` is sent: int64 `(n,)` in range(size), likewise back."""
        return self._walk(positions, self._forth)

    def inverse(self, images: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the positions that are sent to `images`, int64 `(n,)`: `p.inverse(p(x)) == x`."""
        return self._walk(images, self._back)

    def _walk(self, numbers: NDArray[np.int64], step: _Step) -> NDArray[np.int64]:
        unsigned = numbers.astype(np.uint64)  # what is negative becomes too large
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
        left, right = np.divmod(numbers, self._right)
        scratch = np.empty_like(left), np.empty_like(left)
        for number, key in enumerate(self._keys):
            if number % 2:
                right += _hash(left, key, *scratch)
                right %= self._right
            else:
                left += _hash(right, key, *scratch)
                left %= self._left
        left *= self._right
        left += right
        return left

    def _back(self, numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
        left, right = np.divmod(numbers, self._right)
        scratch = np.empty_like(left), np.empty_like(left)
        for number, key in reversed(list(enumerate(self._keys))):
            if number % 2:
                right += self._right - _hash(left, key, *scratch) % self._right
                right %= self._right
            else:
                left += self._left - _hash(right, key, *scratch) % self._left
                left %= self._left
        left *= self._right
        left += right
        return left


def _hash(
    half: NDArray[np.uint64],
    key: np.uint64,
    hashed: NDArray[np.uint64],
    scratch: NDArray[np.uint64],
) -> NDArray[np.uint64]:
    """Return 44 well-mixed bits of each number of `half`, in `hashed`; `scratch` is lost."""
    np.add(half, key, out=hashed)
    np.multiply(hashed, _SPREAD, out=hashed)
    np.right_shift(hashed, _SHIFT, out=scratch)
    np.bitwise_xor(hashed, scratch, out=hashed)
    np.multiply(hashed, _SPREAD, out=hashed)
    np.right_shift(hashed, _DROP, out=hashed)
    return hashed


def _bases(size: int) -> tuple[int, int]:
    """Return two numbers near the root of `size` whose product is `size` or little more."""
    root = isqrt(size - 1) + 1
    left = min(range(root, root + min(root // 4, 64) + 1), key=lambda base: -size % base)
    return left, -(-size // left)
