"""AVIF sequences without a still picture: files of Pillow, whose box of stills is hidden."""

import contextlib
import io

import numpy as np
import pytest
from PIL import Image

from penstock.decoders.image.decode import decode, peek_shape
from penstock.decoders.image.table import read_decodable_header, read_header
from penstock.engine.errors import DecodeError

from .pictures import smooth_picture


def sequence(channels=3, height=24):
    """Return a sequence of two frames, and the first one."""
    first = smooth_picture(height, 36, channels)
    frames = [Image.fromarray(first), Image.fromarray(255 - first)]
    file = io.BytesIO()
    frames[0].save(file, "AVIF", save_all=True, append_images=frames[1:], quality=95)
    content = file.getvalue().replace(b"meta", b"free", 1)
    head, rest = content[:44], content[44:]
    return head.replace(b"avif", b"avis").replace(b"mif1", b"msf1") + rest, first


def as_data(content):
    return np.frombuffer(content, np.uint8)


@pytest.mark.parametrize("channels", [3, 4])
def test_the_first_frame_counts(channels):
    content, first = sequence(channels)
    with Image.open(io.BytesIO(content)) as judge:
        assert judge.n_frames == 2
        expected = np.asarray(judge)
    data = as_data(content)
    header = read_header(data)
    assert (header.format, header.channels, header.bits) == ("AVIF", channels, 8)
    assert peek_shape(data) == (24, 36, 3)
    np.testing.assert_array_equal(decode(data, output="ANY_DATA"), expected)
    np.testing.assert_array_equal(decode(data), expected[..., :3])
    assert np.abs(decode(data).astype(int) - first[..., :3]).mean() < 3


def test_a_claim_of_many_pixels_is_refused_before_the_decode():
    content = bytearray(sequence()[0])
    at = content.index(b"tkhd") + 4
    at += 88 if content[at] else 76
    content[at : at + 8] = b"\xff\xff\0\0" * 2
    with pytest.raises(DecodeError, match=r"AVIF: the header claims 65535 x 65535 pixels"):
        read_decodable_header(as_data(bytes(content)))


@pytest.mark.parametrize("name", [b"moov", b"trak", b"tkhd", b"hdlr"])
def test_missing_boxes_are_errors(name):
    content, _ = sequence()
    with pytest.raises(DecodeError, match=r"^AVIF: "):
        read_header(as_data(content.replace(name, b"free")))


def test_damage_is_an_error_or_a_picture():
    content, _ = sequence()
    generator = np.random.default_rng(0)
    for _ in range(100):
        data = as_data(content).copy()
        data[generator.integers(40, len(data), size=3)] = generator.integers(256, size=3)
        with contextlib.suppress(DecodeError):
            assert decode(data).ndim == 3
    for size in range(44, len(content) - 1, 40):
        with pytest.raises(DecodeError):
            decode(as_data(content[:size]))
