"""The length of LZW data, which a plain decoder here computes one code at a time."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.decoders.image.formats import tiff
from penstock.decoders.image.formats.tiff_lzw import lzw_length


def encoded(pixels):
    """Return the only strip of an LZW TIFF that Pillow writes."""
    from PIL import Image

    file = io.BytesIO()
    lines = {278: len(pixels)}
    Image.fromarray(pixels).save(file, "TIFF", compression="tiff_lzw", tiffinfo=lines)
    view = memoryview(file.getvalue())
    directory = tiff.read_directory(view)
    (start,) = directory.values(tiff.STRIP_OFFSETS)
    (size,) = directory.values(tiff.STRIP_SIZES)
    return view[start : start + size]


def plain_length(strip):
    """Decode one code after the other; return the length."""
    bits = int.from_bytes(strip, "big")
    left, width, lengths, length, earlier = 8 * len(strip), 9, [1] * 258, 0, 0
    while left >= width:
        left -= width
        code = bits >> left & (1 << width) - 1
        if code == 257:
            break
        if code == 256:
            lengths, width, earlier = [1] * 258, 9, 0
            continue
        if earlier:
            lengths.append(earlier + 1)
        if code >= len(lengths):
            raise ValueError(f"unknown code {code}")
        earlier = lengths[code]
        length += earlier
        width = 9 + sum(len(lengths) >= limit for limit in (511, 1023, 2047))
    return length


def pictures():
    chance = np.random.default_rng(3)
    yield chance.integers(0, 256, (90, 120)).astype(np.uint8)
    yield chance.integers(0, 4, (90, 120)).astype(np.uint8)
    yield np.zeros((300, 400), np.uint8)
    yield np.tile(np.arange(200, dtype=np.uint8), (100, 1))
    yield np.zeros((1, 1), np.uint8)


@pytest.mark.parametrize("pixels", list(pictures()), ids=lambda pixels: str(pixels.shape))
def test_the_length_is_that_of_the_pixels(pixels):
    strip = encoded(pixels)
    assert plain_length(strip) == pixels.size
    assert lzw_length(strip, pixels.size) == pixels.size
    assert lzw_length(strip, pixels.size + 1) == pixels.size


def test_cut_data_are_an_error_or_too_short():
    pixels = next(pictures())
    strip = encoded(pixels)
    for size in range(0, len(strip) - 3, 97):
        with pytest.raises(ValueError, match="cut off"):
            lzw_length(strip[:size], pixels.size)


@given(st.data())
def test_damaged_data_have_the_length_that_a_plain_decoder_finds(data):
    strip = bytearray(encoded(np.tile(np.arange(60, dtype=np.uint8), (30, 1))))
    for _ in range(data.draw(st.integers(1, 3))):
        strip[data.draw(st.integers(2, len(strip) - 1))] = data.draw(st.integers(0, 255))
    try:
        expected = plain_length(strip)
    except ValueError:
        expected = -1
    try:
        length = lzw_length(memoryview(bytes(strip)), 1 << 30)
    except ValueError:
        length = -1
    assert length in (expected, -1)
    assert length == expected or expected >= 0
