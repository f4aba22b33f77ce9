"""AVIF and HEIF: the requirements on every format, and files of Pillow and pillow-heif.

Both of them turn and crop pictures themselves.
"""

from __future__ import annotations

import contextlib
import io
import struct
import sys
from functools import cache

import imagecodecs
import numpy as np
import pillow_heif
import pytest
from PIL import Image, ImageOps

from penstock.decoders.image.decode import decode, peek_shape
from penstock.decoders.image.table import read_decodable_header, read_header
from penstock.engine.errors import DecodeError, MissingDependencyError
from penstock.testing.decoders import UPRIGHT, EncodedImage, FormatConformance

from .heif_files import CLAP, IMIR, IROT, heic, with_properties
from .pictures import full_range, smooth_picture


def as_data(content):
    return np.frombuffer(content, np.uint8)


@cache
def avif_images():
    images = {}
    for channels, bits in ((1, 8), (2, 8), (3, 8), (4, 8), (3, 10), (1, 12), (4, 12)):
        pixels = smooth_picture(61, 83, channels, bits)
        content = imagecodecs.avif_encode(pixels.squeeze(), level=100, bitspersample=bits, speed=9)
        images[f"{channels} of {bits} bits"] = EncodedImage(content, full_range(pixels, bits), bits)
    return images


class TestAvif(FormatConformance):
    format_name = "AVIF"

    @pytest.fixture
    def images(self) -> dict[str, EncodedImage]:
        return avif_images()


@cache
def heif_images():
    images = {}
    for channels, bits in ((1, 8), (2, 8), (3, 8), (4, 8), (1, 10), (3, 10), (4, 12)):
        pixels = smooth_picture(61, 83, channels, bits)
        images[f"{channels} of {bits} bits"] = EncodedImage(
            heic(pixels, bits), full_range(pixels, bits), bits
        )
    turned = smooth_picture(61, 83, 3)
    content = with_properties(heic(turned.swapaxes(0, 1)[::-1]), IROT + bytes([3]))
    images["turned"] = EncodedImage(content, turned)
    return images


class TestHeif(FormatConformance):
    format_name = "HEIF"

    @pytest.fixture
    def images(self) -> dict[str, EncodedImage]:
        return heif_images()


@pytest.mark.parametrize("orientation", range(1, 9))
def test_turns_and_mirrors_are_those_of_pillow(orientation):
    picture = Image.fromarray(smooth_picture(24, 36, 3))
    exif = Image.Exif()
    exif[0x0112] = orientation
    file = io.BytesIO()
    picture.save(file, "AVIF", exif=exif, quality=100, subsampling="4:4:4")
    data = as_data(file.getvalue())
    expected = np.asarray(ImageOps.exif_transpose(Image.open(file)))
    assert read_header(data).orientation == orientation
    np.testing.assert_array_equal(decode(data), expected)
    assert decode(data, use_exif=False).shape == (24, 36, 3)


@pytest.mark.parametrize("tail", [b"\r\n--boundary--\r\n", b"\0\0\0\3text", b"more text behind it"])
def test_bytes_behind_a_whole_file_do_no_harm(tail):
    for content in (
        imagecodecs.avif_encode(smooth_picture(24, 36, 3)),
        heic(smooth_picture(72, 96, 3)),
    ):
        expected = decode(as_data(content))
        np.testing.assert_array_equal(decode(as_data(content + tail)), expected)
        for end in range(20, len(content) - len(tail), 40):
            with pytest.raises(DecodeError):
                decode(as_data(content[:end] + tail))


def test_a_sequence_counts_as_its_first_picture():
    frames = [Image.fromarray(smooth_picture(24, 36, 3)), Image.new("RGB", (36, 24), "red")]
    file = io.BytesIO()
    frames[0].save(file, "AVIF", save_all=True, append_images=frames[1:], quality=95)
    difference = decode(as_data(file.getvalue())).astype(int) - np.asarray(frames[0])
    assert np.abs(difference).mean() < 3


def test_a_claim_of_many_pixels_is_refused_before_the_decode():
    content = bytearray(imagecodecs.avif_encode(smooth_picture(24, 36, 3)))
    at = content.index(b"ispe") + 8
    content[at : at + 8] = struct.pack(">II", 1 << 20, 1 << 20)
    with pytest.raises(DecodeError, match=r"AVIF: the header claims 1048576 x 1048576 pixels"):
        read_decodable_header(as_data(bytes(content)))


