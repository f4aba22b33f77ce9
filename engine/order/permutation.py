"""A shuffle that is computed, not stored: a keyed bijection of range(size)."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import isqrt
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Addresses, Int64s
from ..errors import ArgumentError
from .philox import mix, mixes

LARGEST = 1 << 62

# Measured: with 10 rounds, sizes from 9 to 1000 pass chi-square tests of single positions, pairs
# and neighbors. Small sizes need more rounds. For 5 and for 6 items, all orders are equally
# frequent with 16 rounds, but visibly not with 10.
_ROUNDS = 10
_ROUNDS_WHEN_SMALL = 16
_SMALL = 64
_Step = Callable[[Addresses, "Network"], Addresses]
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
        left, right = _bases(size)
        rounds = _ROUNDS if size > _SMALL else _ROUNDS_WHEN_SMALL
        self.network = Network(
            np.uint64(size),
            np.uint64(left),
            np.uint64(right),
            np.array(mixes(key, rounds), np.uint64),
        )

    def __call__(self, positions: Int64s) -> Int64s:
        """Return the image of each position: int64 `(n,)`, like `positions`, in range(size)."""
        return _walked(_forth, positions, self.network)

    def inverse(self, images: Int64s) -> Int64s:
        """Return the position of each image, int64 `(n,)`: `p.inverse(p(x)) == x`."""
        return _walked(_back, images, self.network)

    @classmethod
    def other_than(cls, own: int, size: int, key: int, attempt: int) -> int:
        """Return another number of range(size) than `own`: attempts give each of them once."""
        (other,) = cls(size - 1, key)(np.array([attempt], np.int64)).tolist()
        return int(other + (other >= own))


@lru_cache(maxsize=4096)
def permutation(size: int, seed: int, *values: int) -> Permutation:
    """Return the permutation of a size whose key is the `mix` of the others, made once."""
    return Permutation(size, mix(seed, *values))


def mapped(
    groups: Int64s, numbers: Int64s, of_group: Callable[[int], Callable[[Int64s], Int64s]]
) -> Int64s:
    """Return the image of each number by the bijection of its group; many at once.

    >>> sizes = {3: 5, 4: 70}
    >>> mapped(np.array([3, 4, 3]), np.array([4, 69, 0]), lambda n: Permutation(sizes[n], n - 2))
    array([ 2, 45,  1])
    """
    used, which = np.unique(groups, return_inverse=True)
    found = [of_group(group) for group in used.tolist()]
    if len(found) == 1:
        return found[0](numbers)
    alike: dict[int, list[int]] = {}  # permutations by their rounds; others are alone
    for i, each in enumerate(found):
        rounds = len(each.network.keys) if isinstance(each, Permutation) else -1 - i
        alike.setdefault(rounds, []).append(i)
    images = np.empty_like(numbers)
    for own in alike.values():
        places = np.full(len(found), -1)
        places[own] = np.arange(len(own))
        place = places[which]
        (rows,) = (place >= 0).nonzero()
        if len(own) == 1:
            images[rows] = found[own[0]](numbers[rows])
            continue
        networks = [each.network for i in own if isinstance(each := found[i], Permutation)]
        parts, taken = zip(*networks, strict=True), place[rows]
        network = Network(*(np.array(part).T.take(taken, axis=-1) for part in parts))
        images[rows] = _walked(_forth, numbers[rows], network)
    return images


class Network(NamedTuple):
    """The numbers of a permutation; or arrays, with an entry for each number that it maps.

    Attributes:
        size: of the range.
        left, right: bases of the halves.
        keys: of the rounds: (rounds,), or (rounds, numbers).
    """

    size: Any
    left: Any
    right: Any
    keys: Any


def _walked(step: _Step, numbers: Int64s, network: Network) -> Int64s:
    """Take numbers through a network until all of them are in its range."""
    unsigned = numbers.astype(np.uint64)  # negative numbers become too large
    if (unsigned >= network.size).any():
        raise ArgumentError(
            f"positions {numbers.min()} to {numbers.max()}: expected 0 to {network.size - 1}"
        )
    walked = step(unsigned, network)
    while True:
        (outside,) = (walked >= network.size).nonzero()
        if not outside.size:
            return walked.view(np.int64)
        few = network
        if np.ndim(network.size):
            few = Network(*(part[..., outside] for part in network))
        walked[outside] = step(walked[outside], few)


def _forth(numbers: Addresses, network: Network) -> Addresses:
    left, right = np.divmod(numbers, network.right)
    scratch = np.empty_like(left), np.empty_like(left)
    for round_number, key in enumerate(network.keys):
        if round_number % 2:
            right += _hash(left, key, *scratch)
            right %= network.right
        else:
            left += _hash(right, key, *scratch)
            left %= network.left
    left *= network.right
    left += right
    return left


def _back(numbers: Addresses, network: Network) -> Addresses:
    left, right = np.divmod(numbers, network.right)
    scratch = np.empty_like(left), np.empty_like(left)
    for round_number, key in reversed(list(enumerate(network.keys))):
        if round_number % 2:
            right += network.right - _hash(left, key, *scratch) % network.right
            right %= network.right
        else:
            left += network.left - _hash(right, key, *scratch) % network.left
            left %= network.left
    left *= network.right
    left += right
    return left


def _hash(half: Addresses, key: Any, hashed: Addresses, scratch: Addresses) -> Addresses:
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


def even_cuts(count: int, shards: int) -> tuple[int, ...]:
    """Return the borders that divide `count` items into `shards` ranges of almost equal size."""
    return tuple(count * shard // shards for shard in range(shards + 1))
