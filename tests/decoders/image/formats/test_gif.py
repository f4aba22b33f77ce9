"""GIF files: the requirements on every format, and the first pictures of Pillow's animations."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from penstock.decoders.image.decode import decode
from penstock.decoders.image.table import read_header
from penstock.engine.errors import DecodeError
from penstock.testing.decoders import EncodedImage, FormatConformance

from .pictures import smooth_picture


def as_data(content):
    return np.frombuffer(content, np.uint8)


def gif(*pictures, **options):
    file = io.BytesIO()
    first, *rest = pictures
    first.save(file, "GIF", save_all=bool(rest), append_images=rest, **options)
    return as_data(file.getvalue())


class TestGif(FormatConformance):
    format_name = "GIF"

    @pytest.fixture
    def images(self) -> dict[str, EncodedImage]:
        images = {}
        for colors in (2, 16, 256):
            picture = Image.fromarray(smooth_picture(61, 83, 3)).quantize(colors)
            content = gif(picture, interlace=colors > 16).tobytes()
            true = np.asarray(picture.convert("RGB"))
            images[f"{colors} colors"] = EncodedImage(content, true, undetected_tail=1)
        return images


def test_an_animation_counts_as_its_first_picture():
    picture = Image.fromarray(smooth_picture(20, 30, 3)).quantize(64)
    data = gif(picture, picture.rotate(180), Image.new("P", (30, 20)))
    expected = np.asarray(picture.convert("RGB"))
    np.testing.assert_array_equal(decode(data), expected)
    # What follows is not even looked at.
    np.testing.assert_array_equal(decode(data[: len(data) - 40]), expected)


def test_the_screen_around_the_picture_is_black():
    data = gif(Image.new("RGB", (5, 4), "red")).copy()
    data[6], data[8] = 7, 6  # width and height of the screen
    result = decode(data)
    assert result.shape == (6, 7, 3)
    assert result[0, 0].tolist() == [255, 0, 0]
    assert not result[4:].any()


def test_a_picture_outside_of_the_screen_is_refused():
    data = gif(Image.new("RGB", (5, 4), "red")).copy()
    data[6] = 3
    with pytest.raises(DecodeError, match=r"GIF: a picture of 5 x 4 pixels; expected inside"):
        read_header(data)


def test_another_block_is_named():
    data = gif(Image.new("RGB", (5, 4), "red")).copy()
    data[13 + 3 * (2 << (data[10] & 7))] = 0x77
    with pytest.raises(DecodeError, match="GIF: a block of kind 0x77"):
        read_header(data)
