"""Strips and tiles that do not decode to their full size are errors, never black pixels."""

import io
import struct

import numpy as np
import pytest

from penstock.decoders.image.decode import decode
from penstock.decoders.image.formats import tiff_strips
from penstock.decoders.image.formats.tiff import (
    STRIP_OFFSETS,
    STRIP_SIZES,
    parse_header,
    read_directory,
)
from penstock.engine.errors import DecodeError

RGB = 2


def picture():
    ramp = np.add.outer(np.arange(90), np.arange(120)).astype(np.uint8)
    return np.dstack([ramp, ramp[::-1], np.full_like(ramp, 128)])


def tiff(compression, pixels=None):
    from PIL import Image

    file = io.BytesIO()
    image = Image.fromarray(picture() if pixels is None else pixels)
    image.save(file, "TIFF", compression=compression, tiffinfo={278: 16})
    return bytearray(file.getvalue())


def set_short(file, tag, value):
    entry = bytes(file).index(struct.pack("<HHI", tag, 3, 1))
    struct.pack_into("<H", file, entry + 8, value)
    return file


def array(content):
    return np.frombuffer(bytes(content), np.uint8)


@pytest.mark.parametrize(
    "compression", ["raw", "tiff_lzw", "tiff_adobe_deflate", "tiff_deflate", "packbits"]
)
def test_every_supported_compression_decodes(compression):
    np.testing.assert_array_equal(decode(array(tiff(compression))), picture())


@pytest.mark.parametrize("compression", ["group3", "group4"])
def test_fax_decodes(compression):
    bilevel = picture()[..., 0] > 100
    decoded = decode(array(tiff(compression, bilevel)), output="GRAY")[..., 0]
    np.testing.assert_array_equal(decoded, bilevel * np.uint8(255))


UNKNOWN = [0, 2, 6, 9, 32809, 33003, 33005, 34676, 34712, 34887, 34892, 34925, 50000, 50002, 65000]


