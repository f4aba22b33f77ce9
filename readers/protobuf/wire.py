"""The wire format of protocol buffers, read with every length checked.

Format: https://protobuf.dev/programming-guides/encoding/. Messages are walked in place. A message
that occurs several times in its parent is merged, as the format demands, by walking the occurrences
one after the other.

The library `protobuf` is not used, because it makes Python objects of every record. With its C
parser (upb 7.36) a `tf.train.Example` of three features takes 4.9 us to parse into arrays. The
batch parser of `readers/tfrecord/example_batch.py` takes 1.0 us in batches of 256 and 0.4 us in
batches of 2,000. This module alone takes 33 us, for the records that no pattern fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array
from ...engine.errors import DecodeError

Data = bytes | memoryview

Span = tuple[int, int]
"""Start and end of some bytes."""

Field = tuple[int, int, int, int]
"""Number and wire type of a field, start and end of its content."""

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5

_LONGEST_VARINT = 10
_FIXED_SIZES = {FIXED64: 8, FIXED32: 4}
_HIGHEST_NUMBER = (1 << 29) - 1


def read_varint(data: Data, start: int, end: int) -> tuple[int, int]:
    """Return the number at `start` and the position after it; it must lie before `end`."""
    value = shift = 0
    position = start
    while position < end and shift < 7 * _LONGEST_VARINT:
        byte = data[position]
        position += 1
        if byte < 0x80:
            return (value | byte << shift) & 0xFFFF_FFFF_FFFF_FFFF, position
        value |= (byte & 0x7F) << shift
        shift += 7
    raise DecodeError(f"no whole number where one should be, at byte {start} of the message")


def fields(data: Data, spans: Sequence[Span]) -> Iterator[Field]:
    """Yield the fields of the message whose bytes are `spans`.

    The content of a varint field is its own bytes; unknown fields are for the caller to skip.

    Raises:
        DecodeError: a field is cut off or has no valid tag.
    """
    for start, end in spans:
        position = start
        while position < end:
            tag, content = data[position], position + 1
            if tag >= 0x80:
                tag, content = read_varint(data, position, end)
            number, wire = tag >> 3, tag & 7
            if wire == LENGTH:
                length, content = read_varint(data, content, end)
                position = content + length
            elif wire == VARINT:
                _, position = read_varint(data, content, end)
            elif wire in _FIXED_SIZES:
                position = content + _FIXED_SIZES[wire]
            else:
                raise DecodeError(f"wire type {wire}, at byte {position} of the message")
            if position > end:
                raise DecodeError(
                    f"field {number} ends at byte {position}, its message at byte {end}"
                )
            if not 0 < number <= _HIGHEST_NUMBER:
                raise DecodeError(f"field number {number}, before byte {content} of the message")
            yield number, wire, content, position


def messages(data: Data, spans: Sequence[Span], number: int) -> Iterator[Span]:
    """Yield the contents of the length-delimited fields `number` of a message."""
    for stored, wire, start, end in fields(data, spans):
        if stored == number and wire == LENGTH:
            yield start, end


def decode_varints(packed: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Decode whole numbers that lie end to end, at once, as int64.

    Raises:
        DecodeError: the last one is cut off, or one has more than ten bytes.

    >>> decode_varints(np.array([5, 0x80, 0x01], np.uint8)).tolist()
    [5, 128]
    """
    last = (packed < 0x80).nonzero()[0]
    if packed.size and (not last.size or last[-1] != packed.size - 1):
        raise DecodeError("the last number of a list is cut off")
    first = np.empty_like(last)
    first[:1] = 0
    first[1:] = last[:-1] + 1
    widths = last - first + 1
    longest = int(widths.max(initial=0))
    if longest > _LONGEST_VARINT:
        raise DecodeError(f"a number of a list has {longest} bytes, more than ten")
    low = packed & np.uint8(0x7F)
    values = low[first].astype(np.uint64) if longest else np.empty(0, np.uint64)
    for number in range(1, longest):
        rows = (widths > number).nonzero()[0]
        values[rows] |= low[first[rows] + number].astype(np.uint64) << np.uint64(7 * number)
    return values.view(np.int64)


def decode_floats(packed: NDArray[np.uint8]) -> Array:
    """Return numbers of four bytes each that lie end to end as float32, a view.

    Raises:
        DecodeError: the last one is cut off.
    """
    if packed.size % 4:
        raise DecodeError(f"a list of floats has {packed.size} bytes, no multiple of four")
    return packed.view("<f4")


def bytes_of(data: Any, span: Span) -> NDArray[np.uint8]:
    """Return bytes of a message as a uint8 array."""
    return np.frombuffer(data, np.uint8, span[1] - span[0], span[0])
