"""JPEG XL: the requirements on every format, and files of libjxl in codestreams and boxes."""

from __future__ import annotations

import base64
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


# cjxl -d 1 of a picture of 24 x 16 pixels: gray with a profile of gamma 1.6, and RGBA with that of
# sRGB but for a gamma of 1.6.
GRAY_WITH_PROFILE = (
    "/woDQRq9H5AwD4DFth3w3HKtGlTiMrVrIS06BoQUlHDI0VQOJlJsJBuAsh3bdtY/AADWz/zfDLCXTAifQ4odJzb4FN"
    "q1vns6vQ1IzPCw9OR/KA4AABKIAgBIAV3lEgAAFSqjjBu8nOv58kOHxbSN6wxttW1hSaLIODZJJ3BIEssg7iYhAIAe"
    "ADFvT6fSt9sAkGG6DKgkkYyw2/UbHiHQJk+eoFDAAMN+5uZQigE="
)
RGBA_WITH_PROFILE = (
    "/woDwRbeGgYkzAOgpaKQ9CI4r6OdpNcyDzHDQovYYksscJM59RF2ngwqCGgkhDtb3NrubBKjaytkNBpdWuEAso62zg"
    "jwE+eqmXGbMXGkABjwf2Fpxc8shrpOXOWys5KHQoCitamsdJqpLt/y/pL1ER3IZR3fAEdfYXNlU09R6bAAa2fLAE1l"
    "S0tZc6i9VtYb1Wkaa6gAp3r777/zlKf1TqD9Qvrvv/uG+u+//YpgLxcKfKx9C4Lg1mEvBEL6gXkJUFuHoNgL9NYDXG"
    "yW/TVvphqovCeYmsGdQmHk5iiqbMvLDtBRryDlDjJtwpsVo/m4yAEASIAoAFADXeUSAAAVKqOMG7yc6/nyQ4fFtI3r"
    "DG21bWFJ4hhxt18FqDqpwCEDXXDw8ApkpKCgwAJHRcUYFe3oGGNUtEibdmSMkQvwXxDCyT8yN8AgD0EJJQUSPv6V4C"
    "APQQklBRI+/pXgIA9BCSUFEjz+lWAnO0FJJQUSbn2U4JF1mFp5EiOFHil00cEiTDLzRZwAcC5AE+b2RBrfDOostQkY"
    "P/xAV0rKCAIkAEBOPCMIcOJKEmmIutHsXl9B4N9df9Mj0gMBDABAvu5NQKer9+++Q4cg660NjQI="
)


def of_linear(light):
    curve = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.round(255 * curve)


def test_lossy_gray_with_a_profile_is_srgb():
    y, x = np.indices((16, 24))
    expected = of_linear(((255 - 5 * x - 5 * y) / 255) ** 1.6)
    data = as_data(base64.b64decode(GRAY_WITH_PROFILE))
    assert np.abs(decode(data, output="GRAY")[..., 0] - expected).mean() < 0.7
    tones = decode(data, output="GRAY", dtype=np.float32)
    assert np.abs(255 * tones[..., 0] - expected).mean() < 0.7


@pytest.mark.parametrize("is_boxed", [False, True])
def test_lossy_colors_with_a_profile_are_srgb_and_alpha_is_linear(is_boxed):
    y, x = np.indices((16, 24))
    stored = np.dstack([10 * x, 15 * y, 255 - 5 * x - 5 * y]) / 255
    light = np.where(stored <= 0.04045, stored / 12.92, ((stored + 0.055) / 1.055) ** 1.6)
    content = base64.b64decode(RGBA_WITH_PROFILE)
    if is_boxed:
        head = b"\0\0\0\x0cJXL \r\n\x87\n\0\0\0\x14ftypjxl \0\0\0\0jxl "
        content = head + (8 + len(content)).to_bytes(4, "big") + b"jxlc" + content
    pixels = decode(as_data(content), output="ANY_DATA")
    assert np.abs(pixels[..., :3] - of_linear(light)).mean() < 3
    assert np.abs(pixels[..., 3].astype(int) - 10 * x).mean() < 2
