"""`RNG`: generators of random numbers, whose states a program can keep."""

from __future__ import annotations

import operator
import os
import re
import threading
from typing import Any

import numpy as np

from ...engine.order.philox import philox4x32

_MASK64 = (1 << 64) - 1
_STATE = re.compile(r"Philox_([0-9A-F]{16})_([0-9A-F]{16}):([0-9A-F]{16})_([0-3])")


class RNG:
    """A generator of random numbers: Philox4x32-10, as a sequence of words of 32 bits.

    Operators take one as the argument `rng`. Each call draws the same number of words, so equal
    states give equal results. The words and the states are those of DALI.

    Args:
        seed: an int of 64 bits; by default a random one.
        state: of another generator, or its text, instead of `seed`.

    >>> rng = RNG(seed=5)
    >>> rng(), rng()
    (3289868317, 299389332)
    >>> rng.clone()() == rng()
    True
    """

    _key: int
    _high: int  # upper half of the counter
    _count: int  # of words that were drawn
    _block: int  # whose words these are
    _words: tuple[int, ...]

    def __init__(self, seed: int | None = None, state: object = None) -> None:
        if seed is not None and state is not None:
            raise ValueError("Cannot specify both `seed` and `state`")
        if state is not None:
            self.set_state(state)
        else:
            self.seed = int.from_bytes(os.urandom(8)) if seed is None else seed

    def __call__(self) -> int:
        """Return the next word: an int in [0, 2**32)."""
        block, word = divmod(self._count, 4)
        if block != self._block:
            self._block, self._words = block, _block_of(self._key, self._high, block)
        self._count += 1
        return self._words[word]

    def position(self) -> int:
        """Return the next number in [0, 2**62), which an operator's random numbers follow from."""
        return (self() << 32 | self()) >> 2

    def advance(self, n: int) -> None:
        """Leave out `n` words."""
        n = operator.index(n)
        if n < 0:
            raise ValueError("Cannot advance by a negative number")
        self._count += n

    def _set_seed(self, value: int) -> None:
        self._set(operator.index(value) & _MASK64, 0, 0)

    seed = property(None, _set_seed, doc="Starts the sequence of another seed; cannot be read.")

    def _set(self, key: int, high: int, count: int) -> None:
        self._key, self._high, self._count = key, high, count
        self._block, self._words = -1, (0, 0, 0, 0)

    def get_state(self, *, cuda_stream: object = None) -> str:
        """Return the state. `cuda_stream` has no effect."""
        block, word = divmod(self._count, 4)
        return f"Philox_{self._key:016X}_{self._high:016X}:{block & _MASK64:016X}_{word}"

    def set_state(self, value: Any) -> None:
        """Go on from a state of `get_state`, or from its text."""
        parts = _STATE.fullmatch(str(value))
        if parts is None:
            raise ValueError(f"{value!r} is no state of a random number generator")
        key, high, low = (int(part, 16) for part in parts.groups()[:3])
        self._set(key, high, 4 * low + int(parts[4]))

    state = property(get_state, set_state, doc="The state, as `get_state` returns it.")

    def clone(self) -> RNG:
        """Return a generator that goes on as this one does."""
        return RNG(state=self.state)

    def __repr__(self) -> str:
        return f"RNG(state={self.state!r})"


def _block_of(key: int, high: int, low: int) -> tuple[int, ...]:
    """Return the four words of a block, whose counter has two halves of 64 bits."""
    counter = [low & 0xFFFFFFFF, low >> 32 & 0xFFFFFFFF, high & 0xFFFFFFFF, high >> 32]
    words = np.array(counter, np.uint32).reshape(2, 2, 1)
    even, odd = philox4x32(words[:, 0].copy(), words[:, 1].copy(), key)
    return int(even[0, 0]), int(odd[0, 0]), int(even[1, 0]), int(odd[1, 0])


class _ThreadGenerator(threading.local):
    def __init__(self) -> None:
        self.rng = RNG()


_state = _ThreadGenerator()


def get_default_rng() -> RNG:
    """Return the generator of this thread, for calls without the argument `rng`."""
    return _state.rng


def set_seed(seed: int) -> None:
    """Start the sequence of a seed in the generator of this thread."""
    _state.rng.seed = seed


def generator(rng: RNG | None) -> RNG:
    """Return the generator that was given to a call, or that of this thread."""
    if rng is None:
        return get_default_rng()
    if not isinstance(rng, RNG):
        raise ValueError(f"rng must be a random.RNG, but is a {type(rng).__name__}")
    return rng
