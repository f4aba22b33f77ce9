"""Decode with libsndfile, through soundfile: everything but the samples of WAV as they are.

libsndfile reads from a file descriptor, so that no callback of Python runs while it decodes and
the GIL stays released. Bytes in memory go into a file in memory first, one a thread, which costs a
tenth of the decoding of FLAC or less.

libsndfile's seek is exact only for samples and frames that stand alone. So `_first_decoded` says
where to decode from, such that a window holds the samples of the whole file.
"""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....engine.arrays import Array, Bytes
from ....engine.errors import DecodeError, MissingDependencyError, install_hint
from ...errors import decode_error
from ..formats.base import AudioHeader, AudioStream, missing_samples
from .whole import WholeSignal

_KEPT_BYTES = 16 << 20
"""Largest file in memory that a thread keeps for the next sample."""

USUAL_SAMPLES = 64
"""Samples that a byte holds in files that are no claim of silence. More are checked."""

_SEARCHED_SAMPLES = 1024
"""Samples that are decoded together to find the damaged ones."""

_BLOCK = 1 << 16
"""Samples that are decoded together where their number is unknown."""

_MPEG_BLOCK = 1152
"""The samples of one frame of MPEG audio, at most."""

_MPEG_PREROLL = 64 * _MPEG_BLOCK
"""Samples that are decoded before a window of MP3. A frame borrows up to 511 bytes of the frames
before. These are 50 frames at the lowest rates of bits."""

_OGG_PREROLL = {"OPUS": 48000, "VORBIS": 8192}
"""Samples that are decoded before a window of Ogg. The state of Opus fades. A block of Vorbis
overlaps with the next."""

_UNKNOWN = 1 << 62  # libsndfile's number of samples where a file does not say one
_MPEG = "MPEG_LAYER_"  # I, II or III
_FLOATS = ("FLOAT", "DOUBLE", "VORBIS", "OPUS", "MPEG_LAYER_I", "MPEG_LAYER_II", "MPEG_LAYER_III")
_STAND_ALONE = ("PCM_", "FLOAT", "DOUBLE", "ULAW", "ALAW", "IMA_ADPCM", "MS_ADPCM", "ALAC_")


def library() -> ModuleType:
    """Return the module soundfile.

    Raises:
        MissingDependencyError: the module, or the library libsndfile, is missing.
    """
    try:
        import soundfile
    except (ImportError, OSError) as error:
        raise MissingDependencyError(
            f"decoding audio needs soundfile, which cannot be loaded ({error}): "
            f"{install_hint('audio')}"
        ) from error
    module: ModuleType = soundfile
    return module


@cache
def _file_class() -> Any:
    """Return `SoundFile` without its seek after every read, which searches a frame of FLAC."""
    return type("ForwardFile", (library().SoundFile,), {"seekable": lambda _: False})


class _MemoryFile:
    """A file in memory that holds one sample after the other.

    Attributes:
        process: process that made the file.
        size: size of the sample in bytes.
        descriptor: descriptor of the file.
    """

    def __init__(self) -> None:
        self.process = os.getpid()
        self.size = 0
        self.descriptor = os.memfd_create("penstock-audio")

    def fill(self, data: Bytes) -> int:
        """Write the bytes, and return the descriptor, which is at their start."""
        os.truncate(self.descriptor, len(data))
        self.size = len(data)
        view, written = data.data, 0
        while written < len(data):
            written += os.pwrite(self.descriptor, view[written:], written)
        os.lseek(self.descriptor, 0, os.SEEK_SET)
        return self.descriptor

    def __del__(self) -> None:
        os.close(self.descriptor)


_THREAD = threading.local()


def _lent_file() -> _MemoryFile:
    """Return the thread's file, which no other stream uses then, or a new one."""
    kept: _MemoryFile | None = _THREAD.__dict__.pop("file", None)
    # After a fork, the parent writes to the file.
    return kept if kept is not None and kept.process == os.getpid() else _MemoryFile()


