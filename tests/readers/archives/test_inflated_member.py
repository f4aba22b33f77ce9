"""Deflated members, read piece by piece."""

import tracemalloc
import zlib

import numpy as np
import pytest

from penstock.engine.errors import DecodeError, SourceError
from penstock.readers.archives import inflated_member
from penstock.readers.archives.inflated_member import InflatedMember

CONTENT = np.random.default_rng(0).integers(0, 4, 100_000, np.uint8)


def deflated(content):
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return np.frombuffer(packer.compress(content.tobytes()) + packer.flush(), np.uint8)


def member(content=CONTENT, packed=None, size=None, checksum=None):
    packed = deflated(content) if packed is None else packed
    size = len(content) if size is None else size
    checksum = zlib.crc32(content.tobytes()) if checksum is None else checksum
    return InflatedMember("a.npz, member 'x'", packed, size, checksum)


@pytest.mark.parametrize("piece", [1, 700, 4096, 1 << 20])
def test_ranges_in_any_order_overlapping_and_empty(tuned, piece):
    tuned(inflated_member, PIECE_BYTES=piece)
    content = CONTENT[:9000]
    offsets, lengths = [8000, 0, 20, 5, 9000, 4000], [1000, 10, 6000, 5, 0, 1]
    buffers = [np.zeros(length, np.uint8) for length in lengths]
    member(content).fill(offsets, buffers)
    for offset, buffer in zip(offsets, buffers, strict=True):
        np.testing.assert_array_equal(buffer, content[offset : offset + len(buffer)])


def test_the_beginning():
    np.testing.assert_array_equal(member().beginning(300), CONTENT[:300])
    assert len(member(CONTENT[:7]).beginning(300)) == 7


@pytest.mark.parametrize("size", [len(CONTENT) - 1, len(CONTENT) + 1])
def test_another_size_than_the_directory_s_is_noticed(size):
    with pytest.raises(DecodeError, match=r"a\.npz, member 'x': the deflated bytes are damaged"):
        member(size=size).fill([0], [np.empty(5, np.uint8)])


def test_another_checksum_is_noticed_though_the_range_is_at_the_beginning():
    with pytest.raises(DecodeError, match="or their checksum differs"):
        member(checksum=1).fill([0], [np.empty(5, np.uint8)])


def test_packed_bytes_that_are_cut_or_damaged():
    packed = deflated(CONTENT)
    with pytest.raises(DecodeError, match="damaged"):
        member(packed=packed[:-9]).fill([], [])
    with pytest.raises(DecodeError, match="damaged"):
        member(packed=np.full(50, 255, np.uint8)).beginning(5)
    with pytest.raises(DecodeError, match="damaged"):
        member(packed=np.full(50, 255, np.uint8)).fill([0], [np.empty(5, np.uint8)])


def test_ranges_outside_are_refused():
    with pytest.raises(SourceError, match=r"beyond|outside|bytes"):
        member().fill([len(CONTENT)], [np.empty(1, np.uint8)])


def test_memory_does_not_grow_with_the_content():
    zeros = np.zeros(64 << 20, np.uint8)
    large = member(zeros)
    del zeros
    tracemalloc.start()
    try:
        large.fill([60 << 20], [np.empty(100, np.uint8)])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 << 20
