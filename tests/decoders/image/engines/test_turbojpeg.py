from __future__ import annotations

import cv2
import numpy as np
import pytest

from penstock.decoders.image.decode import decode
from penstock.decoders.image.engines import turbojpeg
from penstock.decoders.image.formats.base import DecodeRequest, ignore_blemish
from penstock.decoders.image.table import read_header
from penstock.engine.errors import DecodeError


def encoded(height=64, width=96):
    rng = np.random.default_rng(7)
    coarse = rng.integers(0, 256, (height // 8, width // 8, 3)).astype(np.uint8)
    picture = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
    return cv2.imencode(".jpg", picture)[1]


def flat(sampling):
    """A mid-gray JPEG of one block group: all coefficients are zero, whatever the subsampling.

    With the standard tables, a block of zeros takes 6 bits in luma (00 1010), 4 in chroma (00 00).
    """
    data = cv2.imencode(".jpg", np.full((16, 16, 3), 128, np.uint8))[1].tobytes()
    frame, scan = data.index(b"\xff\xc0"), data.index(b"\xff\xda")
    components = bytearray(data[frame + 10 : frame + 19])
    blocks = [(factor >> 4) * (factor & 15) for factor in sampling]
    for index, factor in enumerate(sampling):
        components[3 * index + 1] = factor
    bits = "001010" * blocks[0] + "0000" * (blocks[1] + blocks[2])
    bits += "1" * (-len(bits) % 8)
    entropy = bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8))
    head = data[: frame + 10] + bytes(components) + data[frame + 19 : scan + 14]
    return np.frombuffer(head + entropy + b"\xff\xd9", np.uint8)


@pytest.mark.parametrize("output", ["RGB", "BGR", "GRAY"])
def test_subsamplings_without_a_name_are_decoded(output):
    pixels = decode(flat((0x22, 0x22, 0x11)), output=output)
    np.testing.assert_array_equal(pixels, np.full(pixels.shape, 128))


def test_subsampling_without_a_name_must_be_whole():
    with pytest.raises(DecodeError, match="inside the picture"):
        decode(flat((0x22, 0x22, 0x11))[:-2])


def unnamed():
    """Noise of 8 x 8 MCUs, each of four blocks of Y, four of Cb and one of Cr.

    The blocks are those of a gray picture, because all components use the tables of luma.
    """
    picture = np.random.default_rng(3).integers(0, 256, (192, 192)).astype(np.uint8)
    data = cv2.imencode(".jpg", picture)[1].tobytes()
    frame, scan = data.index(b"\xff\xc0"), data.index(b"\xff\xda")
    size = (128).to_bytes(2, "big") * 2
    head = b"\xff\xc0\0\x11\x08" + size + b"\x03\x01\x22\0\x02\x22\0\x03\x11\0"
    scan_head = b"\xff\xda\0\x0c\x03\x01\0\x02\0\x03\0\0\x3f\0"
    return data[:frame] + head + data[frame + 13 : scan] + scan_head + data[scan + 10 :]


@pytest.mark.parametrize("cut", [3, 20, *range(100, 2000, 100)])
def test_data_of_an_unnamed_subsampling_must_reach_the_last_pixel(cut):
    whole = unnamed()
    assert decode(np.frombuffer(whole, np.uint8)).shape == (128, 128, 3)
    with pytest.raises(DecodeError, match="inside the picture"):
        decode(np.frombuffer(whole[: -2 - cut] + whole[-2:], np.uint8))


def test_unknown_revision_of_jfif_is_harmless():
    data = encoded()
    expected = decode(data)
    revision = data.tobytes().index(b"JFIF\0") + 5
    data[revision] = 3
    np.testing.assert_array_equal(decode(data), expected)
    with pytest.raises(DecodeError):
        decode(data[:-40])


@pytest.mark.parametrize("cut", [5, 10, 500])
def test_cut_off_data_is_refused(cut):
    with pytest.raises(DecodeError, match=r"^JPEG: Premature end of JPEG file \(in \d+ bytes\)"):
        decode(encoded()[:-cut])


def test_bytes_after_the_end_do_not_matter():
    data = encoded()
    longer = np.concatenate([data, np.arange(100, dtype=np.uint8)])
    np.testing.assert_array_equal(decode(longer), decode(data))


@pytest.mark.parametrize("is_inverted", [False, True])
def test_inks_mix_as_light_passes_through_both(is_inverted):
    inks = np.random.default_rng(8).integers(0, 256, (9, 11, 4)).astype(np.uint8)
    light = inks if is_inverted else 255 - inks
    exact = light[..., :3].astype(int) * light[..., 3:] / 255
    out = np.zeros((9, 11, 3), np.uint8)
    turbojpeg.cmyk_to_rgb(inks, is_inverted, out)
    np.testing.assert_array_equal(out, np.floor(exact + 0.5))


def test_cmyk_is_given_as_stored_for_any_data(image_zoo):
    data = np.fromfile(image_zoo["jpeg_cmyk_adobe"].path, np.uint8)
    inks = decode(data, output="ANY_DATA")
    assert inks.shape == (120, 160, 4)
    rgb = np.empty((120, 160, 3), np.uint8)
    turbojpeg.cmyk_to_rgb(inks, True, rgb)
    np.testing.assert_array_equal(rgb, decode(data))


@pytest.mark.parametrize("scale", turbojpeg.REDUCTIONS)
@pytest.mark.parametrize("size", [(64, 96), (16, 8), (121, 163), (17, 400)])
def test_reduced_images_round_their_size_up(size, scale):
    data = cv2.imencode(".jpg", np.full((*size, 3), 200, np.uint8))[1]
    box = (0, 0, *size)
    request = DecodeRequest(
        "RGB", np.dtype(np.uint8), 1, box, scale, True, np.empty, ignore_blemish
    )
    stored = turbojpeg.decode(data, read_header(data), request)
    assert stored.pixels.shape == (-(-size[0] // scale), -(-size[1] // scale), 3)
    assert stored.is_final
    assert np.abs(stored.pixels.astype(int) - 200).max() <= 2
