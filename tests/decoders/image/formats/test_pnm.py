"""PNM files: the requirements on every format, and what is special to PNM."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.decoders.image.decode import decode
from penstock.decoders.image.table import read_header
from penstock.engine.errors import DecodeError

from ..conformance import EncodedImage, FormatConformance, zoo_images


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
        (b"P2 2 1 999\n1 999", [1, 999]),
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


def test_samples_are_not_rescaled_to_their_maximum():
    for content in (b"P5 3 1 20\n" + bytes([0, 7, 20]), b"P2 3 1 20\n0 7 20"):
        assert decode(as_data(content), output="GRAY").ravel().tolist() == [0, 7, 20]


@pytest.mark.parametrize("text", [b"P5 0 3 255\n", b"P5 3 4 70000\n", b"P6 x", b"P5 4 4 255\n123"])
def test_bad_headers_are_refused(text):
    with pytest.raises(DecodeError, match=r"^PNM: "):
        read_header(as_data(text))
