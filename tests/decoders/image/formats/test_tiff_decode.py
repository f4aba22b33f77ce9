"""The forms of TIFF files: compressions, strips and tiles, old styles, damage of headers."""

from __future__ import annotations

import io
import struct
import sys

import cv2
import numpy as np
import pytest
import tifffile
from PIL import Image

from penstock.decoders.image.decode import decode, peek_shape
from penstock.decoders.image.formats import tiff
from penstock.engine.errors import DecodeError, MissingDependencyError

from ..tiff_files import noise, pillow_rgb, written
from .pictures import smooth_picture

WHITE_IS_ZERO, BLACK_IS_ZERO, RGB = 0, 1, 2
UNASSOCIATED_ALPHA = 2


@pytest.mark.parametrize("orientation", range(2, 9))
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_turns_only_if_asked(make_tiff, dtype, orientation):
    pixels = noise(8, 12, 3, dtype=dtype)
    data = make_tiff(pixels, RGB, orientation=orientation)
    np.testing.assert_array_equal(decode(data, dtype=dtype, use_exif=False), pixels)
    upright = decode(data, dtype=dtype)
    assert upright.shape == ((12, 8, 3) if orientation >= 5 else (8, 12, 3))
    assert (upright != decode(make_tiff(pixels, RGB), dtype=dtype).reshape(upright.shape)).any()


def test_separate_planes_of_8_bits_are_put_together(make_tiff):
    pixels = noise(8, 12, 3)
    np.testing.assert_array_equal(decode(make_tiff(pixels, RGB, planar=2)), pixels)


@pytest.mark.parametrize("samples", [1, 3])
def test_differences_of_12_bits_are_undone(samples):
    pixels = np.random.default_rng(7).integers(0, 4096, (6, 10, samples)).astype(np.uint16)
    differences = np.diff(pixels, axis=1, prepend=np.uint16(0)) & 4095
    data = written(
        differences.squeeze(),
        bitspersample=12,
        photometric="rgb" if samples == 3 else "minisblack",
        extratags=[(65000, 3, 1, 2, True)],
    ).copy()
    entry = data.tobytes().index(struct.pack("<HHI", 65000, 3, 1))
    struct.pack_into("<H", data, entry, 317)
    result = decode(data, output="ANY_DATA", dtype=np.float32)
    np.testing.assert_allclose(result, pixels / 4095, atol=1e-6)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("bigtiff", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"tile": (16, 16)},
        {"rowsperstrip": 7, "compression": "zlib", "predictor": 2},
        {"tile": (32, 48), "compression": "zstd", "predictor": 2},
        {"rowsperstrip": 1, "compression": "lzw"},
        {"compression": "lzma"},
        {"compression": "packbits", "rowsperstrip": 3},
        {"planarconfig": "separate", "tile": (16, 32), "compression": "lzw", "predictor": 2},
    ],
)
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_lossless_files_of_tifffile(order, bigtiff, options, dtype):
    pixels = noise(45, 70, 3, dtype=dtype)
    stored = np.moveaxis(pixels, 2, 0) if "planarconfig" in options else pixels
    data = written(stored, photometric="rgb", byteorder=order, bigtiff=bigtiff, **options)
    np.testing.assert_array_equal(decode(data, dtype=dtype), pixels)


@pytest.mark.parametrize("compression", ["raw", "group3", "group4", "tiff_ccitt"])
@pytest.mark.parametrize("inverted", [False, True])
def test_bilevel_files_of_pillow(compression, inverted):
    image = Image.fromarray(noise(45, 71)).convert("1")
    file = io.BytesIO()
    image.save(file, "TIFF", compression=compression, tiffinfo={262: int(inverted)})
    data = np.frombuffer(file.getvalue(), np.uint8)
    expected = np.asarray(Image.open(io.BytesIO(file.getvalue()))) * np.uint8(255)
    np.testing.assert_array_equal(decode(data, output="ANY_DATA")[..., 0], expected)


