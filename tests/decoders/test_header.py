from __future__ import annotations

import io
import struct
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from penstock.decoders.header import Header, peek
from penstock.engine.errors import DecodeError

# DALI drops the transparency of palettes and colour keys, so these have 3 channels for us.
KEYED = {"png_rgb8_colour_key", "png_palette8_alpha"}


def as_data(content: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(content, np.uint8)


def test_reads_every_image_of_the_zoo(image_zoo: dict[str, Any]) -> None:
    for name, image in image_zoo.items():
        header = peek(np.fromfile(image.path, np.uint8))
        height, width, channels = image.shape
        assert (header.height, header.width) == (height, width), name
        assert header.channels == (3 if name in KEYED else channels), name
        assert header.bits == image.bits, name
        assert header.orientation == image.orientation, name


def test_upright_size_exchanges_rows_and_columns_from_orientation_5_on() -> None:
    for orientation in range(1, 9):
        header = Header("JPEG", 20, 30, 3, 8, orientation)
        assert header.size() == ((30, 20) if orientation >= 5 else (20, 30))
        assert header.size(use_exif=False) == (20, 30)


def test_names_the_format_and_the_offset_of_what_is_wrong() -> None:
    png = cv2.imencode(".png", np.zeros((4, 5, 3), np.uint8))[1]
    with pytest.raises(DecodeError, match=r"PNG: the data ends at byte \d+ inside chunk b'IDAT'"):
        peek(png[:-20])
    with pytest.raises(DecodeError, match=r"JPEG: .* at byte \d+; expected .*\. "):
        peek(as_data(b"\xff\xd8\xff\xe0\x00\x10JFIF"))


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"GIF89a" + bytes(20), "GIF"),
        (b"\0\0\0\x1cftypavif" + bytes(20), "AVIF"),
        (b"\0\0\0\x1cftypheic" + bytes(20), "HEIF"),
        (b"\xff\x0a" + bytes(20), "JPEG XL"),
        (b"P7\nWIDTH 4\n", "PAM"),
    ],
)
def test_unsupported_formats_are_named(content: bytes, name: str) -> None:
    with pytest.raises(DecodeError, match=rf"^{name}: this format is not supported at byte 0"):
        peek(as_data(content))


@pytest.mark.parametrize("content", [b"", b"P", b"\xff", b"BM", b"hello world", bytes(100)])
def test_other_bytes_are_refused(content: bytes) -> None:
    with pytest.raises(DecodeError, match="expected"):
        peek(as_data(content))


@pytest.mark.parametrize(
    "data",
    [
        np.zeros((4, 4), np.uint8),
        np.zeros(8, np.uint16),
        np.zeros(8, np.uint8)[::2],
    ],
)
def test_data_of_another_shape_is_a_type_error(data: NDArray[Any]) -> None:
    with pytest.raises(TypeError, match="contiguous one-dimensional array of uint8"):
        peek(data)


def test_size_of_a_bomb_can_be_peeked_at() -> None:
    header = peek(
        as_data(b"\xff\xd8\xff\xc0\0\x11\x08\xff\xff\xff\xff\x03" + bytes(9) + b"\xff\xda\0\x02")
    )
    assert (header.height, header.width) == (65535, 65535)


def test_big_tiff_is_read() -> None:
    def entry(tag: int, kind: int, value: int) -> bytes:
        return struct.pack("<HHQQ", tag, kind, 1, value)

    tags = [entry(256, 4, 7), entry(257, 16, 5), entry(258, 3, 8), entry(277, 3, 1)]
    data = b"II" + struct.pack("<HHHQQ", 43, 8, 0, 16, len(tags)) + b"".join(tags)
    assert peek(as_data(data)) == Header("TIFF", 5, 7, 1, 8)


def test_raw_codestream_of_jpeg_2000_is_recognised(image_zoo: dict[str, Any]) -> None:
    jp2 = image_zoo["jp2_rgb8"].path.read_bytes()
    boxed = peek(as_data(jp2))
    assert peek(as_data(jp2[jp2.index(b"\xff\x4f\xff\x51") :])) == boxed


def test_core_header_of_bmp_is_read() -> None:
    content = b"BM" + struct.pack("<IHHIIHHHH", 0, 0, 0, 26, 12, 3, 2, 1, 24) + bytes(24)
    assert peek(as_data(content)) == Header("BMP", 2, 3, 3, 8)


def test_top_down_bmp_has_a_positive_height() -> None:
    content = b"BM" + struct.pack("<IHHI", 0, 0, 0, 54)
    content += struct.pack("<IiiHHIIiiII", 40, 3, -2, 1, 24, 0, 0, 0, 0, 0, 0) + bytes(24)
    assert peek(as_data(content)) == Header("BMP", 2, 3, 3, 8)


@pytest.mark.parametrize("text", [b"P5 0 3 255\n", b"P5 3 4 70000\n", b"P6 x", b"P5 4 4 255\n123"])
def test_bad_pnm_is_refused(text: bytes) -> None:
    with pytest.raises(DecodeError, match=r"^PNM: "):
        peek(as_data(text))


def test_jpeg_of_12_bits_is_refused_by_its_name(make_jpeg_frame: Callable[..., bytes]) -> None:
    with pytest.raises(DecodeError, match="12 bits per sample at byte 6; expected 8"):
        peek(as_data(make_jpeg_frame(bits=12)))
    with pytest.raises(DecodeError, match="2 components"):
        peek(as_data(make_jpeg_frame(components=2)))
    with pytest.raises(DecodeError, match="0 x 8 pixels"):
        peek(as_data(make_jpeg_frame(width=0)))


@pytest.fixture
def make_jpeg_frame() -> Callable[..., bytes]:
    def make(*, bits: int = 8, height: int = 8, width: int = 8, components: int = 3) -> bytes:
        body = struct.pack(">BHHB", bits, height, width, components) + bytes(3 * components)
        frame = b"\xff\xc0" + struct.pack(">H", len(body) + 2) + body
        return b"\xff\xd8" + frame + b"\xff\xda\0\x02"

    return make


def test_orientation_survives_damaged_metadata_in_jpeg() -> None:
    jpeg = cv2.imencode(".jpg", np.zeros((8, 16, 3), np.uint8))[1].tobytes()
    for body in (b"Exif\0\0", b"Exif\0\0II*\0\xff\xff\xff\xff", b"Exif\0\0XX*\0"):
        segment = b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body
        assert peek(as_data(jpeg[:2] + segment + jpeg[2:])).orientation == 1


def test_every_prefix_of_every_format_gives_a_header_or_a_decode_error(
    image_zoo: dict[str, Any],
) -> None:
    seen = io.StringIO()
    for name in (
        "jpeg_1x1",
        "exif_6",
        "png_1x1",
        "tiff_grey8",
        "bmp_grey8",
        "webp_lossy",
        "jp2_grey8",
    ):
        content = np.fromfile(image_zoo[name].path, np.uint8)
        for size in range(min(len(content), 700)):
            try:
                peek(content[:size])
            except DecodeError as error:
                seen.write(str(error))
    assert "expected" in seen.getvalue()
