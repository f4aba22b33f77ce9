"""libheif behind one function: its errors are ours, and pixels outlive the library's object."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from penstock.decoders.image.engines import libheif
from penstock.engine.errors import DecodeError

from ..formats.heif_files import heic
from ..formats.pictures import smooth_picture


@pytest.mark.slow
def test_pixels_stay_as_they_are():
    pixels = smooth_picture(64, 96, 3)
    data = heic(pixels)
    results = [libheif.decode("HEIF", data) for _ in range(20)]
    gc.collect()
    for result in results:
        np.testing.assert_array_equal(result, pixels)


def test_samples_come_as_stored():
    pixels = smooth_picture(64, 96, 1, 10)
    result = libheif.decode("HEIF", heic(pixels, 10))
    assert result.dtype == np.uint16
    np.testing.assert_array_equal(result, pixels[..., 0])


def test_data_that_the_library_refuses_are_a_decode_error():
    with pytest.raises(DecodeError, match=r"^HEIF: libheif cannot decode .*fetch it again"):
        libheif.decode("HEIF", heic(smooth_picture(64, 96, 3))[:-100])
