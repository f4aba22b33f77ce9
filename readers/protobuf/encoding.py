"""The wire format of protocol buffers, written; `wire` reads it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .wire import LENGTH, VARINT

_FEW = 32  # numbers that are encoded faster one by one


def encode_varint(value: int) -> bytes:
    """Return the bytes of a number from -2**63 to 2**64 - 1.

    >>> encode_varint(300).hex(), len(encode_varint(-1))
    ('ac02', 10)
    """
    if 0 <= value < 0x80:
        return bytes((value,))
    value &= 0xFFFF_FFFF_FFFF_FFFF
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def encode_varints(values: NDArray[np.int64]) -> bytes:
    """Return the bytes of numbers end to end.

    >>> encode_varints(np.array([5, 128])).hex()
    '058001'
    """
    if values.size <= _FEW:
        return b"".join(map(encode_varint, values.reshape(-1).tolist()))
    rest = values.astype(np.int64).reshape(-1).view(np.uint64)
    groups = np.empty((len(rest), 10), np.uint8)
    for column in range(10):
        groups[:, column] = (rest >> np.uint64(min(7 * column, 63))) & np.uint64(0x7F)
    used = groups != 0
    used[:, 0] = True
    widths = 10 - used[:, ::-1].argmax(axis=1)
    columns = np.arange(10)
    groups[columns < (widths - 1)[:, np.newaxis]] |= 0x80
    used = columns < widths[:, np.newaxis]
    return bytes(groups[used])


@lru_cache(maxsize=4096)
def field_head(number: int, length: int) -> bytes:
    """Return the bytes that precede the content of a field of `length` bytes."""
    return encode_varint(number << 3 | LENGTH) + encode_varint(length)


def bytes_field(number: int, content: bytes) -> bytes:
    """Return a whole field of bytes, or of a message."""
    return field_head(number, len(content)) + content


def varint_field(number: int, value: int) -> bytes:
    """Return a whole field of one number."""
    return encode_varint(number << 3 | VARINT) + encode_varint(value)
