"""GIF files: the requirements on every format, and files of Pillow, changed by hand."""

from __future__ import annotations

import io
import struct
import sys

import av
import numpy as np
import pytest
from PIL import Image, ImageFile

from penstock.decoders.image.decode import decode, peek_shape
from penstock.decoders.image.table import read_header
from penstock.engine.errors import DecodeError, MissingDependencyError
from penstock.testing.decoders import EncodedImage, FormatConformance

from .pictures import smooth_picture

PICTURE = Image.fromarray(smooth_picture(40, 50, 3)).quantize(64)
COLORS = np.asarray(PICTURE.convert("RGB"))
FIRST = 13 + 3 * 64  # offset of the picture's descriptor


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
            # The end code, the empty sub-block and the trailer.
            images[f"{colors} colors"] = EncodedImage(content, true, undetected_tail=4)
        return images


def codes(indices, bits, *, starts=True, ends=True):
    """Return LZW codes that repeat no string: the table is cleared before codes grow longer."""
    clear, stream, length = 1 << bits, 0, 0

    def put(code):
        nonlocal stream, length
        stream |= code << length
        length += bits + 1

    if starts:
        put(clear)
    for number, index in enumerate(indices, 1):
        put(index)
        if number % (clear - 2) == 0:
            put(clear)
    if ends:
        put(clear + 1)
    return stream.to_bytes(-(-length // 8), "little")


def in_blocks(stream, size=255):
    parts = [stream[i : i + size] for i in range(0, len(stream), size)]
    return b"".join(bytes([len(part)]) + part for part in parts)


HEAD = gif(PICTURE, interlace=0).tobytes()[: FIRST + 10]
INDICES = np.asarray(PICTURE).ravel().tolist()


def by_hand(bits=8, end=b"\0;", size=255, indices=INDICES, **options):
    return HEAD + bytes([bits]) + in_blocks(codes(indices, bits, **options), size) + end


WHOLE = gif(PICTURE, interlace=0).tobytes()
ODD_BUT_WHOLE = {
    "no trailer": by_hand(end=b"\0"),
    "no terminator": by_hand(end=b""),
    "a trailer but no terminator": by_hand(end=b";"),
    "bytes behind the trailer": by_hand(end=b"\0;" + b"hello" * 20),
    "the end code cut off inside its sub-block": by_hand(end=b"")[:-1],
    "no end code": by_hand(ends=False),
    "no first clear code": by_hand(starts=False),
    "more pixels than the picture": by_hand(indices=INDICES + INDICES[:300]),
    "more pixels and no end code": by_hand(indices=INDICES + INDICES[:300], ends=False),
    "sub-blocks of a byte": by_hand(size=1),
    "codes of more bits than colors have": by_hand(11),
    "zeros before the picture": WHOLE[:FIRST] + bytes(3) + WHOLE[FIRST:],
    "text before the picture": WHOLE[:FIRST] + b"abc" + WHOLE[FIRST:],
    "a screen without size": WHOLE[:6] + bytes(4) + WHOLE[10:],
    "a smaller screen": WHOLE[:6] + struct.pack("<HH", 20, 30) + WHOLE[10:],
}


@pytest.mark.parametrize("content", ODD_BUT_WHOLE.values(), ids=ODD_BUT_WHOLE)
def test_a_file_with_all_pixels_is_whole(content):
    np.testing.assert_array_equal(decode(as_data(content)), COLORS)
    assert peek_shape(as_data(content)) == COLORS.shape


MISSING = {
    "a pixel": by_hand(indices=INDICES[:-1]),
    "a line": by_hand(indices=INDICES[:-50], ends=False),
    "half": WHOLE[: len(WHOLE) // 2],
    "all": HEAD,
    "half, before another picture": by_hand(indices=INDICES[:1000], end=b"\0") + WHOLE[FIRST:],
}


@pytest.mark.parametrize("content", MISSING.values(), ids=MISSING)
@pytest.mark.parametrize("is_tolerated_by_program", [False, True])
def test_missing_pixels_are_errors(content, is_tolerated_by_program, monkeypatch):
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", is_tolerated_by_program)
    with pytest.raises(DecodeError, match=r"^GIF: .*fetch it again"):
        decode(as_data(content))


def test_a_wrong_code_is_an_error():
    content = bytearray(by_hand())
    content[FIRST + 700 : FIRST + 702] = b"\xff\xff"
    with pytest.raises(DecodeError, match=r"^GIF: Pillow cannot decode"):
        decode(as_data(bytes(content)))


def test_without_a_palette_numbers_are_shades_of_gray():
    content = WHOLE[:10] + bytes([WHOLE[10] & 0x7F]) + WHOLE[11:13] + WHOLE[FIRST:]
    expected = np.asarray(Image.open(io.BytesIO(content)).convert("RGB"))
    np.testing.assert_array_equal(decode(as_data(content)), expected)


def test_numbers_without_a_color_are_black():
    content = WHOLE[:10] + bytes([WHOLE[10] & 0xF8 | 3]) + WHOLE[11 : 13 + 48] + WHOLE[FIRST:]
    expected = np.asarray(Image.open(io.BytesIO(content)).convert("RGB"))
    np.testing.assert_array_equal(decode(as_data(content)), expected)


def test_an_animation_counts_as_its_first_picture():
    picture = Image.fromarray(smooth_picture(20, 30, 3)).quantize(64)
    data = gif(picture, picture.rotate(180), Image.new("P", (30, 20)))
    expected = np.asarray(picture.convert("RGB"))
    np.testing.assert_array_equal(decode(data), expected)
    # What follows is not even looked at.
    np.testing.assert_array_equal(decode(data[: len(data) - 40]), expected)


@pytest.mark.parametrize("background", [0, 5, 63, 200])
def test_the_screen_around_the_picture_has_the_color_of_the_background(background):
    data = gif(PICTURE).copy()
    data[6], data[8], data[11] = 60, 45, background  # width, height and color of the screen
    result = decode(data)
    with av.open(io.BytesIO(data.tobytes())) as file:
        expected = next(file.decode(video=0)).to_ndarray(format="rgb24")
    if background < 64:
        np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(result[:40, :50], COLORS)
    if background > 63:
        assert not result[40:].any()  # the table has no such color


def test_a_picture_that_reaches_over_the_screen_enlarges_it():
    content = WHOLE[: FIRST + 1] + struct.pack("<HH", 10, 7) + WHOLE[FIRST + 5 :]
    with Image.open(io.BytesIO(content)) as image:
        assert image.size == (60, 47)
    result = decode(as_data(content))
    assert peek_shape(as_data(content)) == result.shape == (47, 60, 3)
    np.testing.assert_array_equal(result[7:, 10:], COLORS)
    background = WHOLE[13 + 3 * WHOLE[11] :][:3]
    assert (result[:7] == np.frombuffer(background, np.uint8)).all()


def test_a_claim_of_many_pixels_is_refused_before_the_decode():
    content = WHOLE[: FIRST + 1] + b"\xff" * 8 + WHOLE[FIRST + 9 :]
    with pytest.raises(DecodeError, match=r"GIF: the header claims 131070 x 131070 pixels"):
        decode(as_data(content))


def test_a_file_without_a_picture_is_an_error():
    with pytest.raises(DecodeError, match="GIF: a file without a picture"):
        read_header(as_data(WHOLE[:FIRST] + b";"))


def test_a_missing_library_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    assert peek_shape(as_data(WHOLE)) == COLORS.shape
    with pytest.raises(MissingDependencyError, match=r"GIF needs Pillow.*\[images\]"):
        decode(as_data(WHOLE))
