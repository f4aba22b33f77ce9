"""MP3: MPEG-1 and 2, layer III (ISO/IEC 11172-3).

The padding that encoders add at both ends is cut off, where the file says how long it is. A file
that is cut off is detected if its first frame says how many frames follow: the frame of a Xing or
Info tag. A damaged frame cannot be detected: MP3 has no checksum that encoders write.

Without this number, libsndfile guesses the length from the size of the file and of the first frame,
and returns no sample behind its guess. Such a file is decoded whole when it is opened. A silent
frame of the smallest size is put in front, so that the guess is too large and nothing is lost.

Source of the tag: "Xing Variable Bitrate MP3 Playback SDK", 1999.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....engine.arrays import Bytes
from ..engines import sndfile
from .base import AudioStream

NAME = "MP3"
_MPEG_1, _LAYER_3, _MONO = 3, 1, 3
_RATES = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}
_SMALLEST_BITS = {
    True: 32000,
    False: 8000,
}  # a second, the first entry of the tables of MPEG-1 and 2
_TAGS = (b"Xing", b"Info")
_HAS_COUNT = 1  # flag of the tag
_MOST_PADDING = 2 * 4095
"""Samples that encoders add: LAME's tag has 12 bits for each end."""

_SEARCHED_BYTES = 1 << 16
"""Bytes in front of the first frame, at most: tags and padding."""


class FirstFrame(NamedTuple):
    """The first frame of a file of layer III.

    Attributes:
        start: its offset in the file.
        header: its four bytes.
        side: size of the side information behind the header, in bytes.
        samples: samples of a frame, for each channel.
        smallest: size of a frame of the lowest rate of bits.
        stated: samples that the tag states, padding included; 0 without a tag.
    """

    start: int
    header: bytes
    side: int
    samples: int
    smallest: int
    stated: int


def recognize(head: bytes) -> bool:
    """Return whether a file starts with a frame of MPEG audio, layers I to III."""
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return False
    version, layer = head[1] >> 3 & 3, head[1] >> 1 & 3
    bitrate, rate = head[2] >> 4, head[2] >> 2 & 3
    return version != 1 and layer != 0 and bitrate != 15 and rate != 3


def open_stream(data: Bytes) -> AudioStream:
    """Open a whole file."""
    frame = first_frame(data[:_SEARCHED_BYTES].tobytes())
    if frame is None:
        return sndfile.decode_whole(NAME, data)
    stream = _of_stated_length(frame, data)
    if stream is not None:
        return stream
    leader = np.frombuffer(_silent_frame(frame), np.uint8)
    return sndfile.decode_whole(NAME, np.concatenate([leader, data[frame.start :]]), frame.samples)


def open_file(path: str) -> AudioStream:
    """Open a local file. The whole file is read if it does not state its length."""
    with open(path, "rb") as file:
        frame = first_frame(file.read(_SEARCHED_BYTES))
    stream = None if frame is None else _of_stated_length(frame, path)
    return open_stream(np.fromfile(path, np.uint8)) if stream is None else stream


def _of_stated_length(frame: FirstFrame, source: Bytes | str) -> AudioStream | None:
    """Open a file whose tag states the length; None if libsndfile guesses it all the same."""
    if not frame.stated:
        return None
    stream = sndfile.SndfileStream(NAME, source, states_length=False)
    if 0 <= frame.stated - stream.header.frames <= _MOST_PADDING:
        return stream
    stream.close()
    return None


def first_frame(head: bytes) -> FirstFrame | None:
    """Return the first frame of layer III; None if there is none in the first bytes of a file."""
    start = _behind_tags(head)
    while (start := head.find(b"\xff", start)) >= 0:
        header = head[start : start + 4]
        if recognize(header) and header[1] >> 1 & 3 == _LAYER_3 and header[2] >> 4:
            return _frame(head, start, header)
        start += 1
    return None


def _behind_tags(head: bytes) -> int:
    """Return the offset behind the ID3v2 tags; their sizes have 7 bits in each byte."""
    start = 0
    while head[start : start + 3] == b"ID3" and len(head) >= start + 10:
        size = 0
        for byte in head[start + 6 : start + 10]:
            size = size << 7 | byte & 0x7F
        start += 10 + size
    return start


def _frame(head: bytes, start: int, header: bytes) -> FirstFrame:
    version, is_mono = header[1] >> 3 & 3, header[3] >> 6 == _MONO
    is_first = version == _MPEG_1
    side = (17 if is_mono else 32) if is_first else (9 if is_mono else 17)
    samples = 1152 if is_first else 576
    rate = _RATES[version][header[2] >> 2 & 3]
    smallest = samples // 8 * _SMALLEST_BITS[is_first] // rate
    tag = head[start + 4 + side : start + 16 + side]
    has_count = tag[:4] in _TAGS and len(tag) == 12 and tag[7] & _HAS_COUNT
    frames = int.from_bytes(tag[8:12], "big") if has_count else 0
    return FirstFrame(start, header, side, samples, smallest, frames * samples)


def _silent_frame(frame: FirstFrame) -> bytes:
    """Return a frame of the lowest rate of bits whose granules have no data."""
    has_no_checksum, lowest_bits, kept = 1, 1 << 4, 0x0C  # the sample rate; no padding
    first, second, third, fourth = frame.header
    header = bytes((first, second | has_no_checksum, third & kept | lowest_bits, fourth))
    return header + bytes(frame.smallest - len(header))
