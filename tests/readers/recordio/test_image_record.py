"""Image records, written: what the tests' own encoder writes."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from penstock.readers.recordio.framing import frames_of
from penstock.readers.recordio.image_record import encode_record
from penstock.tests.readers import record_io


def test_records_have_one_label_or_several():
    one = encode_record(b"image", np.array([3], np.float32), 5)
    assert one == record_io.image_record(b"image", 3.0, 5)
    several = encode_record(memoryview(b"image"), np.array([3, 4.5], np.float32), 5)
    assert several == record_io.image_record(b"image", [3.0, 4.5], 5)


MAGIC = struct.pack("<I", 0xCED7230A)


@pytest.mark.parametrize(
    "content",
    [b"", b"abc", MAGIC, MAGIC * 3, b"1234" + MAGIC + b"5", b"1" + MAGIC, MAGIC[:3] + MAGIC],
)
def test_records_are_cut_at_the_magic(content):
    assert b"".join(frames_of(content)) == record_io.record(content)
