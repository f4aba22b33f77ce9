"""What the samples of TIFF files mean: depth, sign, palette, inks, L*a*b*."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image, ImageCms

from penstock.decoders.image.decode import decode, peek_shape
from penstock.decoders.image.formats import tiff
from penstock.decoders.image.table import read_header
from penstock.engine.errors import DecodeError

from ..tiff_files import noise, pillow_rgb, written

WHITE_IS_ZERO, BLACK_IS_ZERO, RGB = 0, 1, 2
UNASSOCIATED_ALPHA = 2


def with_palette(indices, colors, **options):
    """Return a file of indices with a color map: tifffile writes such with 8 bits alone."""
    color_map = (320, 3, colors.size, colors.ravel().tolist(), True)
    options |= {"photometric": "minisblack", "extratags": [color_map]}
    data = written(indices, **options)
    data[tiff.read_directory(memoryview(data)).fields[262].at] = 3
    return data


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_colors_are_not_weighted_by_alpha(make_tiff, dtype, order):
    pixels = noise(8, 12, 4, dtype=dtype)
    data = make_tiff(pixels, RGB, extra=[UNASSOCIATED_ALPHA], order=order)
    np.testing.assert_array_equal(decode(data, output="ANY_DATA", dtype=dtype), pixels)
    np.testing.assert_array_equal(decode(data, dtype=dtype), pixels[..., :3])


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_white_may_be_zero(make_tiff, dtype):
    pixels = noise(8, 12, dtype=dtype)
    result = decode(make_tiff(pixels, WHITE_IS_ZERO), output="GRAY", dtype=dtype)
    np.testing.assert_array_equal(result[..., 0], np.iinfo(dtype).max - pixels)


@pytest.mark.parametrize("order", ["<", ">"])
def test_float_samples_span_0_to_1(make_tiff, order):
    pixels = np.random.default_rng(1).random((8, 12, 3)).astype(np.float32)
    data = make_tiff(pixels, RGB, sample_format=3, order=order)
    np.testing.assert_array_equal(decode(data, dtype=np.float32), pixels)
    np.testing.assert_array_equal(decode(data), np.floor(pixels.astype(float) * 255 + 0.5))


def test_signed_samples_keep_their_range(make_tiff):
    pixels = noise(8, 12, dtype=np.int16)
    result = decode(
        make_tiff(pixels, BLACK_IS_ZERO, sample_format=2), output="GRAY", dtype=np.int16
    )
    np.testing.assert_array_equal(result[..., 0], pixels)


@pytest.mark.parametrize("bits", range(1, 17))
@pytest.mark.parametrize("form", ["gray", "white is zero", "interleaved", "planes"])
def test_every_depth_spans_the_range(bits, form):
    pixels = np.random.default_rng(bits).integers(0, 1 << bits, (3, 9, 13))
    pixels = pixels.astype(np.uint8 if bits <= 8 else np.uint16)
    options = {"bitspersample": bits}
    if form == "planes":
        data = written(pixels, photometric="rgb", planarconfig="separate", **options)
    elif form == "interleaved":
        data = written(np.moveaxis(pixels, 0, 2), photometric="rgb", **options)
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


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("compression", [None, "lzw"])
def test_deep_integers_are_numbers(dtype, compression):
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
def test_odd_depths_above_16_are_numbers(bits):
    numbers = np.arange(300, dtype=np.uint32).reshape(15, 20) << (bits - 9)
    data = written(numbers, bitspersample=bits)
    result = decode(data, output="ANY_DATA", dtype=np.float32)
    np.testing.assert_array_equal(result[..., 0], numbers.astype(np.float32))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("predictor", [False, True])
def test_floats_keep_their_values(dtype, predictor):
    pixels = np.linspace(-2, 40, 300).reshape(10, 10, 3).astype(dtype)
    options = {"compression": "zlib", "predictor": 3} if predictor else {}
    data = written(pixels, photometric="rgb", **options)
    result = decode(data, dtype=np.float32)
    np.testing.assert_array_equal(result, pixels.astype(np.float32))
    expected = np.clip(np.floor(pixels.astype(np.float64) * 65535 + 0.5), 0, 65535)
    assert np.abs(decode(data, dtype=np.uint16) - expected).max() <= 1


def test_signed_bytes_keep_their_range():
    pixels = np.arange(-128, 128).astype(np.int8).reshape(16, 16)
    result = decode(written(pixels), output="GRAY", dtype=np.float32)
    np.testing.assert_allclose(result[..., 0], pixels / 127, atol=1e-6)
    assert decode(written(pixels), output="GRAY").ravel()[[0, 128, 255]].tolist() == [0, 0, 255]


@pytest.mark.parametrize("bits", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("shallow", [False, True])
def test_palettes_give_their_colors(bits, shallow):
    rng = np.random.default_rng(3)
    colors = rng.integers(0, 256, (3, 1 << bits)).astype(np.uint16)
    colors[0, 0] = 255
    indices = rng.integers(0, 1 << bits, (9, 13)).astype(np.uint16 if bits > 8 else np.uint8)
    data = with_palette(indices, colors if shallow else colors * 257, bitspersample=bits)
    expected = np.moveaxis(colors[:, indices], 0, 2)
    for output in ("RGB", "ANY_DATA"):
        np.testing.assert_array_equal(decode(data, output=output), expected)
    assert peek_shape(data, output="ANY_DATA") == (9, 13, 3)


def test_a_palette_may_have_other_samples_beside_its_index():
    indices, colors = noise(8, 12, 2), noise(3, 256)
    data = with_palette(indices, colors.astype(np.uint16) * 257, planarconfig="contig")
    expected = np.moveaxis(colors[:, indices[..., 0]], 0, 2)
    np.testing.assert_array_equal(decode(data, output="ANY_DATA"), expected)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32])
@pytest.mark.parametrize("planar", ["contig", "separate"])
@pytest.mark.parametrize("compression", [None, "lzw"])
def test_inks_are_mixed(dtype, planar, compression):
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


def test_inks_in_jpeg_are_mixed():
    image = Image.fromarray(noise(40, 60, 3)).resize((200, 100)).convert("CMYK")
    file = io.BytesIO()
    image.save(file, "TIFF", compression="jpeg", quality=95)
    data = np.frombuffer(file.getvalue(), np.uint8)
    assert np.abs(decode(data).astype(int) - pillow_rgb(data)).max() <= 1


@pytest.mark.parametrize("channels", [2, 5, 6, 13])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32])
@pytest.mark.parametrize("planar", ["contig", "separate"])
def test_many_channels(channels, dtype, planar):
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
def test_lab_gives_srgb(icc, deep):
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


def test_deep_inks_are_refused():
    data = written(np.zeros((5, 6, 4), np.uint32), photometric="separated")
    with pytest.raises(DecodeError, match="inks of 32 bits is not supported"):
        decode(data)


def test_gray_with_alpha_keeps_both(make_tiff):
    for dtype in (np.uint8, np.uint16):
        pixels = noise(8, 12, 2, dtype=dtype)
        data = make_tiff(pixels, BLACK_IS_ZERO, extra=[UNASSOCIATED_ALPHA])
        np.testing.assert_array_equal(decode(data, output="GRAY", dtype=dtype), pixels[..., :1])
        np.testing.assert_array_equal(decode(data, output="ANY_DATA", dtype=dtype), pixels)
