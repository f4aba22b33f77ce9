"""Masks as run lengths: COCO's RLE.

A mask is read column by column. Its runs are the lengths of its stretches of equal pixels, from a
stretch of zeros on, which may be empty. COCO stores them as a list of numbers, or as text: each run
but the first three is the difference to the run two before; each number is cut into groups of five
bits from the lowest on, and a group becomes the character 48 + group, plus 32 if others follow. The
highest bit of the last group is the number's sign.

Source: https://github.com/cocodataset/cocoapi/blob/master/common/maskApi.c
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..engine.errors import DecodeError

Runs = NDArray[np.uint32]

_FIRST = 48  # the character of the number 0
_MORE = 32
_BITS = 5
_MOST_GROUPS = 7  # of a number of 32 bits and its sign


def decode_counts(counts: object, pixels: int) -> Runs:
    """Return the runs of a mask from a list of numbers or from text.

    Args:
        counts: a list of int, or str or bytes.
        pixels: the sum that the runs must have.

    Raises:
        DecodeError: `counts` are no run lengths, or their sum is another one.

    >>> decode_counts("52203", 16)
    array([5, 2, 2, 2, 5], dtype=uint32)
    """
    if isinstance(counts, str):
        counts = counts.encode(errors="replace")
    if isinstance(counts, bytes):
        runs = decode_text(counts)
    elif isinstance(counts, list) and set(map(type, counts)) <= {int}:
        if counts and not 0 <= min(counts) <= max(counts) <= pixels:
            raise DecodeError(f"a run of an RLE is negative, or longer than {pixels} pixels")
        runs = np.array(counts, np.int64)
    else:
        raise DecodeError("the counts of an RLE are neither a text nor a list of integers")
    total = int(runs.sum())
    if total != pixels:
        raise DecodeError(f"the runs of an RLE cover {total} pixels, but its size has {pixels}")
    return runs.astype(np.uint32)


def decode_text(text: bytes) -> NDArray[np.int64]:
    """Return the runs that a text of COCO holds.

    Raises:
        DecodeError: the text is cut off, has other characters, or a run is negative or too long.
    """
    codes = np.frombuffer(text, np.uint8).astype(np.int64) - _FIRST
    if not codes.size:
        return codes
    if codes.min() < 0 or codes.max() > 63:
        raise DecodeError("the counts of an RLE have a character that is not from '0' to 'o'")
    ends = np.flatnonzero(codes < _MORE)
    if not ends.size or ends[-1] != len(codes) - 1:
        raise DecodeError("the counts of an RLE are cut off")
    starts = np.concatenate([[0], ends[:-1] + 1])
    groups = ends - starts + 1
    if groups.max() > _MOST_GROUPS:
        raise DecodeError("the counts of an RLE have a number of more than 32 bits")
    shifts = _BITS * (np.arange(len(codes)) - np.repeat(starts, groups))
    numbers = np.add.reduceat((codes & 31) << shifts, starts)
    numbers -= (codes[ends] >> 4 & 1) << _BITS * groups
    for start in (1, 2):
        numbers[start::2] = np.cumsum(numbers[start::2])
    if numbers.min() < 0 or numbers.max() >> 32:
        raise DecodeError("the counts of an RLE have a run that is negative or too long")
    return numbers
