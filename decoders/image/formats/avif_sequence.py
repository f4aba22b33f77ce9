"""AVIF sequences without a still picture: the first frame counts, as in browsers.

Sources: "AV1 Image File Format"; ISO/IEC 14496-12 (tracks); ISO/IEC 23000-22 (alpha of tracks).
"""

from __future__ import annotations

from typing import NamedTuple

from ....engine.arrays import Bytes
from ...errors import decode_error
from ..color import space_of_channels
from ..engines import pillow
from .base import ImageHeader, StoredImage, checked_size, read_fields
from .heif_boxes import FileBox, boxes_of, top_boxes

_PICTURES, _ALPHA = (b"pict", b"vide"), b"auxv"  # handlers of tracks
_SIZE_AT = {0: 76, 1: 88}  # offset of width and height in a track's header, by its version


class _Track(NamedTuple):
    """The kind of a track, and the place of its header."""

    handler: bytes
    head: FileBox


def read_header(view: memoryview, name: str) -> ImageHeader | None:
    """Return size and channels of a sequence; None if the file has a still picture.

    Samples are of 8 bits, to which Pillow decodes all sequences.
    """
    top = top_boxes(view, name)
    if b"meta" in top or b"moov" not in top:
        return None
    tracks = _tracks(view, top[b"moov"], name)
    shown = next((track.head for track in tracks if track.handler in _PICTURES), None)
    if shown is None:
        raise decode_error(name, "a sequence without a track of pictures")
    (version,) = read_fields("B", view, shown.start, name, "a track")
    at = shown.start + _SIZE_AT.get(version, _SIZE_AT[1])
    width, height = (
        number >> 16 for number in read_fields(">II", view, at, name, "the size of a track")
    )
    checked_size(name, height, width, at)
    has_alpha = any(track.handler == _ALPHA for track in tracks)
    return ImageHeader(name, height, width, 3 + has_alpha, 8)


def decode(data: Bytes, header: ImageHeader) -> StoredImage:
    """Decode the first frame of a sequence.

    Raises:
        DecodeError: the data are damaged, or this Pillow has no codec.
        MissingDependencyError: Pillow is missing.
    """
    pixels = pillow.avif_frame(header.format, data.tobytes())
    expected = (header.height, header.width, header.channels)
    if pixels.shape != expected:
        raise decode_error(
            header.format, f"the library decoded {pixels.shape}", expected=f"{expected}"
        )
    return StoredImage(pixels, space_of_channels(header.channels))


def _tracks(view: memoryview, movie: FileBox, name: str) -> list[_Track]:
    tracks = []
    for track in boxes_of(view, movie.start, movie.end, name):
        if track.name != b"trak":
            continue
        parts = {box.name: box for box in boxes_of(view, track.start, track.end, name)}
        media = parts.get(b"mdia")
        if media is None or b"tkhd" not in parts:
            continue
        for box in boxes_of(view, media.start, media.end, name):
            if box.name == b"hdlr":
                (kind,) = read_fields("8x4s", view, box.start, name, "a track")
                tracks.append(_Track(kind, parts[b"tkhd"]))
    return tracks
