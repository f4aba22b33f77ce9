"""The common parts of audio formats: the header, the stream, the row of the table, the errors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from ....engine.arrays import Array, Bytes
from ....engine.errors import DecodeError
from ...errors import decode_error

SIGNATURE_BYTES = 64
"""Bytes of a file that `AudioFormat.recognize` gets."""

LARGEST_RATE = 2**31 - 1  # Hz
MOST_CHANNELS = 1024  # libsndfile's limit
CONVERT = "Convert the file, for instance to FLAC."


@dataclass(frozen=True, slots=True)
class AudioHeader:
    """The header of an encoded file: facts of its signal.

    Attributes:
        format: the name of the format, as in the table.
        frames: samples of each channel.
        rate: in Hz.
        channels: number of channels.
        integers: whether the samples are stored as integers, so that decoding to integers need
            not go through floats.
    """

    format: str
    frames: int
    rate: int
    channels: int
    integers: bool

    def checked(self) -> AudioHeader:
        """Return the header; raise DecodeError for numbers that no signal has."""
        if not 1 <= self.rate <= LARGEST_RATE:
            raise decode_error(
                self.format,
                f"the header says {self.rate} Hz",
                expected=f"a rate from 1 to {LARGEST_RATE} Hz",
            )
        if not 1 <= self.channels <= MOST_CHANNELS:
            raise decode_error(
                self.format,
                f"the header says {self.channels} channels",
                expected=f"1 to {MOST_CHANNELS} channels",
            )
        return self


class AudioStream(ABC):
    """An encoded file, opened: a context manager. One thread uses it.

    Attributes:
        header: header of the file.
    """

    header: AudioHeader

    @abstractmethod
    def read(self, start: int, out: Array) -> None:
        """Decode samples from number `start` on, as many as `out` has rows.

        Args:
            start: number of the first sample; sample-exact, also in lossy formats.
            out: C-contiguous (samples, channels), float32 with a range of -1 to 1, or int16 or
                int32 if `header.integers`.

        Raises:
            DecodeError: the samples are damaged or missing.
        """

    def __enter__(self) -> AudioStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:  # noqa: B027  (most streams hold nothing)
        """Release what the stream holds."""


@dataclass(frozen=True, slots=True)
class AudioFormat:
    """One format of audio. The functions are pure and may run in several threads.

    Attributes:
        name: the name in errors and in `AudioHeader.format`.
        recognize: returns whether a file that starts with these bytes is of this format. The
            function gets the first `SIGNATURE_BYTES` bytes of the file, or fewer.
        open: opens a whole file in memory; raises DecodeError if the file is not complete.
        open_file: opens a local file, by its path, and reads no more than is decoded, if possible.
    """

    name: str
    recognize: Callable[[bytes], bool]
    open: Callable[[Bytes], AudioStream]
    open_file: Callable[[str], AudioStream]


def missing_samples(header: AudioHeader, got: int, wanted: int) -> DecodeError:
    """Return the error for a file that holds fewer samples than its header says."""
    return decode_error(
        header.format,
        f"{got} samples could be decoded where {wanted} should follow: the file, of "
        f"{header.frames} samples by its header, is damaged or cut off",
    )


def check_extent(name: str, data: Bytes, offset: int, size: int) -> None:
    """Raise DecodeError unless `size` bytes of samples lie inside the file from `offset` on."""
    if offset + size > len(data):
        raise decode_error(
            name,
            f"the data ends at byte {len(data)} inside the samples",
            expected=f"{size} bytes of samples from byte {offset} on",
        )
