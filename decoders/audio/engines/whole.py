"""Signals that are decoded when a file is opened, because the file does not state their length."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ....engine.arrays import Array
from ...errors import decode_error
from ..formats.base import AudioHeader, AudioStream

MOST_VALUES = 2**28
"""Largest signal, in numbers of all channels: 1 GiB, or 50 minutes of stereo at 44.1 kHz."""


class WholeStream(AudioStream):
    """A decoded file: float32, (samples, channels)."""

    def __init__(self, header: AudioHeader, samples: NDArray[np.float32]) -> None:
        self.header = header
        self._samples = samples

    def read(self, start: int, out: Array) -> None:
        np.copyto(out, self._samples[start : start + len(out)])


class WholeSignal:
    """Collects the blocks of a signal of unknown length.

    Args:
        header: header of the file; its number of samples does not count.
    """

    def __init__(self, header: AudioHeader) -> None:
        self._header = replace(header, integers=False)
        self._blocks = [np.empty((0, header.channels), np.float32)]
        self._values = 0

    def append(self, block: NDArray[np.float32]) -> None:
        """Copy a block of samples, (samples, channels).

        Raises:
            DecodeError: the signal becomes too long.
        """
        self._values += block.size
        if self._values > MOST_VALUES:
            raise decode_error(
                self._header.format,
                f"the file states no length, and holds more than {MOST_VALUES} samples",
                expected="a shorter file, or one that states its length",
                remedy="`ffmpeg -i IN OUT.flac` makes such a file.",
            )
        self._blocks.append(block.copy())

    def stream(self, leader: int = 0) -> WholeStream:
        """Return the signal without its first `leader` samples."""
        samples = np.concatenate(self._blocks)[leader:]
        return WholeStream(replace(self._header, frames=len(samples)), samples)
