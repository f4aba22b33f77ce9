"""JPEG XR, as strips of TIFF: a directory of tags, and the header of the codestream.

Source: ITU-T T.832, annex A (the directory) and section 8.3 (IMAGE_HEADER).
"""

from __future__ import annotations

from ...errors import decode_error
from .base import CONVERT, ImageHeader, need, read_fields

NAME = "JPEG XR"
_SIGNATURE = b"II\xbc\x01"
_CODESTREAM_SIGNATURE = b"WMPHOTO\0"
_CODESTREAM_AT, _CODESTREAM_BYTES, _ALPHA_AT, _ALPHA_BYTES = range(0xBCC0, 0xBCC4)  # tags
_IS_SHORT = 0x80
_CHANNELS = (1, 3, 3, 3, 4, 4, 1, 3, 3)  # by color format; of 6, the number stands elsewhere
_BITS = (1, 8, 16, 16, 16, 32, 32, 32, 5, 10, 6)  # by bit depth; the largest of 5, 6 and 5 is 6


def parse_header(view: memoryview) -> ImageHeader:
    """Return the size that the codestream states, its channels, and the bits of a sample.

    Of more than four channels, the header gives one. Missing data are an error here, because the
    library fills in what is missing.
    """
    signature, directory = read_fields("<4sI", view, 0, NAME, "the header")
    if signature != _SIGNATURE:
        raise decode_error(NAME, f"the data start with {signature!r}", expected=f"{_SIGNATURE!r}")
    (count,) = read_fields("<H", view, directory, NAME, "the directory")
    entries = (
        read_fields("<HHII", view, directory + 2 + 12 * i, NAME, "the directory")
        for i in range(count)
    )
    values = {tag: value for tag, _, _, value in entries}
    at = values.get(_CODESTREAM_AT)
    if at is None:
        raise decode_error(NAME, "no codestream", expected=f"tag {_CODESTREAM_AT}")
    # As length of the alpha, jxrlib writes the offset of its end.
    ends = (at + values.get(_CODESTREAM_BYTES, 0), values.get(_ALPHA_BYTES, 0))
    need(view, max(ends), NAME, "the codestream")
    start, flags, form = read_fields("8s2xBB", view, at, NAME, "the codestream")
    if start != _CODESTREAM_SIGNATURE:
        raise decode_error(NAME, f"the codestream starts with {start!r}", at=at)
    layout = ">HH" if flags & _IS_SHORT else ">II"
    width, height = read_fields(layout, view, at + 12, NAME, "the codestream")
    color, depth = form >> 4, form & 15
    if color >= len(_CHANNELS):
        raise decode_error(NAME, f"color format {color} is not supported", remedy=CONVERT)
    bits = _BITS[depth] if depth < len(_BITS) else 1
    channels = _CHANNELS[color] + (_ALPHA_AT in values)
    return ImageHeader(NAME, height + 1, width + 1, channels, bits)
