"""Decode only the upper lines of a JPEG, as far down as a region of interest reaches.

A decoder cannot enter a JPEG in the middle, but can leave it early: with a smaller height in the
frame header, the decoder stops after that many lines and passes over the rest of the scan. Only the
last line differs from a full decode (its chroma has no neighbor below), so one more is decoded
than needed. Only a file with a single sequential Huffman-coded scan allows this.

The decoder then complains of the bytes that it passed over, and of nothing else: any other
complaint comes first and stands for damage. Damage below the region goes unnoticed, as long
as the file has its end.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from . import jpeg

_BLOCK = 8

MAX_PART = 0.9
"""Largest part of the lines that is worth it, because the copy of the data costs as much as the
decode of a few lines."""


_passed_over = re.compile(r"\d+ extraneous bytes before marker 0xd[0-79]").search


def shortened(
    data: NDArray[np.uint8], height: int, last: int, scale: int
) -> tuple[NDArray[np.uint8], int] | None:
    """Return a copy of the file with a smaller frame, and its height; None if not worth it.

    Args:
        data: the whole file.
        height: height of the image in pixels.
        last: end of the lines wanted, in pixels; at most `height`.
        scale: by how much the decoder is going to reduce the image.
    """
    limit = MAX_PART * height
    if last + scale >= limit:
        return None
    frame = None
    components = 0
    for marker, start, _ in jpeg.segments(data.data):
        if marker in jpeg.SEQUENTIAL_FRAMES:
            frame, components = start, int(data[start + 5])
        elif marker == jpeg.START_OF_SCAN and int(data[start]) != components:
            return None
    if frame is None:
        return None
    vertical = max(int(data[frame + 7 + 3 * i]) & 15 for i in range(components))
    unit = _BLOCK * max(1, vertical)
    lines = -(-(last + scale) // unit) * unit
    if lines > limit:
        return None
    copy = data.copy()
    copy[frame + 1], copy[frame + 2] = lines >> 8, lines & 255
    return copy, lines


def is_only_shortened(complaint: str) -> bool:
    """Return whether the decoder complains only of the lines that were left out."""
    return _passed_over(complaint) is not None
