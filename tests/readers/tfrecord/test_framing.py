import struct

import numpy as np
import pytest

from penstock.engine.errors import SourceError
from penstock.readers.storage.opening import open_storage
from penstock.readers.tfrecord.framing import RecordIndexer

from ..tfrecord_files import frame, masked_crc, write_records

SIZES = [0, 1, 70_000, 200_000, 5, 3_000_000, 10, *([1000] * 3000), 65_536, 2]


def offsets(path, *, verify_data=False):
    return RecordIndexer(open_storage(path), verify_data=verify_data).offsets().tolist()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data.tfrecord"


@pytest.mark.parametrize("verify", [False, True])
def test_records_of_all_sizes_are_found(path, verify):
    places = write_records(path, map(bytes, SIZES))
    expected = [offset for offset, _ in places] + [path.stat().st_size]
    assert offsets(path, verify_data=verify) == expected


def test_an_empty_file_has_no_records(path):
    path.write_bytes(b"")
    assert offsets(path) == [0]


def test_truncation_at_every_byte(path):
    records = [b"a", b"", b"some bytes", b"x" * 30]
    content = b"".join(map(frame, records))
    borders = np.cumsum([0, *(len(frame(record)) for record in records)]).tolist()
    for size in range(len(content)):
        path.write_bytes(content[:size])
        if size in borders:
            assert offsets(path) == borders[: borders.index(size) + 1]
            continue
        number = sum(border <= size for border in borders) - 1
        message = (
            rf"data.tfrecord: record {number} at offset {borders[number]} needs \d+ bytes, "
            rf"but the file ends after {size - borders[number]}; it was cut off"
        )
        with pytest.raises(SourceError, match=message):
            offsets(path)


@pytest.mark.parametrize("length", [2**63, 2**64 - 1, 2**63 - 17, 2**40])
@pytest.mark.parametrize("before", [0, 3])
def test_enormous_lengths_with_a_right_checksum(path, length, before):
    header = struct.pack("<Q", length)
    path.write_bytes(frame(b"x") * before + header + struct.pack("<I", masked_crc(header)) + b"a")
    message = rf"record {before} at offset {before * 17} needs {length + 16} bytes"
    with pytest.raises(SourceError, match=message):
        offsets(path)


@pytest.mark.parametrize("number", [0, 1, 2500])
def test_a_damaged_length_is_named(path, number):
    places = write_records(path, [b"x" * 500] * 3000)
    content = bytearray(path.read_bytes())
    content[places[number][0] + 1] ^= 4
    path.write_bytes(content)
    message = rf"length of record {number} at offset {places[number][0]} does not agree"
    with pytest.raises(SourceError, match=message):
        offsets(path)


@pytest.mark.parametrize("number", [0, 4, 2999])
def test_damaged_data_are_named_when_verified(path, number):
    places = write_records(path, [b"x" * 500] * 3000)
    content = bytearray(path.read_bytes())
    content[places[number][0] + 20] ^= 4
    path.write_bytes(content)
    assert len(offsets(path)) == 3001
    message = rf"record {number} at offset {places[number][0]} does not agree"
    with pytest.raises(SourceError, match=message):
        offsets(path, verify_data=True)


def test_what_is_no_tfrecord_file(path):
    path.write_bytes(b"\x89PNG and so on, and on, and on")
    with pytest.raises(SourceError, match="or it is no TFRecord file"):
        offsets(path)
