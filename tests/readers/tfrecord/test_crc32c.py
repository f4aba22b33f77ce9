import struct
import sys

import numpy as np
import pytest

from penstock.engine.errors import MissingDependencyError
from penstock.readers.tfrecord.crc32c import checksum, masked, masked_of_lengths

from ..tfrecord_files import masked_crc


def test_the_checksum_is_castagnolis():
    # RFC 3720, B.4: 32 bytes of zeros, of ones, and counting up.
    assert checksum()(bytes(32)) == 0x8A9136AA
    assert checksum()(b"\xff" * 32) == 0x62A8AB43
    assert checksum()(np.arange(32, dtype=np.uint8)) == 0x46DD794E


def test_lengths_are_masked_together_as_one_by_one():
    random = np.random.default_rng(7)
    lengths = random.integers(0, 2**64, 500, np.uint64, endpoint=False) >> random.integers(
        0, 64, 500, np.uint64
    )
    expected = [masked_crc(struct.pack("<Q", int(length))) for length in lengths]
    assert masked_of_lengths(lengths).tolist() == expected
    assert masked_of_lengths(lengths[:0]).tolist() == []


def test_the_mask_wraps_around():
    assert masked(np.array([0xFFFFFFFF, 0], np.uint32)).tolist() == [0xA282EAD7, 0xA282EAD8]


def test_the_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "crc32c", None)
    with pytest.raises(MissingDependencyError, match=r"pip install '.*\[tfrecord\]'"):
        checksum()
