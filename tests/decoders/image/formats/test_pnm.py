"""PNM files: the requirements on every format, and what is special to PNM."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from penstock.decoders.image.decode import decode
from penstock.decoders.image.table import read_header
from penstock.engine.errors import DecodeError
from penstock.testing.decoders import EncodedImage, FormatConformance

from ..zoo import zoo_images


class TestPnm(FormatConformance):
    format_name = "PNM"

    @pytest.fixture
    def images(self, image_zoo) -> dict[str, EncodedImage]:
        return zoo_images(image_zoo, "pbm", "pgm", "ppm")


def as_data(content):
    return np.frombuffer(content, np.uint8)


@pytest.mark.parametrize(
    ("content", "pixels"),
    [
        (b"P2 2 1 255\n1 2", [1, 2]),
        (b"P2 2 1 255\n1 2\n", [1, 2]),
        (b"P3 1 1 255\n1 2 3", [1, 2, 3]),
        (b"P2 2 1 255\n1 # not 7\n2", [1, 2]),
        (b"P2 2 1 65535\n1 999", [1, 999]),
        (b"P1 3 1\n101", [0, 255, 0]),
        (b"P1 3 1\n1 0 1 \n", [0, 255, 0]),
    ],
)
def test_text_needs_no_white_space_behind_the_last_number(content, pixels):
    dtype = np.uint16 if max(pixels) > 255 else np.uint8
    assert decode(as_data(content), output="ANY_DATA", dtype=dtype).ravel().tolist() == pixels


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"P2 3 1 255\n1 2 ", "2 samples; expected 3"),
        (b"P2 2 1 255\n1 2x", "no number"),
        (b"P2 2 1 255\n1 -2", "samples from -2 to 1; expected 0 to 255"),
        (b"P2 2 1 255\n1 256", "samples from 1 to 256; expected 0 to 255"),
        (b"P1 2 1\n1 2", "neither 0 nor 1"),
    ],
)
def test_text_with_other_than_numbers_is_refused(content, words):
    with pytest.raises(DecodeError, match=f"^PNM: .*{words}"):
        decode(as_data(content))


def pgm(form, maximum, samples):
    if form == 2:
        pixels = " ".join(map(str, samples)).encode()
    else:
        pixels = np.array(samples, np.uint8 if maximum < 256 else ">u2").tobytes()
    return as_data(b"P%d %d 1 %d\n%s" % (form, len(samples), maximum, pixels))


@pytest.mark.parametrize("form", [2, 5])
@pytest.mark.parametrize("maximum", [1, 15, 100, 255, 256, 1023, 4095, 65535])
def test_the_maximum_is_full_brightness(form, maximum):
    samples = [0, maximum // 3, maximum // 2, maximum]
    data = pgm(form, maximum, samples)
    assert read_header(data).bits == maximum.bit_length()
    for dtype in (np.uint8, np.uint16):
        white = np.iinfo(dtype).max
        expected = [int(sample * white / maximum + 0.5) for sample in samples]
        assert decode(data, output="GRAY", dtype=dtype).ravel().tolist() == expected
        assert decode(data, output="RGB", dtype=dtype)[..., 1].ravel().tolist() == expected
    floats = decode(data, output="GRAY", dtype=np.float32).ravel()
    np.testing.assert_allclose(floats, np.array(samples) / maximum, rtol=1e-6)


@pytest.mark.parametrize("maximum", [15, 300])
def test_pillow_sees_the_same_colors(maximum):
    samples = np.random.default_rng(0).integers(0, maximum + 1, (5, 6, 3))
    dtype = np.uint8 if maximum < 256 else ">u2"
    content = b"P6 6 5 %d\n%s" % (maximum, samples.astype(dtype).tobytes())
    by_pillow = np.asarray(Image.open(io.BytesIO(content)))
    assert np.abs(decode(as_data(content)).astype(int) - by_pillow).max() <= 1


def test_a_binary_sample_above_the_maximum_is_damage():
    with pytest.raises(DecodeError, match=r"samples from 0 to 200; expected 0 to 100"):
        decode(pgm(5, 100, [0, 200]))


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("maximum", [1, 255, 1000])
def test_pam(channels, maximum):
    samples = np.random.default_rng(0).integers(0, maximum + 1, (3, 4, channels))
    header = b"P7\nWIDTH 4\n# a comment\nHEIGHT 3\nDEPTH %d\nMAXVAL %d\nTUPLTYPE X\nENDHDR\n"
    content = header % (channels, maximum)
    data = as_data(content + samples.astype(np.uint8 if maximum < 256 else ">u2").tobytes())
    result = decode(data, output="ANY_DATA", dtype=np.float32)
    np.testing.assert_allclose(result, samples / maximum, rtol=1e-6)
    with pytest.raises(DecodeError, match="PNM: the data ends at byte"):
        decode(data[:-1])


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize(("form", "channels"), [(b"Pf", 1), (b"PF", 3)])
def test_pfm_has_its_bottom_line_first(order, form, channels):
    samples = np.random.default_rng(0).random((3, 4, channels), np.float32)
    scale = b"-1.0" if order == "<" else b"1.0"
    content = b"%s\n4 3\n%s\n%s" % (form, scale, samples[::-1].astype(order + "f4").tobytes())
    result = decode(as_data(content), output="ANY_DATA", dtype=np.float32)
    np.testing.assert_array_equal(result, samples)
    if channels == 1:
        np.testing.assert_array_equal(result[..., 0], np.asarray(Image.open(io.BytesIO(content))))


@pytest.mark.parametrize(
    "content",
    [
        b"P7\nWIDTH 4\nHEIGHT 3\nDEPTH 1\nENDHDR\n" + bytes(20),
        b"P7\nWIDTH 4\nHEIGHT 3\nDEPTH 9\nMAXVAL 255\nENDHDR\n" + bytes(200),
        b"P7\nWIDTH 4\n",
        b"PF\n4 3\n1.2.3\n" + bytes(200),
        b"Pf 0 3 1\n" + bytes(99),
    ],
)
def test_bad_headers_of_relatives_are_refused(content):
    with pytest.raises(DecodeError, match=r"^PNM: "):
        read_header(as_data(content))


@pytest.mark.parametrize("text", [b"P5 0 3 255\n", b"P5 3 4 70000\n", b"P6 x", b"P5 4 4 255\n123"])
def test_bad_headers_are_refused(text):
    with pytest.raises(DecodeError, match=r"^PNM: "):
        read_header(as_data(text))
