"""Lossless JPEG, and JPEG of more than 8 bits: files of imagecodecs, with known samples."""

from __future__ import annotations

import io
import sys

import imagecodecs
import numpy as np
import pytest
from PIL import Image

from penstock.decoders.image.decode import decode, decode_to_fit
from penstock.decoders.image.engines import turbojpeg
from penstock.decoders.image.table import read_header
from penstock.engine.errors import DecodeError, MissingDependencyError

SHAPES = {1: (40, 50), 3: (40, 50, 3)}


def samples(bits, channels):
    """Return a smooth picture with noise."""
    lines, columns = np.indices((40, 50))
    picture = (lines * 3 + columns) / 200
    if channels == 3:
        picture = np.stack([picture, picture[::-1], picture[:, ::-1]], axis=2)
    noise = np.random.default_rng(bits).random(picture.shape) / 50
    dtype = np.uint8 if bits == 8 else np.uint16
    return ((picture + noise) * ((1 << bits) - 1)).astype(dtype)


def encoded(pixels, bits, **options):
    return np.frombuffer(imagecodecs.jpeg8_encode(pixels, bitspersample=bits, **options), np.uint8)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("bits", [8, 10, 12, 16])
def test_lossless_samples_are_exact(bits, channels):
    pixels = samples(bits, channels)
    data = encoded(pixels, bits, lossless=True)
    header = read_header(data)
    assert (header.bits, header.channels, header.is_rare) == (bits, channels, True)
    assert not turbojpeg.decodes_on_gpu(data, header)
    expected = pixels.reshape(40, 50, channels) / ((1 << bits) - 1)
    result = decode(data, output="ANY_DATA", dtype=np.float32)
    np.testing.assert_allclose(result, expected, atol=1e-6)
    colors = decode(data, output="RGB", dtype=np.float32)
    np.testing.assert_allclose(colors, np.broadcast_to(expected, (40, 50, 3)), atol=1e-6)
    assert np.abs(decode(data)[..., 0] / 255 - expected[..., 0]).max() <= 0.501 / 255


@pytest.mark.parametrize("channels", [1, 3])
def test_12_bits_of_lossy_coding(channels):
    pixels = samples(12, channels)
    result = decode(encoded(pixels, 12, level=98), output="ANY_DATA", dtype=np.float32)
    expected = pixels.reshape(40, 50, channels) / 4095
    assert np.abs(result - expected).mean() < 0.01


@pytest.mark.parametrize(("bits", "options"), [(8, {"lossless": True}), (12, {"level": 90})])
def test_windows_and_reduced_pictures(bits, options):
    data = encoded(samples(bits, 3), bits, **options)
    whole = decode(data)
    np.testing.assert_array_equal(decode(data, roi=(3, 5, 30, 22)), whole[3:30, 5:22])
    reduced = decode_to_fit(data, fit=(10, 12))
    assert reduced.image.shape == (10, 13, 3)
    assert abs(reduced.image.mean() - whole.mean()) < 2


@pytest.mark.parametrize(
    ("bits", "options"),
    [(8, {"lossless": True}), (16, {"lossless": True}), (12, {"level": 90})],
)
def test_cut_files_are_refused(bits, options):
    data = encoded(samples(bits, 3), bits, **options)
    for sixteenth in range(16):
        cut = data[: len(data) * sixteenth // 16]
        for end in (b"", b"\xff\xd9"):
            with pytest.raises(DecodeError):
                decode(np.frombuffer(cut.tobytes() + end, np.uint8))


def test_the_extra_is_named_where_the_library_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "imagecodecs", None)
    with pytest.raises(MissingDependencyError, match=r"JPEG needs imagecodecs.*\[images\]"):
        decode(encoded(samples(12, 1), 12, level=90))


@pytest.mark.parametrize(
    ("marker", "bits", "words"),
    [(0xC5, 8, "hierarchical"), (0xC1, 9, "9 bits per sample"), (0xC3, 1, "1 bits per sample")],
)
def test_other_forms_are_named(marker, bits, words):
    data = encoded(samples(12, 1), 12, level=90).copy()
    frame = data.tobytes().index(b"\xff\xc1")
    data[frame + 1], data[frame + 4] = marker, bits
    with pytest.raises(DecodeError, match=words):
        read_header(data)


@pytest.mark.parametrize("is_ycck", [False, True])
@pytest.mark.parametrize("subsampling", [1, 2])
def test_subsampled_inks_are_those_of_pillow(subsampling, is_ycck):
    inks = np.random.default_rng(0).integers(0, 256, (6, 5, 4), np.uint8).repeat(8, 0).repeat(8, 1)
    file = io.BytesIO()
    Image.fromarray(inks, "CMYK").save(file, "JPEG", subsampling=subsampling)
    content = bytearray(file.getvalue())
    content[content.index(b"Adobe") + 11] = 2 * is_ycck
    data = np.frombuffer(bytes(content), np.uint8)
    expected = Image.open(io.BytesIO(bytes(content)))
    np.testing.assert_array_equal(255 - decode(data, output="ANY_DATA"), np.asarray(expected))
    rgb = np.asarray(expected.convert("RGB")).astype(int)
    assert np.abs(decode(data) - rgb).max() <= 1
    window = decode(data, roi=(3, 5, 40, 33))
    np.testing.assert_array_equal(window, decode(data)[3:40, 5:33])
    half = decode_to_fit(data, fit=(24, 20)).image
    assert half.shape == (24, 20, 3)
    assert np.abs(half.astype(int).mean() - rgb.mean()) < 4
    assert not turbojpeg.decodes_on_gpu(data, read_header(data))
    with pytest.raises(DecodeError, match=r"the data ends at byte \d+ inside the picture"):
        decode(data[:-60])