def test_a_general_brand_with_an_avif_brand_is_avif():
    content = bytearray(imagecodecs.avif_encode(smooth_picture(24, 36, 3)))
    assert content[16:].index(b"avif") % 4 == 0
    content[8:12] = b"mif1"
    data = as_data(bytes(content))
    assert read_header(data).format == "AVIF"
    assert decode(data).shape == (24, 36, 3)


@pytest.mark.parametrize("name", [b"meta", b"pitm", b"iprp", b"ispe"])
def test_missing_boxes_are_errors(name):
    content = imagecodecs.avif_encode(smooth_picture(24, 36, 3)).replace(name, b"free")
    with pytest.raises(DecodeError, match=r"^AVIF: "):
        read_header(as_data(content))


def upright_by_libheif(content):
    return np.asarray(pillow_heif.open_heif(content))


def check_with_libheif(content):
    """Compare the upright picture, and all that the header says, with libheif's."""
    data, expected = as_data(content), upright_by_libheif(content)
    header = read_header(data)
    np.testing.assert_array_equal(decode(data), expected)
    assert peek_shape(data) == expected.shape
    stored = decode(data, use_exif=False)
    assert peek_shape(data, use_exif=False) == stored.shape
    np.testing.assert_array_equal(UPRIGHT[header.orientation](stored), expected)
    return header, stored


@pytest.mark.parametrize("orientation", range(1, 9))
def test_heif_is_turned_once_though_exif_repeats_the_turn(orientation):
    picture = Image.fromarray(smooth_picture(40, 70, 3))
    exif = Image.Exif()
    exif[0x0112] = orientation
    file = io.BytesIO()
    pillow_heif.from_pillow(picture).save(file, quality=90, exif=exif.tobytes())
    header, stored = check_with_libheif(file.getvalue())
    assert stored.shape[:2] == (header.height, header.width)
    as_pillow_says = pillow_heif.open_heif(file.getvalue()).to_pillow()
    np.testing.assert_array_equal(
        decode(as_data(file.getvalue())), np.asarray(ImageOps.exif_transpose(as_pillow_says))
    )


APERTURES = {
    "centered": (50, 1, 40, 1, 0, 1, 0, 1),
    "off center": (50, 1, 40, 1, -20, 2, -4, 2),
    "between pixels": (51, 1, 41, 1, 0, 1, 0, 1),
    "fractions": (51, 2, 41, 3, 1, 3, -7, 5),
    "one pixel": (1, 1, 1, 1, 71, 2, -71, 2),
    "wider than the picture": (200, 1, 41, 1, 0, 1, 0, 1),
}
TURNS = {
    "none": (),
    "turned": (IROT + b"\1",),
    "mirrored": (IMIR + b"\1",),
    "turned, mirrored": (IROT + b"\1", IMIR + b"\0"),
    "mirrored, turned": (IMIR + b"\0", IROT + b"\1"),
    "turned, turned": (IROT + b"\3", IROT + b"\3"),
}


@pytest.mark.parametrize("turns", TURNS.values(), ids=TURNS)
def test_turns_and_mirrors_of_heif_are_applied_in_their_order(turns):
    check_with_libheif(with_properties(heic(smooth_picture(72, 96, 3)), *turns))


@pytest.mark.parametrize("aperture", APERTURES.values(), ids=APERTURES)
@pytest.mark.parametrize("is_first", [True, False])
def test_a_clean_aperture_crops_heif(aperture, is_first):
    crop, turn = CLAP + struct.pack(">IIIIiIiI", *aperture), IROT + b"\1"
    properties = (crop, turn) if is_first else (turn, crop)
    check_with_libheif(with_properties(heic(smooth_picture(72, 96, 3)), *properties))


def test_a_clean_aperture_crops_avif():
    pixels = smooth_picture(72, 96, 3)
    content = imagecodecs.avif_encode(pixels, level=100)
    crop = CLAP + struct.pack(">IIIIiIiI", 50, 1, 40, 1, -20, 2, -4, 2)
    data = as_data(with_properties(content, crop, IROT + b"\1"))
    shown = decode(as_data(content))[14:54, 13:63]
    np.testing.assert_array_equal(decode(data), np.rot90(shown))
    np.testing.assert_array_equal(decode(data, use_exif=False), shown)
    assert peek_shape(data) == (50, 40, 3)


