import numpy as np

from penstock.engine.tensors.dtypes import DALIImageType
from penstock.operators.color.matrices import COLOR_SPACE_MAPS, reversed_channels, twist


def test_gray_stays_gray():
    maps = twist(np.array([40.0]), np.array([1.7]), np.array([1.0]), np.array([0.0]))
    np.testing.assert_allclose(maps[0, :, :3] @ [1, 1, 1], [1, 1, 1], atol=5e-3)


def test_a_whole_turn_changes_nothing():
    maps = twist(np.array([360.0]), np.array([1.0]), np.array([1.0]), np.array([0.0]))
    np.testing.assert_allclose(maps[0], np.eye(3, 4), atol=1e-12)


def test_maps_of_reversed_channels():
    maps = twist(*np.array([[25.0], [0.4], [1.2], [7.0]]))
    color = np.array([0.1, 0.5, 0.9])
    swapped = reversed_channels(maps)[0]
    np.testing.assert_allclose(
        swapped @ [*color[::-1], 1], (maps[0] @ [*color, 1])[::-1], atol=1e-12
    )


def test_color_spaces_are_inverse_to_one_another():
    for (source, target), there in COLOR_SPACE_MAPS.items():
        back = COLOR_SPACE_MAPS[target, source]
        if DALIImageType.GRAY in (source, target):
            continue
        color = np.array([20.0, 130, 220])
        np.testing.assert_allclose(back @ [*(there @ [*color, 1]), 1], color, atol=1e-9)


def test_white_and_black_in_ycbcr():
    to_ycbcr = COLOR_SPACE_MAPS[DALIImageType.RGB, DALIImageType.YCbCr]
    np.testing.assert_allclose(to_ycbcr @ [255, 255, 255, 1], [235, 128, 128])
    np.testing.assert_allclose(to_ycbcr @ [0, 0, 0, 1], [16, 128, 128])
