"""The header of JPEG XR, of pictures that imagecodecs writes."""

from __future__ import annotations

import imagecodecs
import numpy as np
import pytest

from penstock.decoders.image.formats.jpegxr import parse_header
from penstock.engine.errors import DecodeError


@pytest.mark.parametrize(
    ("dtype", "channels", "bits"),
    [("uint8", 1, 8), ("uint8", 3, 8), ("uint8", 4, 8), ("uint16", 3, 16), ("float32", 1, 32)],
)
def test_headers(dtype, channels, bits):
    pixels = np.zeros((41, 59, channels), dtype).squeeze()
    header = parse_header(memoryview(imagecodecs.jpegxr_encode(pixels, level=1.0)))
    assert (header.height, header.width) == (41, 59)
    assert (header.channels, header.bits) == (channels, bits)


@pytest.mark.parametrize("channels", [3, 4])
def test_missing_data_are_errors(channels):
    content = imagecodecs.jpegxr_encode(np.zeros((41, 59, channels), np.uint8))
    for end in range(len(content)):
        with pytest.raises(DecodeError, match=r"^JPEG XR"):
            parse_header(memoryview(content[:end]))


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"II\xbc\x01", b"II\x2a\0"), (b"WMPHOTO", b"wmphoto"), (b"\xc0\xbc", b"\xc1\xbc")],
)
def test_other_data_are_errors(old, new):
    content = imagecodecs.jpegxr_encode(np.zeros((41, 59, 3), np.uint8)).replace(old, new, 1)
    with pytest.raises(DecodeError, match=r"^JPEG XR"):
        parse_header(memoryview(content))
