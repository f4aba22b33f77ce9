"""Volumes: each axis is resampled as an image's would be."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.resize.cpu_resample import resample
from penstock.operators.resize.cpu_volume import resample_volume
from penstock.operators.resize.filters import Filter

VOLUME = np.random.default_rng(0).random((6, 8, 10, 2)).astype(np.float32)
WHOLE = (0.0, 0.0, 0.0, 6.0, 8.0, 10.0)


def resized(volume, size, roi=WHOLE, chosen=Filter.LINEAR):
    out = np.empty((*size, volume.shape[3]), volume.dtype)
    resample_volume(
        volume, size, roi=roi, min_filter=chosen, mag_filter=chosen, antialias=True, out=out,
        dtype=volume.dtype,
    )  # fmt: skip
    return out


@pytest.mark.parametrize("chosen", sorted(set(Filter) - {Filter.GAUSSIAN}))  # it blurs all axes
def test_the_depth_is_resampled_as_the_rows_of_an_image(chosen):
    image = VOLUME.reshape(6, 80, 2)
    options = {"min_filter": chosen, "mag_filter": chosen, "roi": (0.0, 0.0, 6.0, 80.0)}
    expected = resample(image, (4, 80), **options)
    result = resized(VOLUME, (4, 8, 10), chosen=chosen)
    np.testing.assert_allclose(result.reshape(4, 80, 2), expected, atol=1e-6)


def test_planes_are_resampled_as_images():
    result = resized(VOLUME, (6, 5, 7))
    for plane, source in zip(result, VOLUME, strict=True):
        expected = resample(np.ascontiguousarray(source), (5, 7))
        np.testing.assert_allclose(plane, expected, atol=1e-6)


def test_integers_are_rounded_once():
    volume = (VOLUME * 255).astype(np.uint8)
    exact = resized(volume.astype(np.float32), (3, 5, 7))
    np.testing.assert_array_equal(resized(volume, (3, 5, 7)), np.rint(exact))


def test_volumes_without_pixels():
    with pytest.raises(ValueError, match="none of them 0"):
        resized(VOLUME[:0], (3, 5, 7))
