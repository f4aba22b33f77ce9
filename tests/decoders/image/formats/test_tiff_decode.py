from __future__ import annotations

import io
import struct
import sys
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import pytest
import tifffile
from numpy.typing import NDArray
from PIL import Image, ImageCms

from penstock.decoders.image.decode import decode, peek_shape
from penstock.decoders.image.formats import tiff
from penstock.decoders.image.table import read_header
from penstock.engine.errors import DecodeError, MissingDependencyError

MakeTiff = Callable[..., NDArray[np.uint8]]
WHITE_IS_ZERO, BLACK_IS_ZERO, RGB = 0, 1, 2
UNASSOCIATED_ALPHA = 2


def noise(*shape: int, dtype: Any = np.uint8) -> NDArray[Any]:
    limits = np.iinfo(dtype)
    rng = np.random.default_rng(9)
    return rng.integers(limits.min, limits.max, shape, endpoint=True).astype(dtype)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_colors_are_not_weighted_by_alpha(make_tiff: MakeTiff, dtype: Any, order: str) -> None:
    pixels = noise(8, 12, 4, dtype=dtype)
    data = make_tiff(pixels, RGB, extra=[UNASSOCIATED_ALPHA], order=order)
    np.testing.assert_array_equal(decode(data, output="ANY_DATA", dtype=dtype), pixels)
    np.testing.assert_array_equal(decode(data, dtype=dtype), pixels[..., :3])


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_white_may_be_zero(make_tiff: MakeTiff, dtype: Any) -> None:
    pixels = noise(8, 12, dtype=dtype)
    result = decode(make_tiff(pixels, WHITE_IS_ZERO), output="GRAY", dtype=dtype)
    np.testing.assert_array_equal(result[..., 0], np.iinfo(dtype).max - pixels)


@pytest.mark.parametrize("orientation", range(2, 9))
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_turns_only_if_asked(make_tiff: MakeTiff, dtype: Any, orientation: int) -> None:
    pixels = noise(8, 12, 3, dtype=dtype)
    data = make_tiff(pixels, RGB, orientation=orientation)
    np.testing.assert_array_equal(decode(data, dtype=dtype, use_exif=False), pixels)
    upright = decode(data, dtype=dtype)
    assert upright.shape == ((12, 8, 3) if orientation >= 5 else (8, 12, 3))
    assert (upright != decode(make_tiff(pixels, RGB), dtype=dtype).reshape(upright.shape)).any()


def test_separate_planes_of_8_bits_are_put_together(make_tiff: MakeTiff) -> None:
    pixels = noise(8, 12, 3)
    np.testing.assert_array_equal(decode(make_tiff(pixels, RGB, planar=2)), pixels)


@pytest.mark.parametrize("order", ["<", ">"])
def test_float_samples_span_0_to_1(make_tiff: MakeTiff, order: str) -> None:
    pixels = np.random.default_rng(1).random((8, 12, 3)).astype(np.float32)
    data = make_tiff(pixels, RGB, sample_format=3, order=order)
    np.testing.assert_array_equal(decode(data, dtype=np.float32), pixels)
    np.testing.assert_array_equal(decode(data), np.floor(pixels.astype(float) * 255 + 0.5))


def test_signed_samples_keep_their_range(make_tiff: MakeTiff) -> None:
    pixels = noise(8, 12, dtype=np.int16)
    result = decode(
        make_tiff(pixels, BLACK_IS_ZERO, sample_format=2), output="GRAY", dtype=np.int16
    )
    np.testing.assert_array_equal(result[..., 0], pixels)


def test_gray_with_alpha_keeps_both(make_tiff: MakeTiff) -> None:
    for dtype in (np.uint8, np.uint16):
        pixels = noise(8, 12, 2, dtype=dtype)
        data = make_tiff(pixels, BLACK_IS_ZERO, extra=[UNASSOCIATED_ALPHA])
        np.testing.assert_array_equal(decode(data, output="GRAY", dtype=dtype), pixels[..., :1])
        np.testing.assert_array_equal(decode(data, output="ANY_DATA", dtype=dtype), pixels)


