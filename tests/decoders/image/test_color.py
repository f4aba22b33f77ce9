from __future__ import annotations

import numpy as np
import pytest

from penstock.decoders.image import color

RAMP = np.arange(256, dtype=np.uint8).reshape(16, 16)
RAMP16 = np.arange(65536, dtype=np.uint16).reshape(256, 256)
INTEGERS = ("uint8", "int8", "uint16", "int16", "uint32", "int32")


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("source", [RAMP, RAMP16])
def test_integers_span_their_range_and_round_half_up(source, dtype):
    largest = np.iinfo(dtype).max
    exact = source * (largest / np.iinfo(source.dtype).max)
    result = color.as_type(source, dtype)
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, np.floor(exact + 0.5).astype(dtype))


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-7), ("float16", 5e-4)])
@pytest.mark.parametrize("source", [RAMP, RAMP16])
def test_floats_span_0_to_1(source, dtype, tolerance):
    result = color.as_type(source, dtype)
    assert result.dtype == dtype
    np.testing.assert_allclose(result, source / np.iinfo(source.dtype).max, atol=tolerance)


def test_float_samples_beyond_the_range_are_kept_in_floats_and_clipped_in_integers():
    samples = np.array([[-0.5, 0.0, 0.5, 1.0, 7.0, np.nan, np.inf]], np.float32)
    np.testing.assert_array_equal(color.as_type(samples, "float32"), samples)
    np.testing.assert_array_equal(
        color.as_type(samples, "uint8"), np.array([[0, 0, 128, 255, 255, 0, 255]], np.uint8)
    )
    assert color.as_type(np.array([[1e9]], np.float32), "float16")[0, 0] == np.inf


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
def test_ycbcr_is_bt601_with_head_and_foot_room(dtype):
    rgb = np.random.default_rng(3).integers(0, 256, (20, 30, 3)).astype(np.uint8)
    out = np.empty(rgb.shape, dtype)
    color.convert(rgb, "RGB", "YCbCr", out)
    red, green, blue = np.moveaxis(rgb / 255.0, 2, 0)
    luma = 16 + 65.481 * red + 128.553 * green + 24.966 * blue
    blue_difference = 128 - 37.797 * red - 74.203 * green + 112.0 * blue
    red_difference = 128 + 112.0 * red - 93.786 * green - 18.214 * blue
    expected = np.stack([luma, blue_difference, red_difference], axis=2)
    span = {"uint8": 1.0, "uint16": 256.5, "float32": 1 / 255.5}[dtype]
    np.testing.assert_allclose(out, expected * span, atol=0.8 * span)


def test_black_and_white_in_ycbcr():
    gray = np.array([[0, 255]], np.uint8)
    out = np.empty((1, 2, 3), np.uint8)
    color.convert(gray, "GRAY", "YCbCr", out)
    assert out.tolist() == [[[16, 128, 128], [235, 128, 128]]]


def test_every_pair_of_spaces_writes_into_the_given_memory():
    bgra = np.random.default_rng(4).integers(0, 256, (6, 5, 4)).astype(np.uint8)
    rgb = bgra[..., 2::-1]
    expected = {
        "RGB": rgb,
        "BGR": rgb[..., ::-1],
        "RGBA": np.dstack([rgb, bgra[..., 3]]),
        "GRAYA": bgra[..., [0, 3]],
    }
    for output, pixels in expected.items():
        out = np.zeros(pixels.shape, np.uint8)
        color.convert(bgra, "BGRA", output, out)
        np.testing.assert_array_equal(out, pixels)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32", "int16"])
def test_a_part_of_a_gray_image_expands_to_rgb(dtype):
    gray = RAMP[3:9, 2:14]
    out = np.zeros((6, 12, 3), dtype)
    color.convert(gray, "GRAY", "RGB", out)
    np.testing.assert_array_equal(out[..., 1], color.as_type(gray, dtype))
    np.testing.assert_array_equal(out[..., 0], out[..., 2])


def test_signed_and_64_bit_samples_are_converted():
    out = np.zeros((1, 2, 1), np.uint8)
    color.convert(np.array([[0, 32767]], np.int16), "GRAY", "GRAY", out)
    assert out.ravel().tolist() == [0, 255]
    color.convert(np.array([[0.0, 1.0]], np.float64), "GRAY", "GRAY", out)
    assert out.ravel().tolist() == [0, 255]