@pytest.mark.parametrize("compression", [1, 4])
def test_bits_may_be_stored_backwards(compression):
    name = {1: "raw", 4: "group4"}[compression]
    image, file = Image.fromarray(noise(45, 72)).convert("1"), io.BytesIO()
    image.save(file, "TIFF", compression=name, tiffinfo={266: 1, 278: 45})
    data = np.frombuffer(file.getvalue(), np.uint8).copy()
    directory = tiff.read_directory(memoryview(data))
    start, size = (directory.value(tag) for tag in (273, 279))
    data[start : start + size] = np.packbits(
        np.unpackbits(data[start : start + size]).reshape(-1, 8)[:, ::-1]
    )
    data[directory.fields[266].at] = 2
    np.testing.assert_array_equal(
        decode(data, output="ANY_DATA")[..., 0], np.asarray(image) * np.uint8(255)
    )


@pytest.mark.parametrize("quality", [80, 95])
@pytest.mark.parametrize("lines", [16, 37, 24])
@pytest.mark.parametrize("form", ["ycbcr", "rgb", "gray"])
def test_jpeg_strips_end_with_the_picture(quality, lines, form):
    ramp = np.add.outer(np.arange(37), np.arange(60)).astype(np.uint8)
    pixels = ramp if form == "gray" else np.dstack([ramp, ramp[::-1], ramp])
    options = {"compression": "jpeg", "compressionargs": {"level": quality}}
    if form == "ycbcr":
        options["subsampling"] = (2, 2)
    photometric = "minisblack" if form == "gray" else form
    data = written(pixels, photometric=photometric, rowsperstrip=lines, **options)
    oracle = tifffile.imread(io.BytesIO(data.tobytes()))
    np.testing.assert_array_equal(decode(data, output="ANY_DATA").squeeze(), oracle)


def test_jpeg_of_12_bits_spans_the_range():
    ramp = (np.add.outer(np.arange(40), np.arange(60)) * 41).astype(np.uint16)
    data = written(ramp, compression="jpeg", bitspersample=12, photometric="minisblack")
    result = decode(data, output="GRAY", dtype=np.float32)[..., 0]
    assert np.abs(result - ramp / 4095).max() < 0.02


def test_the_first_page_counts():
    pages, file = noise(2, 9, 13), io.BytesIO()
    with tifffile.TiffWriter(file) as writer:
        for page in pages:
            writer.write(page, photometric="minisblack")
    data = np.frombuffer(file.getvalue(), np.uint8)
    np.testing.assert_array_equal(decode(data, output="GRAY")[..., 0], pages[0])


def test_lzw_of_the_old_style(make_tiff):
    """Codes whose lowest bit comes first, as libtiff wrote them before 1990."""
    pixels = noise(10, 12)
    codes, bits = [256], []
    for number, byte in enumerate(pixels.ravel().tolist()):
        if number % 100 == 99:
            codes.append(256)  # before codes would have ten bits
        codes.append(byte)
    for code in (*codes, 257):
        bits += [code >> i & 1 for i in range(9)]
    strip = np.packbits(np.array(bits), bitorder="little").tobytes()
    data = bytearray(make_tiff(pixels, BLACK_IS_ZERO).tobytes()) + strip
    directory = tiff.read_directory(memoryview(data))
    for tag, value in ((259, 5), (273, len(data) - len(strip)), (279, len(strip))):
        field = directory.fields[tag]
        struct.pack_into("<" + field.code, data, field.at, value)
    result = decode(np.frombuffer(bytes(data), np.uint8), output="GRAY")
    np.testing.assert_array_equal(result[..., 0], pixels)


def test_jpeg_of_the_old_style():
    photo = Image.fromarray(noise(6, 8, 3)).resize((64, 48), Image.Resampling.BICUBIC)
    stream = io.BytesIO()
    photo.save(stream, "JPEG", quality=95)
    jpeg = stream.getvalue()
    start = 8 + 2 + 12 * 11 + 4 + 6
    tags = [
        (256, 4, 1, 64),
        (257, 4, 1, 48),
        (258, 3, 3, start - 6),
        (259, 3, 1, 6),
        (262, 3, 1, 6),
    ]
    tags += [(273, 4, 1, start), (277, 3, 1, 3), (278, 4, 1, 48), (279, 4, 1, len(jpeg))]
    tags += [(513, 4, 1, start), (514, 4, 1, len(jpeg))]
    head = b"II*\0" + struct.pack("<IH", 8, len(tags))
    head += b"".join(struct.pack("<HHII", *tag) for tag in tags) + bytes(4)
    data = head + struct.pack("<3H", 8, 8, 8) + jpeg
    file = np.frombuffer(data, np.uint8)
    assert np.abs(decode(file).astype(int) - pillow_rgb(file)).max() <= 2


