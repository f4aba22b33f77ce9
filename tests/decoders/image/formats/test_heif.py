"""AVIF and HEIF: the requirements on every format, and files of Pillow, which turns them itself."""

from __future__ import annotations

import io
import struct
from functools import cache

import imagecodecs
import numpy as np
import pytest
from PIL import Image, ImageOps

from penstock.decoders.image.decode import decode
from penstock.decoders.image.table import read_decodable_header, read_header
from penstock.engine.errors import DecodeError
from penstock.testing.decoders import EncodedImage, FormatConformance

from .pictures import full_range, smooth_picture


def as_data(content):
    return np.frombuffer(content, np.uint8)


@cache
def avif_images():
    images = {}
    for channels, bits in ((1, 8), (2, 8), (3, 8), (4, 8), (3, 10), (1, 12), (4, 12)):
        pixels = smooth_picture(61, 83, channels, bits)
        content = imagecodecs.avif_encode(pixels.squeeze(), level=100, bitspersample=bits, speed=9)
        images[f"{channels} of {bits} bits"] = EncodedImage(content, full_range(pixels, bits), bits)
    return images


class TestAvif(FormatConformance):
    format_name = "AVIF"

    @pytest.fixture
    def images(self) -> dict[str, EncodedImage]:
        return avif_images()


@pytest.mark.parametrize("orientation", range(1, 9))
def test_turns_and_mirrors_are_those_of_pillow(orientation):
    picture = Image.fromarray(smooth_picture(24, 36, 3))
    exif = Image.Exif()
    exif[0x0112] = orientation
    file = io.BytesIO()
    picture.save(file, "AVIF", exif=exif, quality=100, subsampling="4:4:4")
    data = as_data(file.getvalue())
    expected = np.asarray(ImageOps.exif_transpose(Image.open(file)))
    assert read_header(data).orientation == orientation
    np.testing.assert_array_equal(decode(data), expected)
    assert decode(data, use_exif=False).shape == (24, 36, 3)


def test_a_sequence_counts_as_its_first_picture():
    frames = [Image.fromarray(smooth_picture(24, 36, 3)), Image.new("RGB", (36, 24), "red")]
    file = io.BytesIO()
    frames[0].save(file, "AVIF", save_all=True, append_images=frames[1:], quality=95)
    difference = decode(as_data(file.getvalue())).astype(int) - np.asarray(frames[0])
    assert np.abs(difference).mean() < 3


def test_a_claim_of_many_pixels_is_refused_before_the_decode():
    content = bytearray(imagecodecs.avif_encode(smooth_picture(24, 36, 3)))
    at = content.index(b"ispe") + 8
    content[at : at + 8] = struct.pack(">II", 1 << 20, 1 << 20)
    with pytest.raises(DecodeError, match=r"AVIF: the header claims 1048576 x 1048576 pixels"):
        read_decodable_header(as_data(bytes(content)))


def test_heif_is_refused_by_its_name_where_imagecodecs_lacks_the_codec():
    content = imagecodecs.avif_encode(smooth_picture(24, 36, 3)).replace(b"avif", b"heic")
    data = as_data(content)
    assert read_header(data).format == "HEIF"
    if not imagecodecs.HEIF.available:
        with pytest.raises(DecodeError, match=r"HEIF: this build of imagecodecs does not support"):
            decode(data)


def test_a_general_brand_with_an_avif_brand_is_avif():
    content = bytearray(imagecodecs.avif_encode(smooth_picture(24, 36, 3)))
    assert content[16:].index(b"avif") % 4 == 0
    content[8:12] = b"mif1"
    data = as_data(bytes(content))
    assert read_header(data).format == "AVIF"
    assert decode(data).shape == (24, 36, 3)


@pytest.mark.parametrize("name", [b"meta", b"pitm", b"iprp", b"ispe"])
def test_missing_boxes_are_errors(name):
    content = imagecodecs.avif_encode(smooth_picture(24, 36, 3)).replace(name, b"free")
    with pytest.raises(DecodeError, match=r"^AVIF: "):
        read_header(as_data(content))
