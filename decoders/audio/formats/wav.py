"""WAV: samples as they are (8 to 32-bit integers, floats), decoded by NumPy.

Format: RFC 2361 and Microsoft's "Multiple Channel Audio Data and WAVE Files"; RF64 by EBU Tech
3306. Compressed samples (ADPCM, A-law ...) and big-endian RIFX files are libsndfile's.

Writers that cannot seek state the largest size, 0x7FFF0000 or more, often less the header and the
rest of a block: the data then end with the file, unless whole chunks follow them. So they do if a
writer was stopped before it stated a size: both sizes are 0 then, or near. Every other size must
fit: a file that ends inside its data is cut off.
"""

from __future__ import annotations

import os
import struct
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....engine.arrays import Array, Bytes, DType
from ...errors import decode_error
from ..engines import sndfile
from . import chunks, mp3
from .base import CONVERT, AudioHeader, AudioStream, check_extent, missing_samples

NAME = "WAV"
_FIELDS = struct.Struct("<HHIIHH")
_INTEGERS, _FLOATS, _EXTENSIBLE = 1, 3, 0xFFFE
_MPEG = (0x50, 0x55)  # layers I and II, and MP3
_SUBFORMAT_TAIL = bytes.fromhex("000000001000800000aa00389b71")
_STORED: dict[tuple[int, int], DType] = {
    (_INTEGERS, 1): np.dtype("u1"),
    (_INTEGERS, 2): np.dtype("<i2"),
    (_INTEGERS, 3): np.dtype("<i4"),
    (_INTEGERS, 4): np.dtype("<i4"),
    (_FLOATS, 4): np.dtype("<f4"),
    (_FLOATS, 8): np.dtype("<f8"),
}
_UNKNOWN_SIZE = 0x7FFF0000  # sizes from here on stand in files of writers that could not seek
_SIZES_OF_PIPES = (0x7FFF, 0xFFFF)  # their upper 16 bits, where the file may hold more
_UNFINISHED_RIFF = 8  # the size of a file, less its first 8 bytes, before a writer knows the size
_RF64_UNKNOWN = 0xFFFFFFFF


def recognize(head: bytes) -> bool:
    """Return whether a file starts as a WAV file."""
    return head[:4] in (b"RIFF", b"RF64", b"RIFX") and head[8:12] == b"WAVE"


class WavLayout(NamedTuple):
    """Place and coding of the samples in a file.

    Attributes:
        header: header of the file.
        stored: dtype of a sample. Samples of 24 bits are the upper bytes of int32.
        offset: offset of the first sample in bytes.
        width: width of a sample in bytes.
    """

    header: AudioHeader
    stored: DType
    offset: int
    width: int


class Samples(NamedTuple):
    """The samples in a file: the fields of their format, their offset, and their size in bytes."""

    fields: tuple[int, ...]
    offset: int
    size: int


def find_samples(data: Bytes) -> Samples:
    """Return where the samples of a whole file lie.

    Raises:
        DecodeError: the file is damaged or cut off.
    """
    view = data.data
    fields: tuple[int, ...] | None = None
    long_size = -1
    for chunk in chunks.walk(view, 12, "little"):
        if chunk.name == b"ds64":
            long_size = int.from_bytes(view[chunk.offset + 8 : chunk.offset + 16], "little")
        elif chunk.name == b"fmt ":
            fields = _format_fields(view, chunk)
        elif chunk.name == b"data":
            if fields is None:
                raise decode_error(NAME, "samples before their format", at=chunk.offset - 8)
            size = long_size if chunk.size == _RF64_UNKNOWN and long_size >= 0 else chunk.size
            return Samples(fields, chunk.offset, _data_size(data, chunk.offset, size))
        elif not (chunk.name.isascii() and chunk.name.decode().isprintable()):
            raise decode_error(
                NAME,
                f"a chunk is named {chunk.name!r}",
                at=chunk.offset - 8,
                expected="printable characters of ASCII",
            )
    raise decode_error(NAME, f"no chunk of samples in {len(view)} bytes", expected="'data'")


def _format_fields(view: memoryview, chunk: chunks.Chunk) -> tuple[int, ...]:
    if chunk.size < _FIELDS.size or chunk.offset + chunk.size > len(view):
        raise decode_error(
            NAME,
            f"a format chunk of {chunk.size} bytes in a file of {len(view)}",
            at=chunk.offset - 8,
            expected=f"at least {_FIELDS.size} bytes inside the file",
        )
    fields = _FIELDS.unpack_from(view, chunk.offset)
    if fields[0] != _EXTENSIBLE or chunk.size < 40:
        return fields
    codec = view[chunk.offset + 24 : chunk.offset + 40]
    known = bytes(codec[2:]) == _SUBFORMAT_TAIL
    return (int.from_bytes(codec[:2], "little") if known else _EXTENSIBLE, *fields[1:])


def _data_size(data: Bytes, offset: int, size: int) -> int:
    """Return the size of the samples: the stated one, or the rest of the file if it is unknown."""
    left = len(data) - offset
    riff_size = int.from_bytes(data[4:8].tobytes(), "little")
    is_unfinished = size == 0 and riff_size <= _UNFINISHED_RIFF
    is_unknown = size >= _UNKNOWN_SIZE and (size > left or _goes_on(data, offset, size))
    if is_unfinished or is_unknown:
        return left
    check_extent(NAME, data, offset, size)
    return size


