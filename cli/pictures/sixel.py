"""Pictures as sixels, the graphics of DEC's VT340.

A picture is a sequence of bands of six lines. A band is drawn color by color: each character says
which of the six pixels of a column have the color.

    ESC P q  "1;1;WIDTH;HEIGHT  #N;2;R;G;B ...  #N CHARACTERS $ #N CHARACTERS - ...  ESC \\
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .pixels import Picture

_LEVELS = (6, 7, 6)  # of red, green and blue: 252 of the 256 colors of most terminals
_BAYER = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]) / 16 - 0.47
"""A pattern of thresholds, so that areas of two colors look like colors between them."""


def as_sixels(picture: Picture) -> str:
    """Return a picture as an escape sequence."""
    height, width = picture.shape[:2]
    numbers = _color_numbers(picture)
    padded = np.full((-(-height // 6) * 6, width), -1)
    padded[:height] = numbers
    bands = [_band(padded[top : top + 6]) for top in range(0, height, 6)]
    return f'\x1bPq"1;1;{width};{height}{_palette()}{"-".join(bands)}\x1b\\'


def _color_numbers(picture: Picture) -> NDArray[np.int64]:
    """Return the number of the color of each pixel."""
    rows, columns = np.indices(picture.shape[:2]) % 4
    steps = np.array(_LEVELS) - 1
    scaled = picture / 255 * steps + _BAYER[rows, columns][..., np.newaxis]
    red, green, blue = np.moveaxis(np.clip(scaled.round(), 0, steps).astype(np.int64), -1, 0)
    return np.asarray((red * _LEVELS[1] + green) * _LEVELS[2] + blue)


def _palette() -> str:
    """Return the definitions of all colors, in percent."""
    colors = np.indices(_LEVELS).reshape(3, -1).T / (np.array(_LEVELS) - 1) * 100
    parts = enumerate(colors.round().astype(int).tolist())
    return "".join(f"#{number};2;{red};{green};{blue}" for number, (red, green, blue) in parts)


def _band(numbers: NDArray[np.int64]) -> str:
    """Return six lines, color by color."""
    bits = 1 << np.arange(6)[:, np.newaxis]
    return "$".join(
        f"#{number}{_run_lengths(((numbers == number) * bits).sum(axis=0))}"
        for number in np.unique(numbers[numbers >= 0]).tolist()
    )


def _run_lengths(columns: NDArray[np.int64]) -> str:
    """Return one character a column; `!N` before a character repeats it."""
    starts = np.flatnonzero(np.diff(columns, prepend=-1))
    lengths = np.diff(starts, append=len(columns)).tolist()
    letters = [chr(63 + value) for value in columns[starts].tolist()]
    return "".join(
        letter * length if length < 4 else f"!{length}{letter}"
        for letter, length in zip(letters, lengths, strict=True)
    )
