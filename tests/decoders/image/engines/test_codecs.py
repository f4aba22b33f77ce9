"""imagecodecs behind one function: its errors are ours, and its absence names the extra."""

from __future__ import annotations

import sys

import imagecodecs
import numpy as np
import pytest

from penstock.decoders.image.engines import codecs
from penstock.engine.errors import DecodeError, MissingDependencyError


def test_samples_come_as_stored():
    pixels = np.arange(600, dtype=np.uint8).reshape(20, 30)
    data = imagecodecs.jpegxl_encode(pixels, lossless=True)
    np.testing.assert_array_equal(codecs.decode("JPEG XL", data), pixels)


@pytest.mark.parametrize("name", ["AVIF", "JPEG", "JPEG XL"])
def test_data_that_the_library_refuses_are_a_decode_error(name):
    with pytest.raises(DecodeError, match=f"^{name}: imagecodecs cannot decode the data"):
        codecs.decode(name, bytes(100))


def test_a_missing_library_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "imagecodecs", None)
    with pytest.raises(MissingDependencyError, match=r"AVIF needs imagecodecs.*\[images\]"):
        codecs.decode("AVIF", bytes(100))
