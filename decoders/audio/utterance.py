"""Decode the utterances of `fn.readers.nemo_asr`."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array, register
from ...engine.graph.params import FLOAT, param
from .audio_decoder import AudioOperator, encoded
from .channels import JoinedStream, SelectedStream
from .formats.base import AudioStream
from .table import open_audio, open_audio_file


@register
class DecodeUtterance(AudioOperator):
    """Decodes windows of audio.

    Inputs:
        data: a whole file, or the path of a local file: uint8, one dimension. Several paths, with
            zero bytes between them, hold the channels of one recording.
        window: offset and duration in seconds (negative for the rest), and 1 for a path: float64,
            shape (3,); the selected channels behind them, or -1 for the mean of all.

    Outputs:
        the signal: see `fn.decoders.audio`.
        the rate of the file in Hz: float32, a scalar.

    Raises:
        DecodeError: the audio is damaged, or the window starts behind its end.
        OSError: the file of a path cannot be read.
    """

    name = "_decode_utterance"
    called = "fn.readers.nemo_asr"
    inputs = ("data", "window")
    outputs = 2

    sample_rate = param(FLOAT, -1.0, "Rate to resample to, in Hz; 0 or less for the file's own.")

    def sample(self, workspace: Workspace, data: Array, window: Array) -> tuple[Array, Any]:
        offset, duration, is_path, *channels = window.tolist()
        with _opened(data, is_path=bool(is_path), channels=list(map(int, channels))) as stream:
            signal = self.decode_window(workspace, stream, self.sample_rate, offset, duration)
            return signal, np.float32(stream.header.rate)


def _opened(data: Array, *, is_path: bool, channels: list[int]) -> AudioStream:
    if not is_path:
        stream = open_audio(encoded(data))
    else:
        paths = [os.fsdecode(path) for path in data.tobytes().split(b"\0")]
        stream = open_audio_file(paths[0]) if len(paths) == 1 else JoinedStream(paths)
    return SelectedStream(stream, channels) if channels else stream