def written(pixels: NDArray[Any], **options: Any) -> NDArray[np.uint8]:
    """Return a file of tifffile."""
    file = io.BytesIO()
    tifffile.imwrite(file, pixels, metadata=None, **options)
    return np.frombuffer(file.getvalue(), np.uint8)


def pillow_rgb(data: NDArray[np.uint8]) -> NDArray[Any]:
    return np.asarray(Image.open(io.BytesIO(data.tobytes())).convert("RGB"))


@pytest.mark.parametrize("bits", range(1, 17))
@pytest.mark.parametrize("form", ["gray", "white is zero", "interleaved", "planes"])
def test_every_depth_spans_the_range(bits: int, form: str) -> None:
    pixels = np.random.default_rng(bits).integers(0, 1 << bits, (3, 9, 13))
    pixels = pixels.astype(np.uint8 if bits <= 8 else np.uint16)
    options: dict[str, Any] = {"bitspersample": bits}
    if form == "planes":
        data = written(pixels, photometric="rgb", planarconfig="separate", **options)
    elif form == "interleaved":
        data = written(np.moveaxis(pixels, 0, 2).copy(), photometric="rgb", **options)
    else:
        photometric = "miniswhite" if form.startswith("white") else "minisblack"
        data = written(pixels[0], photometric=photometric, **options)
    expected = np.moveaxis(pixels if len(form) > 5 and form[0] != "w" else pixels[:1], 0, 2)
    levels = expected / ((1 << bits) - 1)
    levels = 1 - levels if form.startswith("white") else levels
    assert read_header(data).bits == bits
    result = decode(data, output="ANY_DATA", dtype=np.float32)
    np.testing.assert_allclose(result, levels, atol=1e-6)
    for dtype in (np.uint8, np.uint16):
        result = decode(data, output="ANY_DATA", dtype=dtype)
        scaled = np.floor(levels * np.iinfo(dtype).max + 0.5)
        assert np.abs(result - scaled).max() <= (bits > 8)


@pytest.mark.parametrize("samples", [1, 3])
def test_differences_of_12_bits_are_undone(samples: int) -> None:
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


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("compression", [None, "lzw"])
def test_deep_integers_are_numbers(dtype: str, compression: Any) -> None:
    labels = np.arange(300).reshape(15, 20).astype(dtype)
    data = written(labels, compression=compression)
    for wanted in ("uint16", "int16", "int32", "uint32", "float32"):
        for output in ("ANY_DATA", "GRAY", "RGB"):
            result = decode(data, output=output, dtype=wanted)
            for channel in np.moveaxis(result, 2, 0):
                np.testing.assert_array_equal(channel, labels)
    with pytest.raises(DecodeError, match=r"values from 0 to 299 do not fit into uint8.*INT32"):
        decode(data, output="GRAY")
    window = decode(data, output="GRAY", roi=(0, 0, 10, 20))
    np.testing.assert_array_equal(window[..., 0], labels[:10])


@pytest.mark.parametrize("bits", [17, 24, 31])
def test_odd_depths_above_16_are_numbers(bits: int) -> None:
    numbers = np.arange(300, dtype=np.uint32).reshape(15, 20) << (bits - 9)
    data = written(numbers, bitspersample=bits)
    result = decode(data, output="ANY_DATA", dtype=np.float32)
    np.testing.assert_array_equal(result[..., 0], numbers.astype(np.float32))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("predictor", [False, True])
def test_floats_keep_their_values(dtype: str, predictor: bool) -> None:
    pixels = np.linspace(-2, 40, 300).reshape(10, 10, 3).astype(dtype)
    options = {"compression": "zlib", "predictor": 3} if predictor else {}
    data = written(pixels, photometric="rgb", **options)
    result = decode(data, dtype=np.float32)
    np.testing.assert_array_equal(result, pixels.astype(np.float32))
    expected = np.clip(np.floor(pixels.astype(np.float64) * 65535 + 0.5), 0, 65535)
    assert np.abs(decode(data, dtype=np.uint16) - expected).max() <= 1


