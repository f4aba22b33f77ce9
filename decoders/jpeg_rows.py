"""Decode only the upper rows of a JPEG, as far down as a region of interest reaches.

JPEG cannot be entered in the middle, but it can be left early: with a smaller height in
its frame header, the decoder stops after that many rows and passes over the rest of the
scan. Only the last row differs from a full decode (its chroma has no neighbour below), so
one more is decoded than needed. Only for a single sequential Huffman-coded scan.

The decoder then complains of the bytes that it passed over, and of nothing else: any other
complaint comes first and stands for damage. Damage below the region goes unnoticed, as long
as the file has its end.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from .formats import jpeg

_BASELINE, _EXTENDED = 0xC0, 0xC1
_BLOCK = 8
_WORTH_IT = 0.9  # of the rows; the copy of the data costs as much as decoding a few rows

_passed_over = re.compile(r"\d+ extraneous bytes before marker 0xd[0-79]").search


def shortened(
    data: NDArray[np.uint8], height: int, last: int, scale: int
) -> tuple[NDArray[np.uint8], int] | None:
    """Return a copy of the file with a smaller frame, and its height; None if not worth it.

    Args:
        data: the whole file.
        height: of the image in pixels.
        last: end of the rows wanted, in pixels; at most `height`.
        scale: by how much the decoder is going to reduce the image.
    """
    if last + scale >= _WORTH_IT * height:
        return None
    frame = None
    components = 0
    for marker, start, _ in jpeg.segments(data.data):
        if marker in (_BASELINE, _EXTENDED):
            frame, components = start, int(data[start + 5])
        elif marker == jpeg.START_OF_SCAN and int(data[start]) != components:
            return None
    if frame is None:
        return None
    vertical = max(int(data[frame + 7 + 3 * i]) & 15 for i in range(components))
    unit = _BLOCK * max(1, vertical)
    rows = -(-(last + scale) // unit) * unit
    if rows > _WORTH_IT * height:
        return None
    copy = data.copy()
    copy[frame + 1], copy[frame + 2] = rows >> 8, rows & 255
    return copy, rows


def is_only_shortened(complaint: str) -> bool:
    """Say whether the decoder's complaint is just of the rows that were left out."""
    return _passed_over(complaint) is not None
