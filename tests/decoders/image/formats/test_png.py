"""PNG files: the requirements on every format, and what is special to PNG."""

from __future__ import annotations

import struct
import zlib

import cv2
import numpy as np
import pytest

from penstock.decoders.image.decode import decode
from penstock.decoders.image.table import read_header
from penstock.engine.errors import DecodeError

from ..conformance import EncodedImage, FormatConformance, zoo_images


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
