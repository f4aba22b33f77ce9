"""MPEG audio: MPEG-1, 2 and 2.5, layers I to III (ISO/IEC 11172-3 and 13818-3), most of it MP3.

A frame is believed if the next one follows where its size says, with the same version, layer and
rate: four bytes that look like a header stand in any compressed data.

The padding that encoders of layer III add at both ends is cut off, where the file says how long it
is. A file that is cut off is detected if its first frame says how many frames follow: the frame of
a Xing, Info or VBRI tag, which is no sound. A damaged frame cannot be detected: no encoder writes
the checksum.

Without this number, libsndfile guesses the length from the size of the file and of the first frame,
and returns no sample behind its guess. Such a file is decoded whole when it is opened. A silent
frame of the smallest size is put in front, so that the guess is too large and nothing is lost.

Sources of the tags: "Xing Variable Bitrate MP3 Playback SDK", 1999; "MPEG Audio Frame Header",
K. Windszus, 2007.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ....engine.arrays import Bytes
from ..engines import sndfile
from .base import AudioStream, missing_samples

NAME = "MP3"
_MPEG_1, _MONO = 3, 3
_LAYER_1, _LAYER_2, _LAYER_3 = 3, 2, 1  # as headers number them
_RATES = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}
_BITS = {
    (True, _LAYER_1): tuple(range(0, 449, 32)),
    (True, _LAYER_2): (0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (True, _LAYER_3): (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (False, _LAYER_1): (0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    (False, _LAYER_2): (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
    (False, _LAYER_3): (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}  # kbit/s by version and layer; a rate of 0 is the file's own
_SAME = (0xFF, 0xFE, 0x0C)  # bits of a header that all frames share: version, layer and rate
_TAGS = (b"Xing", b"Info")
_HAS_COUNT = 1  # flag of the tag
_VBRI, _VBRI_AT, _VBRI_COUNT = b"VBRI", 36, 50  # offsets in its frame
_MOST_PADDING = 2 * 4095
"""Samples that encoders add: LAME's tag has 12 bits for each end."""

_UNSURE_FRAMES = 2
"""Frames that a VBRI tag may count too many: encoders count the tag's own frame or not."""

_SEARCHED_BYTES = 1 << 16
"""Bytes behind the tags in which the first frame is searched: padding, or the rest of a frame."""

_MOST_TAGS = 16
"""ID3v2 tags in front of a file. More are no tags."""

_BEHIND = (b"TAG", b"APE", b"ID3", b"LYR")
"""The first bytes of tags that follow the last frame."""


class FirstFrame(NamedTuple):
    """The first frame of a file.

    Attributes:
        start: its offset in the file.
        header: its four bytes.
        samples: samples of a frame, for each channel.
        sound: offset of the first frame with sound, behind that of a tag.
        stated: samples that the tag states, padding included; 0 without a tag.
        is_guide: whether the tag is a Xing tag, which libsndfile reads.
    """

    start: int
    header: bytes
    samples: int
    sound: int
    stated: int
    is_guide: bool


def recognize(head: bytes) -> bool:
    """Return whether a file starts with a frame of MPEG audio, layers I to III."""
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return False
    version, layer = head[1] >> 3 & 3, head[1] >> 1 & 3
    bitrate, rate = head[2] >> 4, head[2] >> 2 & 3
    return version != 1 and layer != 0 and bitrate != 15 and rate != 3


def open_stream(data: Bytes) -> AudioStream:
    """Open a whole file."""
    frame = _first_frame_of(lambda start, size: data[start : start + size].tobytes())
    if frame is None:
        return sndfile.decode_whole(NAME, data)
    stream = _of_stated_length(frame, data[frame.start :])
    if stream is not None:
        return stream
    leader = np.frombuffer(_silent_frame(frame), np.uint8)
    sounds = np.concatenate([leader, data[frame.sound :]])
    stream = sndfile.decode_whole(NAME, sounds, frame.samples)
    wanted = 0 if frame.is_guide else frame.stated - _UNSURE_FRAMES * frame.samples
    if stream.header.frames < wanted:
        stated = replace(stream.header, frames=frame.stated)
        raise missing_samples(stated, stream.header.frames, wanted)
    return stream


def open_file(path: str) -> AudioStream:
    """Open a local file. The whole file is read if it does not state its length."""
    with open(path, "rb") as file:

        def read(start: int, size: int) -> bytes:
            file.seek(start)
            return file.read(size)

        frame = _first_frame_of(read)
        is_plain = frame is not None and frame.start == behind_tags(read)
    stream = _of_stated_length(frame, path) if frame is not None and is_plain else None
    return open_stream(np.fromfile(path, np.uint8)) if stream is None else stream


