"""From the colors that a video stores to RGB and to YCbCr of ITU-R BT.601."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

# The weights of red and blue in luma, by the number of the matrix in ITU-T H.273, table 4.
_WEIGHTS = {
    1: (0.2126, 0.0722),  # ITU-R BT.709
    4: (0.30, 0.11),  # FCC
    5: (0.299, 0.114),  # ITU-R BT.601
    6: (0.299, 0.114),
    7: (0.212, 0.087),  # SMPTE 240M
    9: (0.2627, 0.0593),  # ITU-R BT.2020
}
_BT601 = 6
_FULL = 2  # number of the range 0 to 255 in FFmpeg

Matrix = NDArray[np.float32]


@cache
def color_matrix(matrix: int, is_full: bool, space: str) -> Matrix:
    """Return the 3 x 4 matrix that takes (Y, Cb, Cr, 1) of a video to the output's color.

    Args:
        matrix: number in ITU-T H.273; a number that states no matrix stands for BT.601.
        is_full: whether the numbers span 0 to 255, else luma spans 16 to 235.
        space: color space of the output, "RGB" or "YCbCr".
    """
    to_rgb = _to_rgb(*_WEIGHTS.get(matrix, _WEIGHTS[_BT601]), is_full)
    if space == "RGB":
        return to_rgb[:3].astype(np.float32)
    back = np.linalg.inv(_to_rgb(*_WEIGHTS[_BT601], is_full=False))
    return (back @ to_rgb)[:3].astype(np.float32)


def has_full_range(color_range: int, format_name: str) -> bool:
    """Return whether numbers span 0 to 255."""
    return color_range == _FULL or format_name.startswith("yuvj")


def _to_rgb(red: float, blue: float, is_full: bool) -> NDArray[np.float64]:
    """Return the 4 x 4 matrix from (Y, Cb, Cr, 1) to (R, G, B, 1): ITU-T H.273, section 8.3."""
    luma, chroma, offset = (255, 255, 0) if is_full else (219, 224, 16)
    green = 1 - red - blue
    mixed = np.array(
        [
            [1, 0, 2 * (1 - red)],
            [1, -2 * (1 - blue) * blue / green, -2 * (1 - red) * red / green],
            [1, 2 * (1 - blue), 0],
        ]
    )
    scaled = mixed * [255 / luma, 255 / chroma, 255 / chroma]
    result = np.eye(4)
    result[:3, :3] = scaled
    result[:3, 3] = -scaled @ [offset, 128, 128]
    return result