def test_signed_bytes_keep_their_range() -> None:
    pixels = np.arange(-128, 128).astype(np.int8).reshape(16, 16)
    result = decode(written(pixels), output="GRAY", dtype=np.float32)
    np.testing.assert_allclose(result[..., 0], pixels / 127, atol=1e-6)
    assert decode(written(pixels), output="GRAY").ravel()[[0, 128, 255]].tolist() == [0, 0, 255]


def with_palette(indices: NDArray[Any], colors: NDArray[np.uint16], **options: Any) -> Any:
    """Return a file of indices with a color map: tifffile writes such with 8 bits alone."""
    color_map = (320, 3, colors.size, colors.ravel().tolist(), True)
    options |= {"photometric": "minisblack", "extratags": [color_map]}
    data = written(indices, **options).copy()
    data[tiff.read_directory(memoryview(data)).fields[262].at] = 3
    return data


@pytest.mark.parametrize("bits", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("shallow", [False, True])
def test_palettes_give_their_colors(bits: int, shallow: bool) -> None:
    rng = np.random.default_rng(3)
    colors = rng.integers(0, 256, (3, 1 << bits)).astype(np.uint16)
    colors[0, 0] = 255
    indices = rng.integers(0, 1 << bits, (9, 13)).astype(np.uint16 if bits > 8 else np.uint8)
    data = with_palette(indices, colors if shallow else colors * 257, bitspersample=bits)
    expected = np.moveaxis(colors[:, indices], 0, 2)
    for output in ("RGB", "ANY_DATA"):
        np.testing.assert_array_equal(decode(data, output=output), expected)
    assert peek_shape(data, output="ANY_DATA") == (9, 13, 3)


def test_a_palette_may_have_other_samples_beside_its_index() -> None:
    indices, colors = noise(8, 12, 2), noise(3, 256)
    data = with_palette(indices, colors.astype(np.uint16) * 257, planarconfig="contig")
    expected = np.moveaxis(colors[:, indices[..., 0]], 0, 2)
    np.testing.assert_array_equal(decode(data, output="ANY_DATA"), expected)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32])
@pytest.mark.parametrize("planar", ["contig", "separate"])
@pytest.mark.parametrize("compression", [None, "lzw"])
def test_inks_are_mixed(dtype: Any, planar: str, compression: Any) -> None:
    inks = np.random.default_rng(4).random((9, 13, 4))
    largest = 1 if dtype is np.float32 else np.iinfo(dtype).max
    stored = (inks * largest).astype(dtype)
    inks = stored / largest
    order = stored if planar == "contig" else np.moveaxis(stored, 2, 0)
    data = written(order, photometric="separated", planarconfig=planar, compression=compression)
    expected = (1 - inks[..., :3]) * (1 - inks[..., 3:])
    np.testing.assert_allclose(decode(data, dtype=np.float32), expected, atol=3e-3)
    rgba = decode(data, output="ANY_DATA", dtype=np.float32)
    np.testing.assert_allclose(rgba, np.dstack([expected, np.ones((9, 13))]), atol=3e-3)
    if dtype is np.uint8 and planar == "contig":
        assert np.abs(decode(data).astype(int) - pillow_rgb(data)).max() <= 1


def test_inks_in_jpeg_are_mixed() -> None:
    image = Image.fromarray(noise(40, 60, 3)).resize((200, 100)).convert("CMYK")
    file = io.BytesIO()
    image.save(file, "TIFF", compression="jpeg", quality=95)
    data = np.frombuffer(file.getvalue(), np.uint8)
    assert np.abs(decode(data).astype(int) - pillow_rgb(data)).max() <= 1


