"""The formats that FFmpeg alone decodes: AAC, M4A and their kind, through PyAV.

A new format is a row of `OTHERS`: a name, FFmpeg's name of the container, and the first bytes.
"""

from __future__ import annotations

from functools import partial

from ....engine.arrays import Bytes
from ..engines import ffmpeg
from .base import AudioFormat, AudioStream

_ADTS_SYNC, _ADTS_MASK = 0xFFF0, 0xFFF6  # twelve ones, and a layer of 0


def _is_adts(head: bytes) -> bool:
    return int.from_bytes(head[:2], "big") & _ADTS_MASK == _ADTS_SYNC


def _starts(signature: bytes, head: bytes) -> bool:
    return head.startswith(signature)


def _is_mp4(head: bytes) -> bool:
    return head[4:8] == b"ftyp"


_ASF = bytes.fromhex("3026b2758e66cf11a6d900aa0062ce6c")
_ROWS = (
    ("AAC", "aac", _is_adts),
    ("M4A", "mov", _is_mp4),
    ("WMA", "asf", partial(_starts, _ASF)),
    ("Matroska", "matroska", partial(_starts, b"\x1aE\xdf\xa3")),
    ("AC-3", "ac3", partial(_starts, b"\x0bw")),
    ("AMR", "amr", partial(_starts, b"#!AMR")),
    ("WavPack", "wv", partial(_starts, b"wvpk")),
)


def _open(name: str, container: str, source: Bytes | str) -> AudioStream:
    return ffmpeg.open_stream(name, source, container)


OTHERS = tuple(
    AudioFormat(name, recognize, partial(_open, name, container), partial(_open, name, container))
    for name, container, recognize in _ROWS
)
