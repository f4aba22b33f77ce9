"""Decode whole FLAC files with dr_flac, through miniaudio: in half of libsndfile's time.

The other half is not libFLAC's. The libsndfile in soundfile's wheels is compiled without
optimization, and copies each sample. dr_flac decodes bytes in memory in one call, which releases
the GIL.

dr_flac leaves out a frame whose checksum does not fit, so that all later samples move. Only a
whole file can tell: its samples are then too few. libsndfile decodes such a file again, and has the
last word. libsndfile also decodes windows that are less than half of a file, and unusual files.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from ....engine.arrays import Array, Bytes
from ..formats.base import AudioHeader, AudioStream
from .sndfile import USUAL_SAMPLES, SndfileStream

_MOST_BITS = 24  # dr_flac cannot decode the difference of two channels of 32 bits


@cache
def _library() -> ModuleType | None:
    """Return the module miniaudio, or None if it is missing or of another interface."""
    try:
        import miniaudio
    except (ImportError, OSError):
        return None
    return miniaudio if hasattr(miniaudio.lib, "ma_dr_flac_open_memory") else None


class DrFlacStream(AudioStream):
    """A FLAC file in memory, decoded by dr_flac as far as that is safe."""

    def __init__(self, format_name: str, data: Bytes, library: ModuleType, decoder: Any) -> None:
        """Take miniaudio, and a decoder of it that is open for the bytes."""
        self._library = library
        self._data = data  # the decoder reads from this memory
        self._decoder = decoder
        self._other: SndfileStream | None = None
        frames, rate, channels = (
            int(number)
            for number in (decoder.totalPCMFrameCount, decoder.sampleRate, decoder.channels)
        )
        self.header = AudioHeader(format_name, frames, rate, channels, integers=True)

    def read(self, start: int, out: Array) -> None:
        if not (2 * len(out) >= self.header.frames and self._read_all(start, out)):
            if self._other is None:
                self._other = SndfileStream(self.header.format, self._data)
            self._other.read(start, out)

    def _read_all(self, start: int, out: Array) -> bool:
        """Decode the file from its start to its end; return whether it is sound."""
        frames = self.header.frames
        whole = out if len(out) == frames else np.empty((frames, out.shape[1]), out.dtype)
        ffi, lib = self._library.ffi, self._library.lib
        name, c_type = _READERS[out.dtype.name]
        got = getattr(lib, name)(self._decoder, frames, ffi.from_buffer(c_type, whole))
        if got < frames or not lib.ma_dr_flac_seek_to_pcm_frame(self._decoder, 0):
            return False
        if whole is not out:
            np.copyto(out, whole[start : start + len(out)])
        return True

    def close(self) -> None:
        if self._other is not None:
            self._other.close()
        if self._decoder is not None:
            self._library.lib.ma_dr_flac_close(self._decoder)
            self._decoder = None


_READERS = {
    "float32": ("ma_dr_flac_read_pcm_frames_f32", "float[]"),
    "int16": ("ma_dr_flac_read_pcm_frames_s16", "short[]"),
    "int32": ("ma_dr_flac_read_pcm_frames_s32", "int[]"),
}


def open_stream(format_name: str, data: Bytes) -> AudioStream | None:
    """Open a FLAC file whose frames follow its metadata; return None if it is libsndfile's."""
    library = _library()
    if library is None:
        return None
    ffi, lib = library.ffi, library.lib
    decoder = lib.ma_dr_flac_open_memory(ffi.from_buffer(data), len(data), ffi.NULL)
    if not decoder:
        return None
    samples = decoder.totalPCMFrameCount * decoder.channels
    is_usual = 0 < samples <= USUAL_SAMPLES * len(data) and decoder.sampleRate > 0
    if not is_usual or decoder.bitsPerSample > _MOST_BITS:
        lib.ma_dr_flac_close(decoder)
        return None
    return DrFlacStream(format_name, data, library, decoder)