def _of_stated_length(frame: FirstFrame, source: Bytes | str) -> AudioStream | None:
    """Open a file whose tag states the length; None if libsndfile guesses it all the same."""
    if not (frame.stated and frame.is_guide):
        return None
    stream = sndfile.SndfileStream(NAME, source, states_length=False)
    if 0 <= frame.stated - stream.header.frames <= _MOST_PADDING:
        return stream
    stream.close()
    return None


def _first_frame_of(read: Callable[[int, int], bytes]) -> FirstFrame | None:
    """Return the first frame of a file; `read` returns bytes from an offset on."""
    tags = behind_tags(read)
    return first_frame(read(tags, _SEARCHED_BYTES), tags)


def behind_tags(read: Callable[[int, int], bytes]) -> int:
    """Return the offset behind the ID3v2 tags; their sizes have 7 bits in each byte."""
    start = 0
    for _ in range(_MOST_TAGS):
        head = read(start, 10)
        if head[:3] != b"ID3" or len(head) < 10:
            break
        size = 0
        for byte in head[6:]:
            size = size << 7 | byte & 0x7F
        start += 10 + size
    return start


def first_frame(data: bytes, offset: int = 0) -> FirstFrame | None:
    """Return the first frame of some bytes; None if there is none.

    Args:
        data: bytes of a file, behind its tags.
        offset: their offset in the file.
    """
    start = data.find(b"\xff")
    while start >= 0:
        header = data[start : start + 4]
        if recognize(header) and header[2] >> 4:
            following = data[start + _frame_size(header) :]
            is_last = len(following) < len(header) or following.startswith(_BEHIND)
            if _is_same(header, following) or (is_last and start == 0):
                return _frame(data, start, header, offset)
        start = data.find(b"\xff", start + 1)
    return None


def _is_same(header: bytes, following: bytes) -> bool:
    """Return whether some bytes start with a frame of the same signal."""
    return recognize(following[:4]) and all(
        (ours ^ theirs) & mask == 0
        for ours, theirs, mask in zip(header, following, _SAME, strict=False)
    )


def _frame_size(header: bytes) -> int:
    """Return the size of a frame in bytes."""
    version, layer = header[1] >> 3 & 3, header[1] >> 1 & 3
    bits_a_second = 1000 * _BITS[version == _MPEG_1, layer][header[2] >> 4]
    rate, padding = _RATES[version][header[2] >> 2 & 3], header[2] >> 1 & 1
    slot = 4 if layer == _LAYER_1 else 1
    return slot * (_samples(header) // 8 // slot * bits_a_second // rate + padding)


def _samples(header: bytes) -> int:
    """Return the number of samples of a frame."""
    layer = header[1] >> 1 & 3
    if layer == _LAYER_1:
        return 384
    return 1152 if layer == _LAYER_2 or header[1] >> 3 & 3 == _MPEG_1 else 576


def _frame(data: bytes, start: int, header: bytes, offset: int) -> FirstFrame:
    samples, end = _samples(header), start + _frame_size(header)
    plain = FirstFrame(offset + start, header, samples, offset + start, 0, False)
    if header[1] >> 1 & 3 != _LAYER_3:
        return plain
    is_mono = header[3] >> 6 == _MONO
    side = (17 if is_mono else 32) if header[1] >> 3 & 3 == _MPEG_1 else (9 if is_mono else 17)
    frame = data[start:end]
    tag = frame[4 + side : 16 + side]
    if frame[_VBRI_AT:].startswith(_VBRI):
        frames, is_guide = int.from_bytes(frame[_VBRI_COUNT : _VBRI_COUNT + 4], "big"), False
    elif tag[:4] in _TAGS and len(tag) == 12:
        frames, is_guide = int.from_bytes(tag[8:], "big") if tag[7] & _HAS_COUNT else 0, True
    else:
        return plain
    return plain._replace(sound=offset + end, stated=frames * samples, is_guide=is_guide)


def _silent_frame(frame: FirstFrame) -> bytes:
    """Return a frame of the lowest rate of bits that has no data."""
    has_no_checksum, lowest_bits, kept = 1, 1, 0x0C  # the sample rate; no padding
    first, second, third, fourth = frame.header
    header = bytes((first, second | has_no_checksum, third & kept | lowest_bits << 4, fourth))
    return header + bytes(_frame_size(header) - len(header))