@pytest.mark.parametrize("number", UNKNOWN)
def test_other_compressions_are_refused_by_number(number, capfd):
    with pytest.raises(DecodeError, match=rf"TIFF: compression {number} is not supported.*Convert"):
        decode(array(set_short(tiff("raw"), 259, number)))
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("compression", ["tiff_lzw", "tiff_adobe_deflate", "jpeg"])
def test_damage_is_found_without_a_word_on_standard_error(compression, capfd):
    sound = tiff(compression)
    expected = decode(array(sound))
    refused = 0
    for offset in range(40, len(sound) - 300, len(sound) // 25):
        damaged = sound.copy()
        damaged[offset : offset + 40] = bytes([offset % 2 * 255]) * 40
        try:
            pixels = decode(array(damaged))
        except DecodeError:
            refused += 1
        else:  # the damage may give other, valid codes, but no line is missing
            assert (pixels == expected).all(axis=2).mean() > 0.2
            assert not (pixels == 0).all(axis=(1, 2)).any()
    assert refused > 0
    assert capfd.readouterr().err == ""


def test_packbits_of_too_few_bytes_are_found():
    noise = np.random.default_rng(1).integers(0, 256, (90, 120, 3)).astype(np.uint8)
    damaged = tiff("packbits", noise)
    size = read_directory(memoryview(bytes(damaged))).value(STRIP_SIZES, 0)
    damaged[8 + size - 400 : 8 + size] = bytes([128]) * 400  # a byte that stands for nothing
    with pytest.raises(DecodeError, match=r"TIFF: strip or tile 0 holds \d+ bytes at byte 8"):
        decode(array(damaged))


def strips_of(file):
    """Return (offset, size) of each strip."""
    directory = read_directory(memoryview(bytes(file)))
    return list(zip(directory.values(STRIP_OFFSETS), directory.values(STRIP_SIZES), strict=True))


def test_a_changed_run_of_packbits_is_found_wherever_it_is():
    stripes = np.repeat(np.arange(90, dtype=np.uint8)[:, None] // 7, 120, axis=1)
    file = tiff("packbits", stripes)
    start, size = strips_of(file)[1]
    assert size == 2 * 16  # one run of two bytes a line
    for at in range(start, start + size, 2):
        for change in (1, -1):
            damaged = bytearray(file)
            damaged[at] += change
            with pytest.raises(DecodeError, match=r"strip or tile 1 (is damaged|holds)"):
                decode(array(damaged))


@pytest.mark.parametrize("padding", [b"", b"\0", b"\x80\x80"])
def test_padding_of_packbits_is_no_damage(padding):
    assert tiff_strips._packbits_length(memoryview(b"\xf7\x05" + padding), 10) == 10


@pytest.mark.parametrize(
    ("strip", "problem"),
    [
        (b"\xf6\x05", "beyond the end"),
        (b"\xf7\x05\x01", "end at byte 2 of 3"),
        (b"\xf8\x05\x02\1\2", "cut off"),
    ],
)
def test_packbits_that_do_not_end_with_the_pixels(strip, problem):
    with pytest.raises(ValueError, match=problem):
        tiff_strips._packbits_length(memoryview(strip), 10)


def test_a_hole_in_fax_data_is_found_wherever_it_is():
    noise = np.random.default_rng(2).random((90, 120)) < 0.3
    file = tiff("group4", noise)
    for number, (start, size) in enumerate(strips_of(file)):
        for at in range(start, start + size - 8, 8):
            damaged = bytearray(file)
            damaged[at : at + 4] = bytes(4)
            with pytest.raises(DecodeError, match=f"strip or tile {number} .*run of zeros"):
                decode(array(damaged), output="GRAY")


@pytest.mark.parametrize("density", [0.0, 0.001, 0.5, 0.999, 1.0])
def test_fax_without_damage_has_no_hole(density):
    pixels = np.random.default_rng(3).random((40, 5000)) < density
    decoded = decode(array(tiff("group4", pixels)), output="GRAY")[..., 0]
    np.testing.assert_array_equal(decoded, pixels * np.uint8(255))


@pytest.mark.parametrize("compression", ["raw", "tiff_lzw", "tiff_adobe_deflate", "packbits"])
def test_a_strip_of_too_few_lines_is_named(compression):
    file = tiff(compression)
    for tag, field_type, size in ((257, 4, 4), (257, 3, 2)):
        head = struct.pack("<HHI", tag, field_type, 1)
        if head in bytes(file):
            offset = bytes(file).index(head) + 8
            file[offset : offset + size] = (95).to_bytes(size, "little")
    with pytest.raises(DecodeError, match=r"TIFF: strip or tile 5 holds .* bytes at byte \d+"):
        decode(array(file))


def test_strip_outside_the_data_is_named(make_tiff):
    data = make_tiff(picture(), RGB)
    with pytest.raises(DecodeError, match=r"the data ends at byte \d+ inside strip or tile 0"):
        decode(data[:-1])


def test_strips_of_more_bytes_than_the_file_are_refused(make_tiff):
    pixels = np.zeros((8, 12, 3), np.uint8)
    data = make_tiff(pixels, RGB, planar=2).tobytes()
    sizes = data.replace(bytes([96, 0, 0, 0]), b"\xff\0\0\0")
    with pytest.raises(DecodeError, match="strips or tiles of 765 bytes in all"):
        decode(array(sizes))


def test_missing_strips_are_counted(make_tiff):
    file = bytearray(make_tiff(np.zeros((8, 12, 3), np.uint8), RGB, planar=2).tobytes())
    set_short(file, 284, 1)
    with pytest.raises(DecodeError, match="strip or tile 0 holds 96 bytes at byte"):
        decode(array(file))


def lzw_file(pixels, predictor=1):
    from PIL import Image

    stored = io.BytesIO()
    tags = {278: 7, 317: predictor}  # lines of a strip, predictor
    Image.fromarray(pixels).save(stored, "TIFF", compression="tiff_lzw", tiffinfo=tags)
    return stored.getvalue()


def parsed(file):
    return read_directory(memoryview(file)), parse_header(memoryview(file))


@pytest.mark.parametrize("shape", [(40, 30), (40, 30, 3)])
@pytest.mark.parametrize("predictor", [1, 2])
def test_a_strip_of_lzw_that_ends_early_is_refused_after_the_decode(shape, predictor):
    pixels = np.random.default_rng(2).integers(1, 256, shape, np.uint8)
    file = lzw_file(pixels, predictor)
    directory, header = parsed(file)
    assert tiff_strips.shows_lost_ends(directory, header)
    np.testing.assert_array_equal(decode(array(file), output="ANY_DATA").squeeze(), pixels)
    starts, sizes = directory.values(STRIP_OFFSETS), directory.values(STRIP_SIZES)
    for number, (start, size) in enumerate(zip(starts, sizes, strict=True)):
        for kept in (size // 4, size // 2, size * 7 // 8):
            cut = file[: start + kept] + b"\xff" * (size - kept) + file[start + size :]
            with pytest.raises(DecodeError, match=f"strip or tile {number} "):
                decode(array(cut))


def test_strips_with_a_black_last_pixel_are_doubtful():
    pixels = np.full((20, 9, 3), 50, np.uint8)
    pixels[13, -1, 2] = 0
    file = lzw_file(pixels)
    assert tiff_strips.doubtful_strips(*parsed(file), pixels[..., ::-1]) == [1]
    assert tiff_strips.doubtful_strips(*parsed(file), pixels) == []
    np.testing.assert_array_equal(decode(array(file)), pixels)


def test_bilevel_and_alpha_are_checked_before_the_decode():
    for pixels in (np.ones((9, 9, 4), np.uint8), np.ones((9, 9), bool)):
        assert not tiff_strips.shows_lost_ends(*parsed(lzw_file(pixels)))