@pytest.mark.parametrize(
    ("aperture", "words"),
    [
        ((9, 1, 9, 1, 500, 1, 0, 1), "outside of the picture"),
        ((9, 1, 9, 0, 0, 1, 0, 1), "denominator of 0"),
    ],
)
def test_impossible_apertures_are_errors(aperture, words):
    crop = CLAP + struct.pack(">IIIIiIiI", *aperture)
    with pytest.raises(DecodeError, match=f"HEIF: a clean aperture .*{words}"):
        read_header(as_data(with_properties(heic(smooth_picture(72, 96, 3)), crop)))


def test_a_crop_hides_no_bomb():
    crop = CLAP + struct.pack(">IIIIiIiI", 50, 1, 40, 1, 0, 1, 0, 1)
    content = bytearray(with_properties(heic(smooth_picture(72, 96, 3)), crop))
    at = content.index(b"ispe") + 8
    content[at : at + 8] = struct.pack(">II", 1 << 20, 1 << 20)
    with pytest.raises(DecodeError, match=r"HEIF: the header claims 1048576 x 1048576 pixels"):
        decode(as_data(bytes(content)))


@pytest.mark.parametrize("size", [(1, 1), (3, 2), (17, 33), (48, 32)])
def test_small_and_odd_sizes(size):
    """x265 codes no less than 64 x 64 pixels: an aperture crops them."""
    header, _ = check_with_libheif(heic(smooth_picture(*size, 3)))
    assert (header.height, header.width) == size


def test_the_primary_one_of_several_pictures():
    pictures = [
        Image.new("RGB", (80, 64 + 8 * i), color) for i, color in enumerate(("red", "lime"))
    ]
    file = io.BytesIO()
    several = pillow_heif.HeifFile()
    for picture in pictures:
        several.add_from_pillow(picture)
    several.save(file, primary_index=1, quality=90)
    data = as_data(file.getvalue())
    assert peek_shape(data) == decode(data).shape == (72, 80, 3)
    assert decode(data)[5, 5].argmax() == 1


def test_a_primary_item_that_is_a_thumbnail_stands_for_its_picture():
    pixels, file = smooth_picture(72, 96, 3), io.BytesIO()
    picture = pillow_heif.from_bytes("RGB", (96, 72), pixels.tobytes())
    picture.info["thumbnails"] = [80]
    picture.save(file, quality=90)
    content = bytearray(file.getvalue())
    number = content.index(b"pitm") + 8
    assert content[number : number + 2] == b"\0\1"
    content[number + 1] = 2
    header, _ = check_with_libheif(bytes(content))
    assert (header.height, header.width) == (72, 96)


def test_pictures_of_tiles():
    pixels = smooth_picture(150, 200, 3)
    content = heic(pixels, tile_size=64)
    assert b"grid" in content
    np.testing.assert_array_equal(decode(as_data(content)), pixels)
    check_with_libheif(content)


def test_ten_bits_fill_sixteen():
    pixels = smooth_picture(61, 83, 3, 10)
    result = decode(as_data(heic(pixels, 10)), dtype=np.uint16)
    np.testing.assert_array_equal(result, full_range(pixels, 10))


@pytest.mark.parametrize("brand", [b"mif1", b"heix", b"avif", b"hevc"])
def test_the_codec_decides_and_not_the_brand(brand):
    content = heic(smooth_picture(72, 96, 3))
    data = as_data(content[:8] + brand + content[12:])
    assert read_header(data).format == "HEIF"
    np.testing.assert_array_equal(decode(data), smooth_picture(72, 96, 3))
    content = imagecodecs.avif_encode(smooth_picture(24, 36, 3))
    assert read_header(as_data(content[:8] + brand + content[12:])).format == "AVIF"


def test_another_codec_is_no_damage():
    content = heic(smooth_picture(72, 96, 3)).replace(b"hvc1", b"vvc1").replace(b"hvcC", b"vvcC")
    with pytest.raises(DecodeError, match=r"HEIF: libheif cannot decode .*Convert the file"):
        decode(as_data(content))


def test_damage_is_an_error_or_a_picture():
    content = heic(smooth_picture(72, 96, 3))
    generator = np.random.default_rng(0)
    for _ in range(200):
        data = as_data(content).copy()
        data[generator.integers(len(data), size=3)] = generator.integers(256, size=3)
        with contextlib.suppress(DecodeError):
            assert decode(data).ndim == 3


def test_a_missing_library_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pillow_heif", None)
    data = as_data(heic(smooth_picture(72, 96, 3)))
    assert peek_shape(data) == (72, 96, 3)
    with pytest.raises(MissingDependencyError, match=r"HEIF needs pillow-heif.*\[images\]"):
        decode(data)
