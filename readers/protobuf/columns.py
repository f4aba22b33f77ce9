"""Protocol-buffer messages read together, where they are alike.

The records of a data set mostly hold the same fields in the same order. Then a dozen NumPy calls
read a field from all messages, whatever their number. Messages that differ or are damaged are left
to `wire`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Bytes, Int64s
from ..storage.records import windows
from .wire import LENGTH, VARINT

SLACK = 8
"""Bytes that must follow the last message in its block."""

_LONGEST = 5  # bytes of a number, so that a tag and a number fit into a word of eight

MIN_MESSAGES = 8
"""Fewer messages are read faster one after the other."""

MAX_FIELDS = 32
"""Fields of a message."""


class FieldColumn(NamedTuple):
    """One field of all messages.

    Attributes:
        number: number of the field.
        wire: VARINT or LENGTH.
        starts, ends: starts and ends of its content in the block.
        values: the numbers, or the lengths.
    """

    number: int
    wire: int
    starts: Int64s
    ends: Int64s
    values: Int64s


def common_fields(block: Bytes, starts: Int64s, ends: Int64s) -> list[FieldColumn] | None:
    """Return the fields of messages, in their order; None if the messages are not alike.

    Only numbers below 2**35 and contents with a length are read.
    """
    # One turn of the loop reads one field of all messages: tag and number lie in one word.
    #
    #     message   tag | number | content ...   tag | number | ...
    #     word      '------ 8 bytes ------'      `positions` of the next turn
    words_at = windows(block, "<u8")
    positions, columns = starts, list[FieldColumn]()
    while (positions < ends).any():
        if len(columns) == MAX_FIELDS or not (positions < ends).all():
            return None
        words = words_at[positions]
        tag = int(words[0] & np.uint64(0xFF))
        number, wire = tag >> 3, tag & 7
        same = (words & np.uint64(0xFF)) == tag
        if wire not in (VARINT, LENGTH) or tag >= 0x80 or not number or not same.all():
            return None
        decoded = short_varints(words >> np.uint64(8))
        if decoded is None:
            return None
        values, widths = decoded
        content = positions + 1
        positions = content + widths
        if wire == LENGTH:
            content = positions
            positions = content + values
        if (positions > ends).any():
            return None
        columns.append(FieldColumn(number, wire, content, positions, values))
    return columns


def short_varints(words: NDArray[np.uint64]) -> tuple[Int64s, Int64s] | None:
    """Decode the number at the low end of each word.

    Returns:
        the numbers and how many bytes each takes; None if one takes more than five.
    """
    values = words & np.uint64(0x7F)
    widths = np.ones(len(words), np.int64)
    more = words & np.uint64(0x80) != 0
    for number in range(1, _LONGEST):
        if not more.any():
            break
        byte = words >> np.uint64(8 * number)
        values |= np.where(more, byte & np.uint64(0x7F), 0) << np.uint64(7 * number)
        widths += more
        more &= byte & np.uint64(0x80) != 0
    return None if more.any() else (values.view(np.int64), widths)


def int32s(values: Int64s) -> NDArray[np.int32]:
    """Return the low 32 bits of numbers as int32."""
    return (values & 0xFFFF_FFFF).astype(np.uint32).view(np.int32)
