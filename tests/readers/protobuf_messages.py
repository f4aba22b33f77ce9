"""Protocol-buffer messages, written byte by byte for tests and benchmarks."""

from __future__ import annotations


def varint(value: int) -> bytes:
    """Encode a whole number; negative ones take ten bytes."""
    value &= 2**64 - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def field(number: int, value: int | bytes) -> bytes:
    """Encode a field: whole numbers as varints, bytes with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value