class SndfileStream(AudioStream):
    """A file that libsndfile reads: bytes in memory, or a local file.

    Args:
        format_name: for errors.
        source: the bytes, or the path.
        inexact_end: samples at the end that libsndfile does not find by a seek.
        states_length: whether the file states the number of its samples. If not,
            `header.frames` is libsndfile's guess.

    Attributes:
        is_mpeg: whether the samples are MPEG audio.
    """

    def __init__(
        self,
        format_name: str,
        source: Bytes | str,
        *,
        inexact_end: int = 0,
        states_length: bool = True,
    ) -> None:
        self._format = format_name
        self._source = source
        self._soundfile = library()
        self._memory: _MemoryFile | None = None
        self._next = 0  # number of the sample that is decoded next; -1 behind an unknown one
        self._file = self._open(source)
        try:
            self._subtype: str = self._file.subtype
            self.is_mpeg = self._subtype.startswith(_MPEG)
            self.header = self._header()
            self._last_exact = self.header.frames - inexact_end
            if states_length:
                nbytes = os.path.getsize(source) if isinstance(source, str) else len(source)
                self._check_claim(nbytes)
        except BaseException:
            self.close()
            raise

    def _open(self, source: Bytes | str) -> Any:
        try:
            if isinstance(source, str):
                return _file_class()(source)
            if not hasattr(os, "memfd_create"):
                return _file_class()(io.BytesIO(source.data))
            self._memory = _lent_file()
            return _file_class()(self._memory.fill(source), closefd=False)
        except self._soundfile.LibsndfileError as error:
            raise self._error(error, "decode the data") from error

    def _header(self) -> AudioHeader:
        file = self._file
        frames = file.frames if file.frames < _UNKNOWN else self._count()
        integers = self._subtype not in _FLOATS
        header = AudioHeader(self._format, frames, file.samplerate, file.channels, integers)
        return header.checked()

    def _count(self) -> int:
        """Return the number of samples by decoding them, where the file does not say it."""
        return sum(map(len, self.blocks(_BLOCK)))

    def blocks(self, size: int) -> Iterator[NDArray[np.float32]]:
        """Decode on to the end; yield blocks of at most `size` samples, all in one memory."""
        memory = np.empty((size, self._file.channels), np.float32)
        while len(block := self._decoded(memory)):
            yield block

    def _check_claim(self, nbytes: int) -> None:
        """Raise unless the last sample can be decoded, if the header claims very many."""
        frames, channels = self.header.frames, self.header.channels
        if frames * channels > USUAL_SAMPLES * nbytes:
            self.read(frames - 1, np.empty((1, channels), np.float32))

    def read(self, start: int, out: Array) -> None:
        if not len(out):
            return
        first = self._first_decoded(start)
        if start != self._next and first < start:
            self._skip(first, start)
        got = len(self._decoded(out, start))
        if got < len(out):
            raise missing_samples(self.header, got, len(out))

    def _first_decoded(self, start: int) -> int:
        """Return the sample to decode from, so that `start` is that of the whole file."""
        if self._subtype.startswith(_STAND_ALONE):
            return start
        if self.is_mpeg:
            return max(0, start - _MPEG_PREROLL)
        if self._subtype in _OGG_PREROLL:
            return max(0, min(start, self._last_exact) - _OGG_PREROLL[self._subtype])
        return 0  # each sample is the difference to the one before

    def _skip(self, first: int, start: int) -> None:
        """Decode from sample `first` on up to sample `start`."""
        memory = np.empty((min(_BLOCK, start - first), self.header.channels), np.float32)
        while first < start:
            got = len(self._decoded(memory[: start - first], first))
            if not got:
                raise missing_samples(self.header, first, start)
            first += got

    def _decoded(self, out: Array, start: int | None = None) -> Array:
        """Decode into `out` from sample `start` on, or on from the last one; return what came."""
        if start is not None and start != self._next:
            self._go_to(start)
        try:
            decoded: Array = self._file.read(out=out)
        except self._soundfile.LibsndfileError as error:
            raise self._error(error, self._what(start)) from error
        self._next = -1 if start is None else start + len(decoded)
        return decoded

    def _go_to(self, start: int) -> None:
        if not self._subtype.startswith(_STAND_ALONE):
            # A seek is right from the start of the file alone, and does not reset every decoder.
            self._reopen()
        if start == self._next:
            return
        try:
            self._file.seek(start)
        except self._soundfile.LibsndfileError as error:
            raise self._error(error, f"find sample {start}") from error

    def _reopen(self) -> None:
        self.close()
        self._next = 0
        self._file = self._open(self._source)

    def _what(self, start: int | None) -> str:
        """Say what cannot be decoded: the first samples behind `start` that fail alone."""
        if start is None:
            return "decode the data"
        self._reopen()  # the decoder's state is that of the error
        block = np.empty((_SEARCHED_SAMPLES, self.header.channels), np.float32)
        with suppress(self._soundfile.LibsndfileError):
            self._file.seek(start)
            while len(self._file.read(out=block)) == len(block):
                start += len(block)
        self._next = -1
        return f"decode the samples from {start} on"

    def _error(self, error: Exception, part: str) -> Exception:
        problem = getattr(error, "error_string", str(error)).rstrip(".")
        return decode_error(self._format, f"libsndfile cannot {part}: {problem}")

    def close(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()
        if self._memory is not None and self._memory.size <= _KEPT_BYTES:
            _THREAD.file = self._memory
        self._memory = None

    def is_read(self) -> bool:
        """Return whether libsndfile has read the bytes in memory to their end."""
        return self._memory is not None and (
            os.lseek(self._memory.descriptor, 0, os.SEEK_CUR) >= self._memory.size
        )


def open_stream(format_name: str, data: Bytes) -> AudioStream:
    """Open a whole file in memory."""
    return SndfileStream(format_name, data)


def decode_whole(format_name: str, data: Bytes, leader: int = 0) -> AudioStream:
    """Decode a whole file that does not state the number of its samples.

    Args:
        format_name: for errors.
        data: the bytes of the file.
        leader: samples at the start that are left out.

    Raises:
        DecodeError: the file is damaged, or too long.
    """
    try:
        return _decode_blocks(format_name, data, leader, _BLOCK)
    except DecodeError:
        # libsndfile drops the whole block in which the data end within a frame.
        return _decode_blocks(format_name, data, leader, _MPEG_BLOCK)


def _decode_blocks(format_name: str, data: Bytes, leader: int, size: int) -> AudioStream:
    stream = SndfileStream(format_name, data, states_length=False)
    with stream:
        decoded = WholeSignal(stream.header)
        try:
            for block in stream.blocks(size):
                decoded.append(block)
        except DecodeError:
            if not (size == _MPEG_BLOCK and stream.is_read()):
                raise
    signal = decoded.stream(leader)
    if not signal.header.frames:
        raise decode_error(format_name, "no sample can be decoded")
    return signal
