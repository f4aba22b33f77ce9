import numpy as np
import pytest

from penstock.readers.tfrecord.patterns import SLACK, BytePattern

from ..protobuf_messages import varint


def match(header, *places):
    block = np.frombuffer(b"".join(places) + bytes(SLACK), np.uint8)
    begins = np.cumsum([0, *map(len, places[:-1])])
    stands, rest = header.match(block, begins)
    return [int(n) if stand else None for stand, n in zip(stands, rest, strict=True)]


@pytest.mark.parametrize("size", [1, 127, 128, 16_383, 16_384, 2**21 - 1, 2**21, 2**28 - 1])
def test_lengths_of_every_width(size):
    length = varint(size)
    header = BytePattern([b"\x0a", len(length)])
    assert match(header, b"\x0a" + length, b"\x0b" + length) == [size, None]
    assert header.size == 1 + len(length)


def test_nested_lengths_must_tell_the_same_end():
    header = BytePattern([b"\x0a", 2, b"\x0a\x03key\x12", 1])
    inner = b"\x0a\x03key\x12" + varint(100)
    right = b"\x0a" + varint(107) + b"\0"  # too short a length: of one byte
    assert match(header, b"\x0a" + varint(len(inner) + 100), right) == [None, None]
    wide = bytes([len(inner) + 100 | 0x80, 0])
    assert match(header, b"\x0a" + wide + inner) == [100]
    wrong = bytes([len(inner) + 101 & 0x7F | 0x80, 0])
    assert match(header, b"\x0a" + wrong + inner) == [None]


def test_every_fixed_byte_counts():
    pattern = bytes(range(1, 20))
    header = BytePattern([pattern[:9], 1, pattern[10:]])
    assert match(header, pattern) == [1]  # the length is 10, of which nine stand in the header
    for place in range(len(pattern)):
        changed = bytearray(pattern)
        changed[place] ^= 0x80
        assert match(header, bytes(changed)) == [None]
