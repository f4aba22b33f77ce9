"""The contact sheet of a batch: tiles in lines, as PNG."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np

from .pixels import Picture
from .roles import Output
from .tiles import BACKGROUND, SampleText, captions, draw_tile, pictures_of

_GAP = 16
_PROPORTION = 1.6  # of a sheet's width to its height, about


def draw_sheet(
    outputs: Sequence[Output], known: Sequence[SampleText], *, side: int, width: int
) -> Picture:
    """Return the contact sheet of a batch.

    Args:
        outputs: the outputs with their roles.
        known: number and key of each sample.
        side: height of a sample's pictures in pixels.
        width: of the sheet, at most, unless one tile is wider.
    """
    pictures = [pictures_of(outputs, row, text, side) for row, text in enumerate(known)]
    height = max((_largest(drawn, 0) for drawn in pictures if drawn), default=0)
    tiles = [
        draw_tile(drawn, captions(outputs, row, text), text, side=side, height=height)
        for row, (drawn, text) in enumerate(zip(pictures, known, strict=True))
    ]
    lines = _lines(tiles, _chosen_width(tiles, width))
    size = _GAP + sum(map(_height, lines)), max(map(_width, lines)), 3
    sheet = np.full(size, BACKGROUND, np.uint8)
    top = _GAP
    for line in lines:
        left = _GAP
        for tile in line:
            sheet[top : top + tile.shape[0], left : left + tile.shape[1]] = tile
            left += tile.shape[1] + _GAP
        top += _height(line)
    return sheet


def _lines(tiles: Sequence[Picture], width: int) -> list[list[Picture]]:
    """Return the tiles in lines that are at most `width` wide, or hold one tile."""
    lines: list[list[Picture]] = [[]]
    for tile in tiles:
        if lines[-1] and _width([*lines[-1], tile]) > width:
            lines.append([])
        lines[-1].append(tile)
    return lines


def _width(line: Sequence[Picture]) -> int:
    return _GAP + sum(int(tile.shape[1]) + _GAP for tile in line)


def _height(line: Sequence[Picture]) -> int:
    return _largest(line, 0) + _GAP


def _chosen_width(tiles: Sequence[Picture], most: int) -> int:
    """Return the width of a sheet of about `_PROPORTION`; if tiles are alike, lines are full."""
    area = sum((tile.shape[0] + _GAP) * (tile.shape[1] + _GAP) for tile in tiles)
    largest = _largest(tiles, 1)
    wanted = min(most, int(math.sqrt(_PROPORTION * area)) + largest // 2)
    if any(tile.shape[1] != largest for tile in tiles):
        return wanted
    step, count = largest + _GAP, len(tiles)
    columns = max(1, (wanted - _GAP) // step)
    near = [n for n in (columns, columns - 1, columns + 1) if n > 0]
    allowed = [n for n in near if _GAP + n * step <= most] or [1]
    return _GAP + step * min(allowed, key=lambda n: -count % n)


def _largest(tiles: Sequence[Picture], axis: int) -> int:
    extents: list[int] = [tile.shape[axis] for tile in tiles]
    return max(extents)


def as_png(picture: Picture) -> bytes:
    """Return a picture as a PNG file."""
    _, encoded = cv2.imencode(".png", picture[..., ::-1])
    return bytes(encoded)
