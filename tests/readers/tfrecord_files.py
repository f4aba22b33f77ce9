"""Writes TFRecord files for tests: framing, and protocol buffers byte by byte."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import crc32c

from penstock.tests.readers.protobuf_messages import field, varint


def masked_crc(data: bytes) -> int:
    crc = int(crc32c.crc32c(data))
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def frame(data: bytes) -> bytes:
    length = struct.pack("<Q", len(data))
    crcs = struct.pack("<I", masked_crc(length)), struct.pack("<I", masked_crc(data))
    return length + crcs[0] + data + crcs[1]


def write_records(path: Path, records: Iterable[bytes]) -> list[tuple[int, int]]:
    """Write the records; return offset and length of each frame."""
    places, offset = [], 0
    with path.open("wb") as file:
        for data in records:
            framed = frame(data)
            file.write(framed)
            places.append((offset, len(framed)))
            offset += len(framed)
    return places


def write_index(path: Path, places: Iterable[tuple[int, int]]) -> None:
    path.write_text("".join(f"{offset} {length}\n" for offset, length in places))


def bytes_list(*values: bytes) -> bytes:
    return field(1, b"".join(field(1, value) for value in values))


def float_list(*values: float) -> bytes:
    return field(2, field(1, struct.pack(f"<{len(values)}f", *values)) if values else b"")


def int64_list(*values: int) -> bytes:
    return field(3, field(1, b"".join(map(varint, values))) if values else b"")


def feature(values: Any) -> bytes:
    """Return the Feature of some bytes, a number, or a sequence of either."""
    if not isinstance(values, Sequence) or isinstance(values, bytes | str):
        values = [values]
    values = [value.encode() if isinstance(value, str) else value for value in values]
    if not values:
        return b""
    kind = {bytes: bytes_list, float: float_list}.get(type(values[0]), int64_list)
    return kind(*values)


def entry(key: str, value: bytes) -> bytes:
    return field(1, field(1, key.encode()) + field(2, value))


def features(values: Mapping[str, Any]) -> bytes:
    return b"".join(entry(key, feature(value)) for key, value in values.items())


def example(values: Mapping[str, Any]) -> bytes:
    return field(1, features(values))


def sequence_example(context: Mapping[str, Any], lists: Mapping[str, Sequence[Any]]) -> bytes:
    steps = {key: b"".join(field(1, feature(step)) for step in v) for key, v in lists.items()}
    return field(1, features(context)) + field(
        2, b"".join(entry(key, value) for key, value in steps.items())
    )
