import numpy as np
import pytest

from penstock.decoders.video.colors import color_matrix, has_full_range


def convert(color, *arguments):
    return color_matrix(*arguments) @ np.array([*color, 1])


@pytest.mark.parametrize("matrix", [1, 2, 5, 6, 7, 9, 99])
@pytest.mark.parametrize(("is_full", "black", "white"), [(True, 0, 255), (False, 16, 235)])
def test_gray_is_gray_in_all_matrices(matrix, is_full, black, white):
    for luma, level in ((black, 0), (white, 255)):
        gray = convert((luma, 128, 128), matrix, is_full, "RGB")
        np.testing.assert_allclose(gray, [level] * 3, atol=1e-3)


def test_primary_colors():
    # Red of ITU-R BT.709 and BT.601 with limited range, as both standards' tables give them.
    np.testing.assert_allclose(convert((63, 102, 240), 1, False, "RGB"), [255, 0, 0], atol=2)
    np.testing.assert_allclose(convert((81, 90, 240), 6, False, "RGB"), [255, 0, 0], atol=2)


def test_ycbcr_is_bt601_whatever_the_video_has():
    same = convert((90, 100, 200), 6, False, "YCbCr")
    np.testing.assert_allclose(same, [90, 100, 200], atol=1e-3)
    np.testing.assert_allclose(convert((63, 102, 240), 1, False, "YCbCr"), [81, 90, 240], atol=1.5)


def test_ranges():
    assert has_full_range(2, "yuv420p")
    assert has_full_range(0, "yuvj420p")
    assert not has_full_range(1, "yuv420p")
    assert not has_full_range(0, "yuv420p")
