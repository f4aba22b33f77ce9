"""Text in pictures, in OpenCV's font. OpenCV crashes where a text is no valid Unicode."""

from __future__ import annotations

import cv2

from ...engine.printable import printable
from .pixels import Picture

LINE = 18
"""Height of a line of text in pixels."""

Color = tuple[int, int, int]
WHITE, DIM, BLACK = (235, 235, 235), (150, 150, 150), (0, 0, 0)

_FONT, _SCALE = cv2.FONT_HERSHEY_SIMPLEX, 0.42


def text_width(text: str) -> int:
    """Return the width of a line of text in pixels."""
    return int(cv2.getTextSize(printable(text), _FONT, _SCALE, 1)[0][0])


def draw_text(picture: Picture, text: str, x: int, baseline: int, color: Color = WHITE) -> None:
    """Draw a line of text whose left end is at `x`."""
    cv2.putText(picture, printable(text), (x, baseline), _FONT, _SCALE, color, 1, cv2.LINE_AA)


def cut_to(text: str, width: int, *, keep_end: bool) -> str:
    """Return a text that is at most `width` pixels wide; three dots stand for what is cut.

    >>> cut_to("n01440764/a_very_long_name_of_a_file.jpg", 150, keep_end=True)
    '...name_of_a_file.jpg'
    """
    text = printable(" ".join(text.split())[:500])
    if text_width(text) <= width:
        return text
    while text and text_width(f"...{text}") > width:
        text = text[1:] if keep_end else text[:-1]
    return f"...{text}" if keep_end else f"{text}..."
