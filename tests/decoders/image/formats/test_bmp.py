"""BMP files: the requirements on every format, and what is special to BMP."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from penstock.decoders.image.decode import decode
from penstock.decoders.image.formats.base import ImageHeader
from penstock.decoders.image.table import read_header
from penstock.engine.errors import DecodeError

from ..conformance import EncodedImage, FormatConformance, zoo_images


class TestBmp(FormatConformance):
    format_name = "BMP"

    @pytest.fixture
    def images(self, image_zoo) -> dict[str, EncodedImage]:
        return zoo_images(image_zoo, "bmp")


def as_data(content):
    return np.frombuffer(content, np.uint8)


def test_core_header_is_read():
    content = b"BM" + struct.pack("<IHHIIHHHH", 0, 0, 0, 26, 12, 3, 2, 1, 24) + bytes(24)
    assert read_header(as_data(content)) == ImageHeader("BMP", 2, 3, 3, 8)


def test_first_line_may_be_the_top_one():
    content = b"BM" + struct.pack("<IHHI", 0, 0, 0, 54)
    content += struct.pack("<IiiHHIIiiII", 40, 3, -2, 1, 24, 0, 0, 0, 0, 0, 0)
    content += bytes(range(24))
    assert read_header(as_data(content)) == ImageHeader("BMP", 2, 3, 3, 8)
    assert decode(as_data(content), output="BGR")[0, 0].tolist() == [0, 1, 2]


@pytest.mark.parametrize("bits", [0, 3, 64])
def test_unknown_depths_are_refused(bits):
    content = b"BM" + struct.pack("<IHHIIHHHH", 0, 0, 0, 26, 12, 3, 2, 1, bits) + bytes(64)
    with pytest.raises(DecodeError, match=f"{bits} bits per pixel at byte 28; expected one of"):
        read_header(as_data(content))
