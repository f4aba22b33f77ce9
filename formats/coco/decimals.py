"""Many decimal numbers of a text, parsed together."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

_WORD = 8  # characters that fit into a word of 64 bits
_U64 = np.uint64
_ZEROS = _U64(0x3030303030303030)  # "00000000"
_ONE = _U64(1)
_BITS = 8
_TO_SPACES = bytes.maketrans(b",[]", b"   ")
_DOTS = _U64(0x1010101010101010)  # the bit that a dot has, and no digit, in "." ^ "0"


def _divisors() -> NDArray[np.float64]:
    """Return the divisor of a number by the binary exponent of the bit that marks its dot."""
    table = np.ones(8 * _WORD)
    for byte in range(_WORD):
        table[8 * byte + 5] = 10.0 ** (_WORD - 1 - byte)
    return table


_DIVISORS = _divisors()
_MASKS = np.array([0, *(~0 << 8 * (_WORD - count) & (1 << 64) - 1 for count in range(1, 9))], _U64)
"""By length: the bytes of a word that hold the number."""
_FOLDS = (
    (_U64(10), _U64(8), _U64(0x00FF00FF00FF00FF)),
    (_U64(100), _U64(16), _U64(0x0000FFFF0000FFFF)),
    (_U64(10000), _U64(32), _U64(0x00000000FFFFFFFF)),
)


def parse_decimals(
    text: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.float64] | None:
    """Return the numbers between `starts` and `ends`; None if one of them is no number.

    The results are those of `float`: a number of up to eight characters is a whole number divided
    by a power of ten, and both are exact.

    Args:
        text: characters; those that are in none of the numbers are brackets, commas and spaces.
        starts: positions of the numbers: (count,).
        ends: ends of the numbers, behind their starts: (count,).

    >>> text = np.frombuffer(b"[1.5,20]", np.uint8)
    >>> parse_decimals(text, np.array([1, 5]), np.array([4, 7]))
    array([ 1.5, 20. ])
    """
    lengths = ends - starts
    if not lengths.size:
        return np.empty(0)
    if int(lengths.max()) <= _WORD and _are_plain(text):
        values = _short_decimals(text, ends, lengths)
        if values is not None:
            return values
    return _any_decimals(text, len(ends))


def _are_plain(text: NDArray[np.uint8]) -> bool:
    return not text.tobytes().translate(None, b"0123456789.,[] ")


def _short_decimals(
    text: NDArray[np.uint8], ends: NDArray[np.int64], lengths: NDArray[np.int64]
) -> NDArray[np.float64] | None:
    """Parse digits with at most one dot: a number is a word, its first character the lowest byte.

    Source of the multiplications: https://johnnylee-sde.github.io/Fast-numeric-string-to-int/
    """
    padded = np.concatenate([np.full(_WORD, ord("0"), np.uint8), text])
    every = np.ndarray((len(padded) - _WORD + 1,), "<u8", padded, strides=(1,))
    words = every[ends]
    words ^= _ZEROS
    words &= _MASKS.take(lengths)
    dots = words & _DOTS
    if (dots & (dots - _ONE)).any() or (lengths[dots != 0] == 1).any():
        return None  # two dots, or nothing but a dot
    lowest = dots >> _U64(4)  # the lowest bit of the dot's byte
    before = lowest - _ONE  # mask of the characters before the dot, if there is a dot
    closed = (words & ~(before | lowest * _U64(255))) | (words & before) << _U64(_BITS)
    digits = np.where(dots == 0, words, closed)
    for factor, shift, mask in _FOLDS:
        upper = digits >> shift
        digits *= factor
        digits += upper
        digits &= mask
    exponents = np.frexp(dots.astype(np.float64))[1]
    values: NDArray[np.float64] = digits.astype(np.float64)
    values /= _DIVISORS.take(exponents)
    return values


def _any_decimals(text: NDArray[np.uint8], count: int) -> NDArray[np.float64] | None:
    """Parse numbers of any form with the C library's parser."""
    spaced = text.tobytes().translate(_TO_SPACES)
    try:
        with warnings.catch_warnings():
            # Of text that is no number, NumPy warned before it raised an error.
            warnings.simplefilter("error", DeprecationWarning)
            values = np.fromstring(spaced, np.float64, sep=" ")
    except (ValueError, DeprecationWarning):
        return None
    return values if len(values) == count else None
