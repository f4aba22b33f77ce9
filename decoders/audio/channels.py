"""Signals whose channels are selected, or lie in several files."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace

import numpy as np

from ...engine.arrays import Array
from ...engine.errors import DecodeError
from .formats.base import AudioStream
from .table import open_audio_file

_AVERAGE = [-1]


class SelectedStream(AudioStream):
    """Some channels of a signal, as floats.

    Args:
        stream: stream of the whole signal; closed with this one.
        channels: their numbers from 0 on, or -1 alone for the mean of all channels.

    Raises:
        DecodeError: the signal has no such channel.
    """

    def __init__(self, stream: AudioStream, channels: Sequence[int]) -> None:
        self._stream = stream
        self._channels = list(channels)
        header = stream.header
        if self._channels != _AVERAGE and max(channels) >= header.channels:
            stream.close()
            raise DecodeError(
                f"channel_selector names channel {max(channels)}, but the file has "
                f"{header.channels} channels, numbered from 0 on"
            )
        self.header = replace(header, channels=len(self._channels), integers=False)

    def read(self, start: int, out: Array) -> None:
        block = np.empty((len(out), self._stream.header.channels), np.float32)
        self._stream.read(start, block)
        if self._channels == _AVERAGE:
            np.mean(block, axis=1, keepdims=True, out=out)
        else:
            np.copyto(out, block[:, self._channels])

    def close(self) -> None:
        self._stream.close()


class JoinedStream(AudioStream):
    """The channels of several local files of one length, one file after the other.

    Args:
        paths: paths of the files.

    Raises:
        DecodeError: the files differ in rate or length, or one of them is damaged.
        OSError: a file cannot be read.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self._open = ExitStack()
        try:
            self._streams = [self._open.enter_context(open_audio_file(path)) for path in paths]
            headers = [stream.header for stream in self._streams]
            for path, header in zip(paths, headers, strict=True):
                if (header.rate, header.frames) != (headers[0].rate, headers[0].frames):
                    raise DecodeError(
                        f"{path} has {header.frames} samples at {header.rate} Hz, but {paths[0]} "
                        f"has {headers[0].frames} at {headers[0].rate} Hz; the files of one entry "
                        "must be of one length"
                    )
            channels = sum(header.channels for header in headers)
            self.header = replace(headers[0], channels=channels, integers=False).checked()
        except BaseException:
            self._open.close()
            raise

    def read(self, start: int, out: Array) -> None:
        first = 0
        for stream in self._streams:
            block = np.empty((len(out), stream.header.channels), np.float32)
            stream.read(start, block)
            out[:, first : first + block.shape[1]] = block
            first += block.shape[1]

    def close(self) -> None:
        self._open.close()
