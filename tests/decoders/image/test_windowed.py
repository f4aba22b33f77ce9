"""Windowed decoders: windows equal crops of the whole image, and random ones are reproducible."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError, fn

from .pipelines import run


def test_crop_and_slice_equal_the_part_of_the_whole(files):
    whole, cropped, sliced, named = run(
        files,
        lambda encoded: (
            fn.decoders.image(encoded),
            fn.decoders.image_crop(encoded, crop=(50, 60), crop_pos_x=0.2, crop_pos_y=1.0),
            fn.decoders.image_slice(encoded, np.float32([0.25, 0.5]), np.float32([0.5, 0.25])),
            fn.decoders.image_slice(encoded, start=[5, 7], end=[40, 30], axis_names="WH"),
        ),
    )
    for i, image in enumerate(whole):
        height, width = image.shape[:2]
        left = int(np.floor(0.2 * (width - 60) + 0.5))
        np.testing.assert_array_equal(cropped[i], image[height - 50 :, left : left + 60])
        x0, x1 = np.floor(np.array([0.25, 0.75]) * width + 0.5).astype(int)
        y0, y1 = np.floor(np.array([0.5, 0.75]) * height + 0.5).astype(int)
        np.testing.assert_array_equal(sliced[i], image[y0:y1, x0:x1])
        np.testing.assert_array_equal(named[i], image[7:30, 5:40])


def test_a_window_outside_of_the_image_is_refused(files):
    with pytest.raises(ArgumentError, match="reaches out") as caught:
        run(files, lambda encoded: fn.decoders.image_crop(encoded, crop=(50000, 10)))
    notes = " ".join(caught.value.__notes__)
    assert "decoders.image_crop" in notes
    assert "test_windowed.py" in notes
    assert files[0] in notes


def test_random_crops_are_parts_of_the_image_and_differ(files):
    images, crops = run(
        files,
        lambda encoded: (
            fn.decoders.image(encoded),
            fn.decoders.image_random_crop(encoded, random_area=(0.2, 0.5)),
        ),
    )
    for image, crop in zip(images, crops, strict=True):
        assert 0.15 < crop.size / image.size < 0.55
        windows = np.lib.stride_tricks.sliding_window_view(image, crop.shape)[:, :, 0]
        assert (windows[..., 0, 0, :] == crop[0, 0]).all(-1).any()
    assert len({crop.shape for crop in crops}) > 1


def test_a_random_crop_depends_on_seed_and_position_alone(files):
    def crops(threads):
        return run(files, fn.decoders.image_random_crop, num_threads=threads)[0]

    for one, other in zip(crops(1), crops(3), strict=True):
        np.testing.assert_array_equal(one, other)
