from __future__ import annotations

import numpy as np
import pytest

from penstock.decoders.image import orientation
from penstock.testing.decoders import UPRIGHT

EXPECTED = {value: turn for value, turn in UPRIGHT.items() if value != 1}
TYPES = ("uint8", "int8", "uint16", "int32", "uint32", "float16", "float32")


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5, 150])
@pytest.mark.parametrize("value", EXPECTED)
def test_turns_as_exif_says_into_the_given_memory(value, channels, dtype):
    stored = np.arange(5 * 7 * channels).reshape(5, 7, channels).astype(dtype)
    expected = EXPECTED[value](stored)
    out = np.zeros(expected.shape, dtype)
    orientation.turn(stored, value, out)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("value", EXPECTED)
def test_turns_a_part_of_an_image(value):
    stored = np.arange(9 * 9 * 3, dtype=np.uint8).reshape(9, 9, 3)[2:6, 1:8]
    expected = EXPECTED[value](stored)
    out = np.zeros(expected.shape, np.uint8)
    orientation.turn(stored, value, out)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("value", EXPECTED)
def test_boxes_show_the_same_pixels_in_both_frames(value):
    stored = np.arange(5 * 7).reshape(5, 7)
    upright = EXPECTED[value](stored)
    box = (1, 2, 4, 5)
    y0, x0, y1, x1 = orientation.to_stored(box, stored.shape, value)
    np.testing.assert_array_equal(
        EXPECTED[value](stored[y0:y1, x0:x1]), upright[box[0] : box[2], box[1] : box[3]]
    )
    assert orientation.to_upright((y0, x0, y1, x1), stored.shape, value) == box


def test_upright_boxes_stay():
    assert orientation.to_stored((1, 2, 3, 4), (10, 10), 1) == (1, 2, 3, 4)
    assert orientation.to_upright((0.5, 2, 3, 4), (10, 10), 1) == (0.5, 2, 3, 4)