@pytest.mark.parametrize("channels", [2, 5, 6, 13])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32])
@pytest.mark.parametrize("planar", ["contig", "separate"])
def test_many_channels(channels: int, dtype: Any, planar: str) -> None:
    stored = noise(7, 9, channels).astype(dtype)
    order = stored if planar == "contig" else np.moveaxis(stored, 2, 0)
    data = written(order, photometric="minisblack", planarconfig=planar)
    assert peek_shape(data, output="ANY_DATA") == (7, 9, channels)
    np.testing.assert_array_equal(decode(data, output="ANY_DATA", dtype=dtype), stored)
    window = decode(data, output="ANY_DATA", dtype=dtype, roi=(2, 3, 5, 9))
    np.testing.assert_array_equal(window, stored[2:5, 3:9])
    if channels > 2:
        np.testing.assert_array_equal(decode(data, dtype=dtype), stored[..., :3])


@pytest.mark.parametrize("icc", [False, True])
@pytest.mark.parametrize("deep", [False, True])
def test_lab_gives_srgb(icc: bool, deep: bool) -> None:
    rgb = Image.fromarray(noise(12, 16, 3) // 3 + 80).resize((64, 48), Image.Resampling.BICUBIC)
    to_lab = ImageCms.buildTransform(
        ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB"), "RGB", "LAB"
    )
    lab = np.asarray(ImageCms.applyTransform(rgb, to_lab))
    if icc:
        lab = lab ^ np.array([0, 128, 128], np.uint8)
    if deep:
        lab = np.dstack([lab[..., 0] * np.uint16(257), lab[..., 1:].astype(np.uint16) << 8])
    data = written(lab, photometric=9 if icc else 8, compression="zlib")
    difference = np.abs(decode(data).astype(int) - np.asarray(rgb))
    assert difference.mean() < 1
    assert difference.max() < 7


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
def test_lossless_files_of_tifffile(
    order: Any, bigtiff: bool, options: dict[str, Any], dtype: Any
) -> None:
    pixels = noise(45, 70, 3, dtype=dtype)
    stored = np.moveaxis(pixels, 2, 0) if "planarconfig" in options else pixels
    data = written(stored, photometric="rgb", byteorder=order, bigtiff=bigtiff, **options)
    np.testing.assert_array_equal(decode(data, dtype=dtype), pixels)


@pytest.mark.parametrize("compression", ["raw", "group3", "group4", "tiff_ccitt"])
@pytest.mark.parametrize("inverted", [False, True])
def test_bilevel_files_of_pillow(compression: str, inverted: bool) -> None:
    image = Image.fromarray(noise(45, 71)).convert("1")
    file = io.BytesIO()
    image.save(file, "TIFF", compression=compression, tiffinfo={262: int(inverted)})
    data = np.frombuffer(file.getvalue(), np.uint8)
    expected = np.asarray(Image.open(io.BytesIO(file.getvalue()))) * np.uint8(255)
    np.testing.assert_array_equal(decode(data, output="ANY_DATA")[..., 0], expected)


@pytest.mark.parametrize("compression", [1, 4])
def test_bits_may_be_stored_backwards(compression: int) -> None:
    name = {1: "raw", 4: "group4"}[compression]
    image, file = Image.fromarray(noise(45, 72)).convert("1"), io.BytesIO()
    image.save(file, "TIFF", compression=name, tiffinfo={266: 1, 278: 45})
    data = np.frombuffer(file.getvalue(), np.uint8).copy()
    directory = tiff.read_directory(memoryview(data))
    start, size = (directory.value(tag, 0) for tag in (273, 279))
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
def test_jpeg_strips_end_with_the_picture(quality: int, lines: int, form: str) -> None:
    ramp = np.add.outer(np.arange(37), np.arange(60)).astype(np.uint8)
    pixels = ramp if form == "gray" else np.dstack([ramp, ramp[::-1], ramp])
    options: dict[str, Any] = {"compression": "jpeg", "compressionargs": {"level": quality}}
    if form == "ycbcr":
        options["subsampling"] = (2, 2)
    photometric = "minisblack" if form == "gray" else form
    data = written(pixels, photometric=photometric, rowsperstrip=lines, **options)
    oracle = tifffile.imread(io.BytesIO(data.tobytes()))
    np.testing.assert_array_equal(decode(data, output="ANY_DATA").squeeze(), oracle)


def test_jpeg_of_12_bits_spans_the_range() -> None:
    ramp = (np.add.outer(np.arange(40), np.arange(60)) * 41).astype(np.uint16)
    data = written(ramp, compression="jpeg", bitspersample=12, photometric="minisblack")
    result = decode(data, output="GRAY", dtype=np.float32)[..., 0]
    assert np.abs(result - ramp / 4095).max() < 0.02


def test_the_first_page_counts() -> None:
    pages, file = noise(2, 9, 13), io.BytesIO()
    with tifffile.TiffWriter(file) as writer:
        for page in pages:
            writer.write(page, photometric="minisblack")
    data = np.frombuffer(file.getvalue(), np.uint8)
    np.testing.assert_array_equal(decode(data, output="GRAY")[..., 0], pages[0])


def test_lzw_of_the_old_style(make_tiff: MakeTiff) -> None:
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


def test_jpeg_of_the_old_style() -> None:
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


@pytest.mark.parametrize(
    ("tag", "value", "words"),
    [
        (259, 34892, "compression 34892 is not supported"),
        (262, 999, "photometric interpretation 999 is not supported"),
        (258, 40, "a depth of 40 bits is not supported"),
        (339, 6, "sample format 6 is not supported"),
        (284, 3, "planar configuration 3 is not supported"),
        (277, 0, "a picture without samples is not supported"),
    ],
)
def test_forms_that_are_not_supported_are_named(
    make_tiff: MakeTiff, tag: int, value: int, words: str
) -> None:
    data = make_tiff(noise(8, 12), BLACK_IS_ZERO).copy()
    field = tiff.read_directory(memoryview(data)).fields[tag]
    struct.pack_into("<" + field.code, data, field.at, value)
    assert peek_shape(data) == (8, 12, 3)
    with pytest.raises(DecodeError, match=f"^TIFF: {words}.*Convert the file"):
        decode(data)


@pytest.mark.parametrize("name", ["tifffile", "imagecodecs"])
def test_a_missing_library_is_named_with_its_command(
    make_tiff: MakeTiff, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    data = make_tiff(noise(8, 12), BLACK_IS_ZERO)
    assert peek_shape(data) == (8, 12, 3)
    with pytest.raises(MissingDependencyError, match=r"tifffile and imagecodecs.*\[images\]"):
        decode(data)


def test_tiles_are_read() -> None:
    pixels = noise(40, 70, 3)
    options = [cv2.IMWRITE_TIFF_ROWSPERSTRIP, 7, cv2.IMWRITE_TIFF_COMPRESSION, 8]
    data = cv2.imencode(".tif", pixels, options)[1]
    np.testing.assert_array_equal(decode(data, output="BGR"), pixels)


def test_deep_inks_are_refused() -> None:
    data = written(np.zeros((5, 6, 4), np.uint32), photometric="separated")
    with pytest.raises(DecodeError, match="inks of 32 bits is not supported"):
        decode(data)


def test_a_picture_inside_must_have_the_depth_of_the_header() -> None:
    data = written(noise(16, 24), compression="jpeg", photometric="minisblack").copy()
    struct.pack_into("<H", data, tiff.read_directory(memoryview(data)).fields[258].at, 12)
    with pytest.raises(DecodeError, match="samples of 8 bits; expected 12"):
        decode(data)


def test_damaged_headers_give_an_image_or_a_decode_error() -> None:
    """The library must not read another header than the checks do, nor fail in its own way."""
    rng = np.random.default_rng(11)
    pixels = noise(48, 40, 3)
    forms: list[dict[str, Any]] = [
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
