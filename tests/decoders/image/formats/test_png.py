"""PNG files: the requirements on every format, and what is special to PNG."""

from __future__ import annotations

import io
import struct
import zlib

import cv2
import numpy as np
import pytest
from PIL import Image

from penstock.decoders.image.decode import decode
from penstock.decoders.image.table import read_header
from penstock.engine.errors import DecodeError
from penstock.testing.decoders import EncodedImage, FormatConformance

from ..zoo import zoo_images


class TestPng(FormatConformance):
    format_name = "PNG"

    @pytest.fixture
    def images(self, image_zoo) -> dict[str, EncodedImage]:
        return zoo_images(image_zoo, "png")


def png(**changed):
    """Return a small PNG; `changed` replaces the content of chunks."""
    data = cv2.imencode(".png", np.full((4, 5, 3), 77, np.uint8))[1].tobytes()
    start = data.index(b"IDAT") + 4
    length = int.from_bytes(data[start - 8 : start - 4], "big")
    content = changed.get("idat", data[start : start + length])
    body = b"IDAT" + content
    chunk = struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))
    return np.frombuffer(data[: start - 8] + chunk + data[start + length + 4 :], np.uint8)


def test_the_error_names_the_chunk_and_its_offset():
    with pytest.raises(DecodeError, match=r"PNG: the data ends at byte \d+ inside chunk b'IDAT'"):
        read_header(png()[:-20])


def test_a_wrong_checksum_is_named_with_its_chunk(bad_files):
    with pytest.raises(DecodeError, match=r"chunk b'IDAT' has checksum \w+ at byte \d+; expected"):
        decode(np.fromfile(bad_files["png_bad_data_crc"].path, np.uint8))


def test_a_wrong_checksum_of_a_text_is_harmless():
    data = png()
    text = struct.pack(">I", 5) + b"tEXta\0bcd" + bytes(4)
    longer = np.concatenate([data[:33], np.frombuffer(text, np.uint8), data[33:]])
    np.testing.assert_array_equal(decode(longer), decode(data))


@pytest.mark.parametrize("lines", [0, 1, 3])
def test_missing_lines_are_an_error_though_all_checksums_are_right(lines):
    short = zlib.compress(bytes(lines * (1 + 3 * 5)))
    with pytest.raises(DecodeError):
        decode(png(idat=short))


def apng(default_image):
    red, green, blue = (Image.new("RGB", (8, 4), color) for color in ("red", "lime", "blue"))
    file = io.BytesIO()
    red.save(file, "PNG", save_all=True, append_images=[green, blue], default_image=default_image)
    return np.frombuffer(file.getvalue(), np.uint8)


@pytest.mark.parametrize("is_outside", [True, False])
def test_an_animation_counts_as_its_default_image(is_outside):
    result = decode(apng(default_image=is_outside))
    np.testing.assert_array_equal(result, np.full((4, 8, 3), (255, 0, 0)))


@pytest.mark.parametrize("name", [b"acTL", b"fcTL", b"fdAT", b"iCCP", b"cHRM", b"zTXt", b"tRNS"])
def test_damage_outside_of_the_default_image_is_harmless(name):
    sound = apng(default_image=True)
    at = bytes(sound).find(name)
    content = b"\xff" * 5
    chunk = struct.pack(">I", len(content)) + name + content
    chunk += struct.pack(">I", zlib.crc32(name + content))
    before = at - 4 if at >= 0 else 33
    damaged = np.frombuffer(bytes(sound[:before]) + chunk + bytes(sound[before:]), np.uint8)
    np.testing.assert_array_equal(decode(damaged), decode(sound))


@pytest.mark.parametrize(("color_type", "bits"), [(0, 3), (2, 4), (3, 16), (4, 1), (6, 99)])
def test_bits_that_the_color_type_does_not_allow_are_named(color_type, bits):
    data = png().copy()
    data[24:26] = bits, color_type
    with pytest.raises(DecodeError, match=rf"{bits} bits per sample at byte 24; expected one of"):
        read_header(data)
