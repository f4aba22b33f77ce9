"""Text that comes from data, made harmless for terminals."""

from __future__ import annotations

import re

_CONTROLS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters but for tabs and ends of lines, those that turn a text's direction, and halves
of surrogate pairs, which stand for bytes of file names that are no UTF-8."""


def printable(text: str) -> str:
    r"""Return a text with its control characters as escapes, so that no terminal obeys them.

    Names of files, keys, classes and texts come from anywhere. Written as they are, they could
    erase what was printed before, set the window's title, or hide a part of themselves.

    >>> printable("a\x1b[2J\u202e.jpg")
    'a\\x1b[2J\\u202e.jpg'
    """
    return _CONTROLS.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode()
