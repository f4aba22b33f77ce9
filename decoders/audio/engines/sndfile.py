"""Decode with libsndfile, through soundfile: everything but the samples of WAV as they are.

libsndfile reads from a file descriptor, so that no callback of Python runs while it decodes and
the GIL stays released. Bytes in memory go into a file in memory first, one a thread, which costs a
tenth of the decoding of FLAC or less.
"""

from __future__ import annotations

import io
import os
import threading
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....engine.errors import MissingDependencyError, install_hint
from ...errors import decode_error
from ..formats.base import AudioHeader, AudioStream, Data, missing_samples


class SndfileTuning(NamedTuple):
    """Numbers of this module.

    Attributes:
        kept_bytes: largest file in memory that a thread keeps for the next sample.
        usual_samples: a byte holds in files that are no claim of silence. More are checked.
        searched_samples: are decoded together to find the damaged ones.
    """

    kept_bytes: int = 16 << 20
    usual_samples: int = 64
    searched_samples: int = 1024


TUNING = SndfileTuning()

_UNKNOWN = 1 << 62  # libsndfile's number of samples where a file does not say one
_FLOATS = ("FLOAT", "DOUBLE", "VORBIS", "OPUS", "MPEG_LAYER_I", "MPEG_LAYER_II", "MPEG_LAYER_III")


def library() -> Any:
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
    return soundfile


@cache
def _file_class() -> Any:
    """Return `SoundFile` without its seek after every read, which searches a frame of FLAC."""
    return type("ForwardFile", (library().SoundFile,), {"seekable": lambda _: False})


class _MemoryFile:
    """A file in memory that holds one sample after the other.

    Attributes:
        process: that made the file.
        size: of the sample in bytes.
        descriptor: of the file.
    """

    def __init__(self) -> None:
        self.process = os.getpid()
        self.size = 0
        self.descriptor = os.memfd_create("penstock-audio")

    def fill(self, data: Data) -> int:
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
    """A file that libsndfile reads: bytes in memory, or a local file."""

    def __init__(self, format_name: str, source: Data | str) -> None:
        """Open a file: its bytes, or its path."""
        self._format = format_name
        self._source = source
        self._soundfile = library()
        self._memory: _MemoryFile | None = None
        self._next = 0  # number of the sample that is decoded next; -1 behind an unknown one
        self._file = self._open(source)
        try:
            self.header = self._header()
            self._check_claim(os.path.getsize(source) if isinstance(source, str) else len(source))
        except BaseException:
            self.close()
            raise

    def _open(self, source: Data | str) -> Any:
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
        integers = file.subtype not in _FLOATS
        header = AudioHeader(self._format, frames, file.samplerate, file.channels, integers)
        return header.checked()

    def _count(self) -> int:
        """Return the number of samples by decoding them, where the file does not say it."""
        memory = np.empty((1 << 16, self._file.channels), np.float32)
        count = 0
        while got := len(self._decoded(memory)):
            count += got
        return count

    def _check_claim(self, nbytes: int) -> None:
        """Raise unless the last sample can be decoded, if the header claims very many."""
        frames, channels = self.header.frames, self.header.channels
        if frames * channels > TUNING.usual_samples * nbytes:
            self.read(frames - 1, np.empty((1, channels), np.float32))

    def read(self, start: int, out: NDArray[Any]) -> None:
        if not len(out):
            return
        got = len(self._decoded(out, start))
        if got < len(out):
            raise missing_samples(self.header, got, len(out))

    def _decoded(self, out: NDArray[Any], start: int | None = None) -> NDArray[Any]:
        """Decode into `out` from sample `start` on, or on from the last one; return what came."""
        if start is not None and start != self._next:
            try:
                self._file.seek(start)
            except self._soundfile.LibsndfileError as error:
                raise self._error(error, f"find sample {start}") from error
        try:
            decoded: NDArray[Any] = self._file.read(out=out)
        except self._soundfile.LibsndfileError as error:
            raise self._error(error, self._what(start)) from error
        self._next = -1 if start is None else start + len(decoded)
        return decoded

    def _what(self, start: int | None) -> str:
        """Say what cannot be decoded: the first samples behind `start` that fail alone."""
        if start is None:
            return "decode the data"
        self.close()  # its state is that of the error
        block = np.empty((TUNING.searched_samples, self.header.channels), np.float32)
        self._next = 0
        self._file = self._open(self._source)
        with suppress(self._soundfile.LibsndfileError):
            self._file.seek(start)
            while len(self._file.read(out=block)) == len(block):
                start += len(block)
        self._next = -1
        return f"decode the samples from {start} on"

    def _error(self, error: Exception, what: str) -> Exception:
        problem = getattr(error, "error_string", str(error)).rstrip(".")
        return decode_error(self._format, f"libsndfile cannot {what}: {problem}")

    def close(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()
        if self._memory is not None and self._memory.size <= TUNING.kept_bytes:
            _THREAD.file = self._memory
        self._memory = None


def open_stream(format_name: str, data: Data) -> AudioStream:
    """Open a whole file in memory."""
    return SndfileStream(format_name, data)
