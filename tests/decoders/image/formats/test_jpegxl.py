"""JPEG XL: the requirements on every format, and files of libjxl in codestreams and boxes."""

from __future__ import annotations

from functools import cache

import imagecodecs
import numpy as np
import pytest
from PIL import Image

from penstock.decoders.image.decode import decode
from penstock.decoders.image.formats import jpegxl
from penstock.decoders.image.table import read_header
from penstock.engine.errors import DecodeError
from penstock.testing.decoders import UPRIGHT, EncodedImage, FormatConformance

from .pictures import full_range, smooth_picture


def as_data(content):
    return np.frombuffer(content, np.uint8)


@cache
def jpegxl_images():
    images = {}
    for channels, bits in ((1, 8), (2, 8), (3, 8), (4, 8), (3, 10), (1, 12), (4, 16)):
        pixels = smooth_picture(61, 83, channels, bits)
        content = imagecodecs.jpegxl_encode(
            pixels.squeeze(), lossless=True, bitspersample=bits, usecontainer=bits == 8
        )
        images[f"{channels} of {bits} bits"] = EncodedImage(content, full_range(pixels, bits), bits)
    lossy = smooth_picture(64, 96, 3)
    images["lossy"] = EncodedImage(imagecodecs.jpegxl_encode(lossy, level=90), lossy, 8, 3.0)
    return images


class TestJpegXl(FormatConformance):
    format_name = "JPEG XL"

    @pytest.fixture
    def images(self) -> dict[str, EncodedImage]:
        return jpegxl_images()


@pytest.mark.parametrize("size", [(1, 1), (8, 8), (8, 16), (256, 256), (257, 300), (9000, 2)])
def test_sizes_of_all_codings(size):
    data = as_data(imagecodecs.jpegxl_encode(np.zeros(size, np.uint8), lossless=True))
    header = read_header(data)
    assert (header.height, header.width, header.channels) == (*size, 1)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_orientation_of_a_jpeg_inside(orientation, tmp_path):
    exif = Image.Exif()
    exif[0x0112] = orientation
    path = tmp_path / "turned.jpg"
    Image.fromarray(smooth_picture(24, 40, 3)).save(path, exif=exif, quality=95)
    data = as_data(imagecodecs.jpegxl_encode_jpeg(path.read_bytes(), usecontainer=True))
    assert read_header(data).orientation == orientation
    stored = decode(data, use_exif=False)
    assert stored.shape == (24, 40, 3)
    np.testing.assert_array_equal(decode(data), UPRIGHT[orientation](stored))
    assert np.abs(decode(data).astype(int) - decode(np.fromfile(path, np.uint8))).mean() < 2


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_float_samples_span_0_to_1(dtype):
    pixels = np.random.default_rng(0).random((20, 30, 3)).astype(dtype)
    data = as_data(imagecodecs.jpegxl_encode(pixels, lossless=True))
    np.testing.assert_array_equal(decode(data, dtype=np.float32), pixels.astype(np.float32))


def test_an_animation_counts_as_its_first_frame():
    frames = np.stack([smooth_picture(20, 30, 3), np.zeros((20, 30, 3), np.uint8)])
    data = as_data(imagecodecs.jpegxl_encode(frames, lossless=True))
    np.testing.assert_array_equal(decode(data), frames[0])


def test_a_header_without_an_end_is_an_error():
    with pytest.raises(DecodeError, match="JPEG XL: the data end inside the header"):
        read_header(as_data(b"\xff\x0a\x7f"))
    with pytest.raises(DecodeError, match="JPEG XL: no codestream"):
        read_header(as_data(jpegxl._CONTAINER + bytes(40)))
