"""Leaving a JPEG early gives the same pixels, and does not hide damage that matters."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from penstock.decoders.image.decode import decode, decode_to_fit
from penstock.decoders.image.formats import jpeg_early_stop
from penstock.engine.errors import DecodeError


def photo(generator, height=200, width=260, flags=()):
    picture = generator.scene(3, height, width)
    return cv2.imencode(".jpg", picture[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 90, *flags])[1]


def test_regions_of_every_jpeg_equal_the_full_decode(image_zoo):
    jpegs = {name: image for name, image in image_zoo.items() if name.startswith("jpeg")}
    assert len(jpegs) > 10
    shortened = 0
    for image in jpegs.values():
        data = np.fromfile(image.path, np.uint8)
        full = decode(data, use_exif=False)
        height, width = full.shape[:2]
        for last in {1, height // 4, height // 3, height // 2, height - 1, height} - {0}:
            region = decode(data, use_exif=False, roi=(0, 0, last, width))
            np.testing.assert_array_equal(region, full[:last])
            shortened += jpeg_early_stop.shortened(data, height, last, 1) is not None
    assert shortened > 10


@pytest.mark.parametrize("restart", [0, 3])
@pytest.mark.parametrize("scale", [1, 2, 4])
def test_reduced_regions_equal_the_full_decode(generator, scale, restart):
    data = photo(generator, 320, 400, (cv2.IMWRITE_JPEG_RST_INTERVAL, restart))
    roi = (0, 0, 150, 400)
    part = decode_to_fit(data, roi=roi, fit=(150 // scale, 400 // scale)).image
    whole = decode_to_fit(data, fit=(320 // scale, 400 // scale)).image
    assert len(whole) == 320 // scale
    np.testing.assert_array_equal(part, whole[: len(part)])


def test_a_progressive_file_is_decoded_whole(generator):
    data = photo(generator, flags=(cv2.IMWRITE_JPEG_PROGRESSIVE, 1))
    assert jpeg_early_stop.shortened(data, 200, 50, 1) is None


def test_damage_above_the_region_s_end_is_found(generator):
    data = photo(generator)
    damaged = data.copy()
    scan = bytes(data).index(b"\xff\xda") + 40
    damaged[scan : scan + 2] = 0xFF, 0xD9  # an early end
    with pytest.raises(DecodeError):
        decode(damaged, roi=(0, 0, 100, 260))


def test_a_file_without_its_end_is_refused(generator):
    data = photo(generator)
    with pytest.raises(DecodeError):
        decode(data[: len(data) * 3 // 4].copy(), roi=(0, 0, 40, 260))


def test_the_data_is_left_as_it_was(generator):
    data = photo(generator)
    before = data.copy()
    data.flags.writeable = False
    decode(data, roi=(10, 10, 60, 60))
    np.testing.assert_array_equal(data, before)