def _goes_on(data: Bytes, offset: int, size: int) -> bool:
    """Return whether samples go on behind a size of a pipe, because no chunks follow."""
    if size >> 16 not in _SIZES_OF_PIPES:
        return False
    end = offset + size
    while end < len(data):
        head = data[end + end % 2 :][:8].tobytes()
        if len(head) < 8 or not all(0x20 <= byte < 0x7F for byte in head[:4]):
            return True
        end += end % 2 + 8 + int.from_bytes(head[4:], "little")
    return end > len(data)


def _layout(samples: Samples) -> WavLayout | None:
    """Return the layout of samples, or None if they are encoded."""
    fields, offset, size = samples
    codec, channels, rate, _, block, bits = fields
    if codec not in (_INTEGERS, _FLOATS):
        return None
    frames = size // block if block else 0
    header = AudioHeader(NAME, frames, rate, channels, codec == _INTEGERS).checked()
    width, rest = divmod(block, channels)
    stored = _STORED.get((codec, width))
    if stored is None or rest or not 0 < bits <= 8 * width:
        raise decode_error(
            NAME,
            f"{bits} bits a sample in blocks of {block} bytes for {channels} channels",
            expected="integers of 8 to 32 bits, or floats of 32 or 64",
            remedy=CONVERT,
        )
    return WavLayout(header, stored, offset, width)


class WavStream(AudioStream):
    """The samples of a WAV file in memory."""

    def __init__(self, data: Bytes, layout: WavLayout) -> None:
        self.header = layout.header
        self._width = width = layout.width
        self._samples: Array = np.ndarray(
            (layout.header.frames * layout.header.channels,),
            layout.stored,
            data.data,
            layout.offset - (layout.stored.itemsize - width),  # a header precedes the samples
            (width,),
        )

    def read(self, start: int, out: Array) -> None:
        first = start * self.header.channels
        convert(self._samples[first : first + out.size], self._width, out.reshape(-1))


class WavFile(AudioStream):
    """The samples of a local WAV file, which are read as they are asked for."""

    def __init__(self, path: str, layout: WavLayout) -> None:
        self.header = layout.header
        self._path = path
        self._layout = layout

    def read(self, start: int, out: Array) -> None:
        layout, width = self._layout, self._layout.width
        before = layout.stored.itemsize - width
        offset = layout.offset + start * layout.header.channels * width - before
        stored = np.fromfile(self._path, np.uint8, before + out.size * width, offset=offset)
        whole = (len(stored) - before) // (width * layout.header.channels)
        if whole < len(out):
            raise missing_samples(self.header, whole, len(out))
        part = layout._replace(header=replace(self.header, frames=len(out)), offset=before)
        WavStream(stored, part).read(0, out)


def convert(stored: Array, width: int, out: Array) -> None:
    """Write stored samples to `out`: floats from -1 to 1, or integers of their highest bits.

    Args:
        stored: as `WavLayout.stored` says.
        width: width of a sample in bytes.
        out: float32, int16 or int32; integers only if `stored` are.
    """
    if stored.dtype.kind == "f":
        np.copyto(out, stored, casting="same_kind")
    elif out.dtype.kind == "f":
        _to_float(stored, width, out)
    else:
        _to_integers(stored, width, out)


def _to_float(stored: Array, width: int, out: NDArray[np.float32]) -> None:
    if width == 3:
        wide = out.view(np.int32)
        np.bitwise_and(stored, ~0xFF, out=wide)
        stored = wide
    scale = np.float32(2.0 ** (1 - 8 * stored.dtype.itemsize))
    np.multiply(stored, scale, out=out, casting="same_kind")
    if width == 1:
        np.subtract(out, np.float32(1), out=out)


def _to_integers(stored: Array, width: int, out: Array) -> None:
    up = 8 * (out.dtype.itemsize - stored.dtype.itemsize)
    if up < 0:
        np.copyto(out, stored >> -up, casting="unsafe")
        return
    np.copyto(out, stored, casting="unsafe")
    if width == 1:
        np.subtract(out, out.dtype.type(128), out=out)
    if width == 3:
        np.bitwise_and(out, ~0xFF, out=out)
    np.left_shift(out, out.dtype.type(up), out=out)


def plain_layout(data: Bytes) -> WavLayout | None:
    """Return the layout of a file whose samples lie in it as they are; None for all other files.

    Raises:
        DecodeError: the file is WAV, but damaged or cut off.
    """
    return _layout(find_samples(data)) if _is_little_endian(data) else None


def open_stream(data: Bytes) -> AudioStream:
    """Open a whole file."""
    if not _is_little_endian(data):
        return sndfile.open_stream(NAME, data)
    samples = find_samples(data)
    if samples.fields[0] in _MPEG:
        return mp3.open_stream(data[samples.offset : samples.offset + samples.size])
    layout = _layout(samples)
    return sndfile.open_stream(NAME, data) if layout is None else WavStream(data, layout)


def open_file(path: str) -> AudioStream:
    """Open a local file. A file of MPEG audio is read whole."""
    if os.path.getsize(path) > _UNKNOWN_SIZE:  # libsndfile takes a size of a pipe at its word
        layout = plain_layout(np.memmap(path, np.uint8, "r").view(np.ndarray))
        if layout is not None:
            return WavFile(path, layout)
    stream = sndfile.SndfileStream(NAME, path)
    if not stream.is_mpeg:
        return stream
    stream.close()
    return open_stream(np.fromfile(path, np.uint8))


def _is_little_endian(data: Bytes) -> bool:
    head = data[:12].tobytes()
    return recognize(head) and head[:4] != b"RIFX"
