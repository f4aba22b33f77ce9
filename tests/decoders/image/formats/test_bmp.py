"""BMP files: the requirements on every format, and what is special to BMP."""

from __future__ import annotations

import io
import struct
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from penstock.decoders.image.decode import decode
from penstock.decoders.image.formats.base import ImageHeader
from penstock.decoders.image.table import read_header
from penstock.engine.errors import DecodeError
from penstock.testing.decoders import EncodedImage, FormatConformance

from ..zoo import zoo_images


class TestBmp(FormatConformance):
    format_name = "BMP"

    @pytest.fixture
    def images(self, image_zoo) -> dict[str, EncodedImage]:
        padding = 3  # bytes behind the last line that hold no pixel
        return {
            name: replace(image, undetected_tail=padding)
            for name, image in zoo_images(image_zoo, "bmp").items()
        }


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


def bmp(
    pixels: bytes,
    width: int,
    height: int,
    bits: int,
    *,
    header_size: int = 40,
    compression: int = 0,
    masks: tuple[int, ...] = (),
    palette: bytes = b"",
    colors: int = 0,
) -> NDArray[np.uint8]:
    fields = (header_size, width, height, 1, bits, compression, len(pixels), 0, 0, colors, 0)
    header = struct.pack("<IiiHHIIiiII", *fields)[: max(header_size, 16)]
    header += struct.pack(f"<{len(masks)}I", *masks)
    header = header.ljust(header_size, b"\0") + palette
    start = 14 + len(header)
    return as_data(b"BM" + struct.pack("<IHHI", start + len(pixels), 0, 0, start) + header + pixels)


def by_pillow(data):
    return np.asarray(Image.open(io.BytesIO(data.tobytes())).convert("RGB"))


FIELDS_565 = (0xF800, 0x07E0, 0x001F)
FIELDS_555 = (0x7C00, 0x03E0, 0x001F)


@pytest.mark.parametrize("masks", [FIELDS_565, FIELDS_555])
@pytest.mark.parametrize("header_size", [40, 52, 56, 108, 124])
def test_samples_of_5_and_6_bits_span_the_range(masks, header_size):
    values = np.arange(65536, dtype="<u2")
    data = bmp(values.tobytes(), 256, 256, 16, header_size=header_size, compression=3, masks=masks)
    result = decode(data, output="ANY_DATA")
    assert result.shape == (256, 256, 3)
    lines = values.reshape(256, 256)[::-1].astype(np.int64)
    expected = np.stack([(lines & mask) * 255 / mask for mask in masks], axis=2)
    np.testing.assert_array_equal(result, np.floor(expected + 0.5))
    assert np.abs(result.astype(int) - by_pillow(data)).max() <= 1


def test_masks_may_be_of_any_bits_and_hold_alpha():
    masks = (0x0000000F, 0x00000070, 0, 0xFFFFFF00)  # 4 and 3 bits, none, and 24 bits of alpha
    pixels = np.array([0xFFFFFFFF, 0, 0x00000F, 0x80000070], "<u4").tobytes()
    data = bmp(pixels, 4, 1, 32, header_size=108, compression=3, masks=masks)
    result = decode(data, output="ANY_DATA")[0].tolist()
    assert result == [[255, 255, 0, 255], [0, 0, 0, 0], [255, 0, 0, 0], [0, 255, 0, 128]]
    assert read_header(data).channels == 4


def test_masks_of_whole_bytes_may_have_any_order():
    masks = (0xFF, 0xFF0000, 0xFF000000, 0xFF00)
    data = bmp(bytes([1, 2, 3, 4]), 1, 1, 32, header_size=124, compression=3, masks=masks)
    assert decode(data, output="ANY_DATA").ravel().tolist() == [1, 3, 4, 2]


def test_colors_of_an_os2_palette_are_colors():
    palette = bytes([255, 0, 0, 0, 255, 0, 0, 0, 255])  # blue, green, red
    header = struct.pack("<IHHHH", 12, 4, 1, 1, 8) + palette
    start = 14 + len(header)
    content = b"BM" + struct.pack("<IHHI", start + 4, 0, 0, start) + header + bytes([2, 1, 0, 9])
    data = as_data(content)
    assert decode(data, output="ANY_DATA")[0].tolist() == [
        [255, 0, 0],
        [0, 255, 0],
        [0, 0, 255],
        [0, 0, 0],  # the palette ends before this index
    ]


