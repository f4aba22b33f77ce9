"""Run-length codes of BMP against codes written out by hand; files are in `test_bmp.py`."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.decoders.image.formats import bmp_rle
from penstock.engine.errors import DecodeError


@pytest.mark.parametrize("bits", [4, 8])
def test_long_runs_and_literals_of_random_lines(bits):
    lines = np.random.default_rng(bits).integers(0, 3, (7, 500)).astype(np.uint8)
    codes = bytearray()
    for line in lines:
        starts = np.flatnonzero(np.diff(line, prepend=99))
        for start, end in zip(starts, [*starts[1:], len(line)], strict=True):
            value = int(line[start])
            codes += bytes([end - start, value << 4 | value if bits == 4 else value])
        codes += b"\0\0"
    np.testing.assert_array_equal(bmp_rle.decode(bytes(codes), 7, 500, bits), lines)


def test_colors_of_24_bits():
    codes = bytes([2, 1, 2, 3, 0, 1])
    assert bmp_rle.decode(codes, 1, 2, 24).tolist() == [[[1, 2, 3], [1, 2, 3]]]


@pytest.mark.parametrize("codes", [b"\xff\1" * 100_000, b"\0\2\xff\xff\1\1", b"\0\xff\1"])
def test_codes_that_lead_out_of_the_image_are_refused(codes):
    with pytest.raises(DecodeError, match=r"^BMP: "):
        bmp_rle.decode(codes, 4, 10, 8)
