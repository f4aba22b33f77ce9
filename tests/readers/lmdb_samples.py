"""LMDB files and Caffe's messages, written for tests."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import lmdb
import numpy as np

from penstock.readers.protobuf.columns import SLACK
from penstock.readers.storage.records import Records
from penstock.tests.readers.protobuf_messages import field, varint

FORMATS = (0, 1)
"""LMDB 0.9 and 1.0, as `lib_version` names them."""


def write_lmdb(
    path: Path,
    records: Mapping[bytes, bytes] | Iterable[bytes],
    *,
    lib_version: int = 0,
    database: bytes | None = None,
    subdir: bool = True,
    **flags: bool,
) -> Path:
    """Add records to an LMDB file, values without keys under "00000000", "00000001", ..."""
    if not isinstance(records, Mapping):
        records = {b"%08d" % number: value for number, value in enumerate(records)}
    with lmdb.open(
        str(path), map_size=1 << 28, max_dbs=4, lib_version=lib_version, subdir=subdir, sync=False
    ) as environment:
        opened = environment.open_db(database, **flags)
        with environment.begin(db=opened, write=True) as transaction:
            for key, value in records.items():
                transaction.put(key, value)
    return path


def records_of(values: Sequence[bytes]) -> Records:
    """Return values as a source reads them: end to end in one block."""
    lengths = np.array([len(value) for value in values], np.int64)
    block = np.frombuffer(b"".join(values) + b"\xff" * SLACK, np.uint8)
    return Records(block, np.cumsum(lengths) - lengths, lengths)


def datum(
    *,
    shape: tuple[int, int, int] | None = None,
    data: bytes | None = None,
    label: int | None = None,
    floats: Iterable[float] = (),
    encoded: bool | None = None,
) -> bytes:
    """Encode a Caffe Datum; `shape` is (height, width, channels)."""
    out = b""
    if shape is not None:
        out += field(1, shape[2]) + field(2, shape[0]) + field(3, shape[1])
    if data is not None:
        out += field(4, data)
    if label is not None:
        out += field(5, label)
    for number in floats:
        out += varint(6 << 3 | 5) + struct.pack("<f", number)
    if encoded is not None:
        out += field(7, int(encoded))
    return out


def tensor(
    data_type: int | None,
    *,
    dims: Iterable[int] = (),
    floats: Iterable[float] | None = None,
    int32s: Iterable[int] | None = None,
    content: bytes | None = None,
    strings: Iterable[bytes] = (),
    int64s: Iterable[int] | None = None,
) -> bytes:
    """Encode a Caffe2 TensorProto."""
    out = b"".join(field(1, extent) for extent in dims)
    if data_type is not None:
        out += field(2, data_type)
    if floats is not None:
        numbers = list(floats)
        out += field(3, struct.pack(f"<{len(numbers)}f", *numbers))
    if int32s is not None:
        out += field(4, b"".join(map(varint, int32s)))
    if content is not None:
        out += field(5, content)
    out += b"".join(field(6, string) for string in strings)
    if int64s is not None:
        out += field(10, b"".join(map(varint, int64s)))
    return out


def tensor_protos(*tensors: bytes) -> bytes:
    """Encode a Caffe2 TensorProtos."""
    return b"".join(field(1, tensor) for tensor in tensors)