@pytest.mark.parametrize("bits", [1, 2, 4, 8])
@pytest.mark.parametrize("header_size", [16, 40, 64, 108])
def test_indices_of_all_depths(bits, header_size):
    generator = np.random.default_rng(bits)
    palette = generator.integers(0, 256, (1 << bits, 4), np.uint8)
    indices = generator.integers(0, 1 << bits, (5, 11), np.uint8)
    numbers = "".join(format(index, f"0{bits}b") for index in indices[::-1].ravel())
    line = 11 * bits
    stored = b"".join(
        int(numbers[i : i + line].ljust(-(-line // 32) * 32, "0"), 2).to_bytes(-(-line // 32) * 4)
        for i in range(0, 5 * line, line)
    )
    data = bmp(stored, 11, 5, bits, header_size=header_size, palette=palette.tobytes())
    np.testing.assert_array_equal(decode(data, output="BGR"), palette[indices][..., :3])


def rle8(*codes, width=4, height=2):
    return bmp(bytes(codes), width, height, 8, compression=1, palette=GRAYS, colors=256)


GRAYS = bytes(np.repeat(np.arange(256, dtype=np.uint8), 4))


@pytest.mark.parametrize(
    ("codes", "lines"),
    [
        ((4, 7, 0, 0, 0, 4, 1, 2, 3, 4, 0, 1), [[1, 2, 3, 4], [7, 7, 7, 7]]),
        ((2, 7, 1, 8, 1, 9, 0, 0, 0, 1), [[0, 0, 0, 0], [7, 7, 8, 9]]),  # the rest is left out
        ((1, 7, 0, 2, 1, 1, 2, 9, 0, 1), [[0, 0, 9, 9], [7, 0, 0, 0]]),  # moves right and up
        ((4, 7, 0, 0, 4, 8), [[8] * 4, [7] * 4]),  # no end code behind all pixels
        ((0, 3, 5, 6, 7, 0, 1, 8, 0, 0, 4, 9, 0, 1), [[9] * 4, [5, 6, 7, 8]]),  # a padded literal
    ],
)
def test_run_lengths(codes, lines):
    data = rle8(*codes)
    assert decode(data, output="GRAY")[..., 0].tolist() == lines
    if codes[-2:] == (0, 1) and lines[0] != [0] * 4:  # Pillow refuses lines that are left out
        np.testing.assert_array_equal(decode(data), by_pillow(data))


@pytest.mark.parametrize(
    ("codes", "words"),
    [
        ((4, 7, 0, 0, 2, 8), "the run-length codes end in line 1; expected 2 lines"),
        ((4, 7), "end in line 0"),
        ((5, 7, 0, 1), "pixels 0 to 5 of line 0; expected inside of 4 x 2 pixels"),
        ((0, 2, 0, 9, 1, 1), "line 9"),
        ((0, 9, 1, 2), "the data end inside"),
    ],
)
def test_damaged_run_lengths_are_refused(codes, words):
    with pytest.raises(DecodeError, match=f"^BMP: .*{words}"):
        decode(rle8(*codes))


def test_runs_may_fill_a_padded_line():
    data = rle8(4, 7, 0, 0, 4, 8, 0, 1, width=3)
    assert decode(data, output="GRAY")[..., 0].tolist() == [[8] * 3, [7] * 3]


def test_runs_of_4_bits_alternate():
    palette = GRAYS[: 16 * 4]
    codes = bytes([5, 0x12, 0, 3, 0x34, 0x50, 0, 1])
    data = bmp(codes, 8, 1, 4, compression=2, palette=palette)
    assert decode(data, output="GRAY").ravel().tolist() == [1, 2, 1, 2, 1, 3, 4, 5]
    np.testing.assert_array_equal(decode(data), by_pillow(data))


def test_runs_of_24_bits():
    codes = bytes([2, 1, 2, 3, 0, 3, 4, 5, 6, 7, 8, 9, 1, 1, 1, 0, 0, 1])
    data = bmp(codes, 5, 1, 24, header_size=64, compression=4)
    assert decode(data, output="BGR")[0].tolist() == [
        [1, 2, 3], [1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 1, 1]
    ]  # fmt: skip


@pytest.mark.parametrize(("compression", "form"), [(4, "JPEG"), (5, "PNG")])
def test_a_file_inside_of_the_file(compression, form, generator):
    picture = Image.fromarray(generator.scene(3, 20, 30))
    file = io.BytesIO()
    picture.save(file, form)
    data = bmp(file.getvalue(), 30, 20, 0, compression=compression)
    assert read_header(data) == ImageHeader("BMP", 20, 30, 3, 8)
    expected = decode(as_data(file.getvalue()))
    np.testing.assert_array_equal(decode(data), expected)
    with pytest.raises(DecodeError):
        decode(data[:-40])


@pytest.mark.parametrize(
    ("bits", "compression", "words"),
    [(1, 3, "Huffman compression of OS/2"), (24, 11, "compression 11"), (8, 2, "8 bits per pixel")],
)
def test_unknown_compressions_are_named(bits, compression, words):
    data = bmp(bytes(64), 4, 2, bits, compression=compression, palette=GRAYS)
    with pytest.raises(DecodeError, match=f"^BMP: {words}.*Convert"):
        decode(data)
