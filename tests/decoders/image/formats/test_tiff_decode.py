from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from penstock.decoders.image.decode import decode
from penstock.engine.errors import DecodeError

MakeTiff = Callable[..., NDArray[np.uint8]]
WHITE_IS_ZERO, BLACK_IS_ZERO, RGB, CMYK = 0, 1, 2, 5
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


@pytest.mark.parametrize(
    ("pixels", "photometric", "planar", "words"),
    [
        (noise(8, 12, 3, dtype=np.uint16), RGB, 2, "separate planes of 16 bits"),
        (noise(8, 12, 2, dtype=np.uint16), BLACK_IS_ZERO, 1, "gray with alpha in 16 bits"),
        (noise(8, 12, 4, dtype=np.uint16), CMYK, 1, "photometric interpretation 5"),
        (noise(8, 12, 5), RGB, 1, "5 samples per pixel"),
    ],
)
def test_what_would_come_out_wrong_is_refused(
    make_tiff: MakeTiff, pixels: NDArray[Any], photometric: int, planar: int, words: str
) -> None:
    with pytest.raises(DecodeError, match=f"^TIFF: {words}.*Convert the file"):
        decode(make_tiff(pixels, photometric, planar=planar))


def test_gray_with_alpha_gives_the_gray(make_tiff: MakeTiff) -> None:
    pixels = noise(8, 12, 2)
    data = make_tiff(pixels, BLACK_IS_ZERO, extra=[UNASSOCIATED_ALPHA])
    np.testing.assert_array_equal(decode(data, output="GRAY"), pixels[..., :1])
    with pytest.raises(DecodeError, match="gray with alpha as stored"):
        decode(data, output="ANY_DATA")


def test_tiles_are_read() -> None:
    pixels = noise(40, 70, 3)
    options = [cv2.IMWRITE_TIFF_ROWSPERSTRIP, 7, cv2.IMWRITE_TIFF_COMPRESSION, 8]
    data = cv2.imencode(".tif", pixels, options)[1]
    np.testing.assert_array_equal(decode(data, output="BGR"), pixels)