@pytest.mark.parametrize("dtype", [*INTEGERS, "float32"])
@pytest.mark.parametrize("white", [1, 15, 31, 255, 999, 1023, 4095, 65535])
def test_white_is_scaled_to_the_end_of_the_range(white, dtype):
    samples = np.arange(white + 1).astype(np.uint8 if white < 256 else np.uint16).reshape(1, -1)
    result = color.as_type(samples, dtype, float(white))
    largest = color.largest(np.dtype(dtype))
    exact = samples.astype(float) * (largest / white)
    if dtype == "float32":
        np.testing.assert_allclose(result, exact, atol=1e-7)
    else:
        np.testing.assert_array_equal(result, np.floor(exact + 0.5).astype(dtype))


def test_samples_above_white_are_white():
    samples = np.array([[0, 1000, 1001, 65535]], np.uint16)
    assert color.as_type(samples, "uint8", 1000.0).tolist() == [[0, 255, 255, 255]]


@pytest.mark.parametrize("output", ["RGB", "BGR", "GRAY", "YCbCr", "RGBA"])
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "float32", "float16"])
def test_colors_of_12_bits_are_those_of_16(output, dtype):
    deep = np.random.default_rng(5).integers(0, 4096, (9, 7, 3)).astype(np.uint16)
    whole = (deep * (65535 / 4095) + 0.5).astype(np.uint16)
    out, expected = (np.empty((9, 7, color.channels_of(output)), dtype) for _ in range(2))
    color.convert(deep, "RGB", output, out, 4095.0)
    color.convert(whole, "RGB", output, expected)
    step = {"uint16": 2.0, "int16": 2.0, "float32": 3e-5, "float16": 2e-3}.get(dtype, 1.0)
    assert np.abs(out.astype(float) - expected.astype(float)).max() <= step


@pytest.mark.parametrize("output", ["GRAY", "RGB", "BGR"])
@pytest.mark.parametrize("dtype", ["uint16", "int32", "float32", "uint8"])
def test_numbers_keep_their_values(output, dtype):
    labels = np.arange(200, dtype=np.int64).reshape(10, 20)
    out = np.empty((10, 20, color.channels_of(output)), dtype)
    color.convert(labels, "GRAY", output, out, color.NUMBERS)
    for channel in np.moveaxis(out, 2, 0):
        np.testing.assert_array_equal(channel, labels)


def test_numbers_of_three_channels_have_an_order_and_a_luma():
    numbers = np.array([[[1000, 2000, 3000]]], np.uint32)
    out = np.empty((1, 1, 3), np.int32)
    color.convert(numbers, "RGB", "BGR", out, color.NUMBERS)
    assert out.ravel().tolist() == [3000, 2000, 1000]
    gray = np.empty((1, 1, 1), np.int32)
    color.convert(numbers, "RGB", "GRAY", gray, color.NUMBERS)
    assert gray.item() == round(0.299 * 1000 + 0.587 * 2000 + 0.114 * 3000)


@pytest.mark.parametrize(
    ("number", "output", "dtype", "words"),
    [
        (256, "GRAY", "uint8", "from 256 to 256 do not fit into uint8"),
        (-1, "RGB", "uint16", "from -1 to -1 do not fit into uint16"),
        (2**31, "GRAY", "int32", "do not fit into int32"),
        (1, "YCbCr", "uint8", "YCbCr is not defined"),
    ],
)
def test_numbers_are_never_changed_in_silence(number, output, dtype, words):
    out = np.empty((1, 1, color.channels_of(output)), dtype)
    with pytest.raises(color.NumberError, match=words):
        color.convert(np.array([[number]], np.int64), "GRAY", output, out, color.NUMBERS)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float32"])
def test_of_many_channels_the_first_three_are_rgb(dtype):
    bands = np.random.default_rng(6).integers(0, 256, (4, 5, 6)).astype(np.uint8)
    for output in ("RGB", "BGR", "GRAY", "YCbCr"):
        out, expected = (np.empty((4, 5, color.channels_of(output)), dtype) for _ in range(2))
        color.convert(bands, "6", output, out)
        color.convert(np.ascontiguousarray(bands[..., :3]), "RGB", output, expected)
        np.testing.assert_array_equal(out, expected)
    out = np.empty((4, 5, 6), dtype)
    color.convert(bands, "6", "6", out)
    np.testing.assert_array_equal(out, color.as_type(bands, dtype))
