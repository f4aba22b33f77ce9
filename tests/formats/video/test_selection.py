import numpy as np
import pytest

from penstock.formats.video.selection import PAD_MODES, padded


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("none", [2, 3]),
        ("constant", [2, 3, -1, -1, -1, -1, -1, -1]),
        ("edge", [2, 3, 3, 3, 3, 3, 3, 3]),
        ("reflect_1001", [2, 3, 3, 2, 1, 0, 0, 1]),
        ("reflect_101", [2, 3, 2, 1, 0, 1, 2, 3]),
    ],
)
def test_numbers_behind_the_end(mode, expected):
    assert padded(np.arange(2, 10), 4, mode).tolist() == expected


@pytest.mark.parametrize("mode", PAD_MODES)
def test_a_video_of_one_frame(mode):
    numbers = padded(np.arange(3), 1, mode)
    assert set(numbers.tolist()) <= {0, -1}
    assert numbers[0] == 0


@pytest.mark.parametrize("names", [("edge", "repeat"), ("reflect_101", "reflect")])
def test_some_modes_have_two_names(names):
    one, other = (padded(np.arange(50), 7, name) for name in names)
    np.testing.assert_array_equal(one, other)