@pytest.mark.parametrize("name", ["tifffile", "imagecodecs"])
def test_a_missing_library_is_named_with_its_command(make_tiff, monkeypatch, name):
    monkeypatch.setitem(sys.modules, name, None)
    data = make_tiff(noise(8, 12), BLACK_IS_ZERO)
    assert peek_shape(data) == (8, 12, 3)
    with pytest.raises(MissingDependencyError, match=rf"TIFF needs {name}.*\[images\]"):
        decode(data)


def test_tiles_are_read():
    pixels = noise(40, 70, 3)
    options = [cv2.IMWRITE_TIFF_ROWSPERSTRIP, 7, cv2.IMWRITE_TIFF_COMPRESSION, 8]
    data = cv2.imencode(".tif", pixels, options)[1]
    np.testing.assert_array_equal(decode(data, output="BGR"), pixels)


def test_a_picture_inside_must_have_the_depth_of_the_header():
    data = written(noise(16, 24), compression="jpeg", photometric="minisblack")
    struct.pack_into("<H", data, tiff.read_directory(memoryview(data)).fields[258].at, 12)
    with pytest.raises(DecodeError, match="samples of 8 bits; expected 12"):
        decode(data)


def test_damaged_headers_give_an_image_or_a_decode_error():
    """The library must not read another header than the checks do, nor fail in its own way."""
    rng = np.random.default_rng(11)
    pixels = noise(48, 40, 3)
    forms = [
        {"compression": "lzw", "tile": (16, 32)},
        {"compression": "jpeg", "rowsperstrip": 16},
        {"compression": "webp", "rowsperstrip": 16},
        {"bitspersample": 5},
    ]
    outcomes = set()
    for form in forms:
        sound = written(
            pixels & 31 if "bitspersample" in form else pixels, photometric="rgb", **form
        )
        fields = tiff.read_directory(memoryview(sound)).fields.values()
        ends = [(field.at - 10, field.at + 8) for field in fields]
        for trial in range(250):
            data = sound.copy()
            start, end = ends[trial % len(ends)]
            for _ in range(1 + trial % 3):
                data[rng.integers(max(start, 0), end)] = rng.integers(0, 256)
            try:
                outcomes.add(decode(data, output="ANY_DATA", dtype=np.float32).ndim)
            except DecodeError:
                outcomes.add(0)
    assert outcomes == {0, 3}


def test_axes_of_a_jpeg_2000_strip_may_be_mixed_up():
    """imagecodecs takes a strip of 5 samples and few lines for planes, and reads it back."""
    pixels = noise(50, 70, 5)
    options = {"compression": "jpeg2000", "photometric": "minisblack", "planarconfig": "contig"}
    data = written(pixels, rowsperstrip=16, **options)
    oracle = tifffile.imread(io.BytesIO(data.tobytes()))
    np.testing.assert_array_equal(decode(data, output="ANY_DATA"), oracle)


@pytest.mark.parametrize("compression", ["jpegxl", "jpegxl_dng"])
@pytest.mark.parametrize("layout", [{}, {"rowsperstrip": 16}, {"tile": (32, 48)}])
@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_jpeg_xl(compression, layout, channels, dtype):
    pixels = smooth_picture(61, 83, channels, 8 * np.dtype(dtype).itemsize)
    data = written(
        pixels.squeeze(),
        compression=compression,
        compressionargs={"lossless": True},
        photometric="minisblack" if channels == 1 else "rgb",
        **layout,
    )
    result = decode(data, output="ANY_DATA", dtype=dtype)
    np.testing.assert_array_equal(result, pixels)
    window = decode(data, output="ANY_DATA", dtype=dtype, roi=(20, 30, 50, 70))
    np.testing.assert_array_equal(window, pixels[20:50, 30:70])


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_floats_in_jpeg_xl(dtype):
    pixels = (smooth_picture(40, 50, 1)[..., 0] / np.float32(255)).astype(dtype)
    options = {"compressionargs": {"lossless": True}, "photometric": "minisblack"}
    data = written(pixels, compression="jpegxl", **options)
    result = decode(data, output="GRAY", dtype=np.float32)[..., 0]
    np.testing.assert_array_equal(result, pixels.astype(np.float32))
