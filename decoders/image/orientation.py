"""Turn a stored image upright, and map boxes between the stored and the upright image.

Each of the eight EXIF orientations is a flip of the stored lines, a flip of the stored columns, and
then an exchange of lines and columns; each of the three is done or not. Boxes are (y0, x0, y1, x1),
ends excluded.
Source: CIPA DC-008 (EXIF 2.32), tag 0x0112.
"""

from __future__ import annotations

from typing import TypeVar

import cv2

from ...engine.arrays import Array
from .color import bits_of

Number = TypeVar("Number", int, float)

# orientation: (flip lines, flip columns, exchange lines and columns)
STEPS = {
    1: (False, False, False),
    2: (False, True, False),
    3: (True, True, False),
    4: (True, False, False),
    5: (False, False, True),
    6: (True, False, True),
    7: (True, True, True),
    8: (False, True, True),
}
_OPENCV_CHANNELS = 4
_FLIPS = {2: 1, 3: -1, 4: 0}
_ROTATIONS = {6: cv2.ROTATE_90_CLOCKWISE, 8: cv2.ROTATE_90_COUNTERCLOCKWISE}


def turn(image: Array, orientation: int, out: Array) -> None:
    """Write the stored `image` (HWC, orientation 2 to 8) upright into `out`."""
    image, out = bits_of(image), bits_of(out)
    if image.shape[2] > _OPENCV_CHANNELS:
        flip_lines, flip_columns, exchange = STEPS[orientation]
        turned = image[:: -1 if flip_lines else 1, :: -1 if flip_columns else 1]
        out[...] = turned.swapaxes(0, 1) if exchange else turned
    elif orientation in _FLIPS:
        cv2.flip(image, _FLIPS[orientation], dst=out)
    elif orientation in _ROTATIONS:
        cv2.rotate(image, _ROTATIONS[orientation], dst=out)
    else:
        cv2.transpose(image, dst=out)
        if orientation == 7:
            cv2.flip(out, -1, dst=out)


def exchanged(size: tuple[int, int], orientation: int) -> tuple[int, int]:
    """Return (height, width) of the upright image from those of the stored one, or back."""
    return size[::-1] if STEPS[orientation][2] else size


def to_stored(
    box: tuple[Number, Number, Number, Number], size: tuple[int, int], orientation: int
) -> tuple[Number, Number, Number, Number]:
    """Return the box of the stored image of `size` (height, width) that shows as upright `box`."""
    flip_lines, flip_columns, exchange = STEPS[orientation]
    y0, x0, y1, x1 = box
    if exchange:
        y0, x0, y1, x1 = x0, y0, x1, y1
    return _flipped((y0, x0, y1, x1), size, flip_lines, flip_columns)


def to_upright(
    box: tuple[Number, Number, Number, Number], size: tuple[int, int], orientation: int
) -> tuple[Number, Number, Number, Number]:
    """Return the upright box that shows `box` of the stored image of `size` (height, width)."""
    flip_lines, flip_columns, exchange = STEPS[orientation]
    y0, x0, y1, x1 = _flipped(box, size, flip_lines, flip_columns)
    return (x0, y0, x1, y1) if exchange else (y0, x0, y1, x1)


def _flipped(
    box: tuple[Number, Number, Number, Number],
    size: tuple[int, int],
    flip_lines: bool,
    flip_columns: bool,
) -> tuple[Number, Number, Number, Number]:
    y0, x0, y1, x1 = box
    height, width = size
    if flip_lines:
        y0, y1 = height - y1, height - y0
    if flip_columns:
        x0, x1 = width - x1, width - x0
    return y0, x0, y1, x1
