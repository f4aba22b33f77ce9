"""TIFF files: the requirements on every format, and what is special to TIFF."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from penstock.decoders.image.formats.base import ImageHeader
from penstock.decoders.image.table import read_header
from penstock.testing.decoders import EncodedImage, FormatConformance

from ..zoo import zoo_images


class TestTiff(FormatConformance):
    format_name = "TIFF"

    @pytest.fixture
    def images(self, image_zoo) -> dict[str, EncodedImage]:
        return zoo_images(image_zoo, "tiff")


def test_big_tiff_is_read():
    def entry(tag, field_type, value):
        return struct.pack("<HHQQ", tag, field_type, 1, value)

    tags = [entry(256, 4, 7), entry(257, 16, 5), entry(258, 3, 8), entry(277, 3, 1)]
    data = b"II" + struct.pack("<HHHQQ", 43, 8, 0, 16, len(tags)) + b"".join(tags)
    assert read_header(np.frombuffer(data, np.uint8)) == ImageHeader("TIFF", 5, 7, 1, 8)
