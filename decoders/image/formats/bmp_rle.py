"""Expand the run-length codes of BMP: RLE4 and RLE8 of Windows, and RLE24 of OS/2.

Two bytes are a count and the value of a run. A count of 0 is an escape: 0 ends the line, 1 ends the
image, 2 moves on by two more bytes (columns and lines), and any other number announces so many
literal pixels.
Source: Microsoft, "Bitmap Compression".
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from ....engine.arrays import Array
from ...errors import decode_error

_NAME = "BMP"
_END_OF_LINE, _END_OF_IMAGE, _MOVE = 0, 1, 2
_TOKENS = {
    1: re.compile(rb"(?:[^\0].)+|\0.", re.DOTALL).match,
    3: re.compile(rb"(?:[^\0]...)+|\0.", re.DOTALL).match,
}


def decode(codes: bytes, height: int, width: int, bits: int) -> NDArray[np.uint8]:
    """Return indices of shape (height, width), or with 24 bits colors of (height, width, 3).

    Raises:
        DecodeError: lines are missing, or a code leads out of the image.
    """
    depth = 3 if bits == 24 else 1
    token = _TOKENS[depth]
    out = np.zeros((height, width, depth), np.uint8)
    x = y = offset = 0
    while (match := token(codes, offset)) is not None:
        start, offset = offset, match.end()
        if codes[start] != 0:
            pixels = _runs(codes[start:offset], bits, depth, max(0, width - x))
        elif (escape := codes[start + 1]) > _MOVE:
            size = (escape * bits + 7) // 8
            pixels = _literals(codes[offset : offset + size], escape, bits, depth)
            offset += size + size % 2
        else:
            if escape == _END_OF_IMAGE:
                return out[..., 0] if depth == 1 else out
            if escape == _END_OF_LINE:
                x, y = 0, y + 1
            else:
                right, up = (codes[offset : offset + 2] + b"\0\0")[:2]
                x, y, offset = x + right, y + up, offset + 2
            continue
        if y >= height or x + len(pixels) > width:
            raise decode_error(
                _NAME,
                f"pixels {x} to {x + len(pixels)} of line {y}",
                expected=f"inside of {width} x {height} pixels",
            )
        out[y, x : x + len(pixels)] = pixels
        x += len(pixels)
    if y < height - 1 or (y == height - 1 and x < width):
        raise decode_error(
            _NAME, f"the run-length codes end in line {y}", expected=f"{height} lines"
        )
    return out[..., 0] if depth == 1 else out


def _runs(codes: bytes, bits: int, depth: int, room: int) -> Array:
    """Return the pixels of runs: at most `room`, and one more if there are too many."""
    fields = np.frombuffer(codes, np.uint8).reshape(-1, 1 + depth)
    counts, values = fields[:, 0].astype(np.intp), fields[:, 1:]
    ends = np.cumsum(counts)
    if ends[-1] > room:
        return np.empty((room + 1, depth), np.uint8)
    pixels = np.repeat(values, counts, axis=0)
    if bits != 4:
        return pixels
    position = np.arange(ends[-1]) - np.repeat(ends - counts, counts)
    return np.where(position[:, None] & 1, pixels & 15, pixels >> 4)


def _literals(content: bytes, count: int, bits: int, depth: int) -> Array:
    if len(content) < (count * bits + 7) // 8:
        raise decode_error(_NAME, "the data end inside run-length codes")
    values = np.frombuffer(content, np.uint8)
    if bits == 4:
        values = np.stack([values >> 4, values & 15], axis=1).reshape(-1)[:count]
    return values.reshape(count, depth)
