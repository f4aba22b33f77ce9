from __future__ import annotations

import numpy as np
import pytest

from penstock.decoders.image.table import read_header
from penstock.engine.errors import DecodeError

# DALI drops the transparency of palettes and color keys, so these have 3 channels for us.
KEYED = {"png_rgb8_color_key", "png_palette8_alpha"}


def as_data(content):
    return np.frombuffer(content, np.uint8)


def test_reads_every_image_of_the_zoo(image_zoo):
    for name, image in image_zoo.items():
        header = read_header(np.fromfile(image.path, np.uint8))
        height, width, channels = image.shape
        assert (header.height, header.width) == (height, width), name
        assert header.channels == (3 if name in KEYED else channels), name
        assert header.bits == image.bits, name
        assert header.orientation == image.orientation, name


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"II\xbc\x01" + bytes(20), "JPEG XR"),
        (b"v/1\x01" + bytes(20), "OpenEXR"),
        (b"#?RADIANCE\n", "Radiance HDR"),
    ],
)
def test_unsupported_formats_are_named(content, name):
    with pytest.raises(DecodeError, match=rf"^{name}: this format is not supported at byte 0"):
        read_header(as_data(content))


@pytest.mark.parametrize("content", [b"", b"P", b"\xff", b"BM", b"hello world", bytes(100)])
def test_other_bytes_are_refused(content):
    with pytest.raises(DecodeError, match="expected"):
        read_header(as_data(content))


@pytest.mark.parametrize(
    "data",
    [
        np.zeros((4, 4), np.uint8),
        np.zeros(8, np.uint16),
        np.zeros(8, np.uint8)[::2],
    ],
)
def test_data_of_another_shape_is_a_type_error(data):
    with pytest.raises(TypeError, match="contiguous one-dimensional array of uint8"):
        read_header(data)
