"""The sound of a span of a video, mixed down and resampled by the decoder of audio."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array
from ...engine.errors import DecodeError
from ...engine.graph.context import Workspace
from ...signals.sinc import lobes_of
from ..audio.decode import AudioRequest, decode, target_rate
from ..audio.formats.base import AudioHeader, AudioStream
from .sound import SoundTrack

_QUALITY = 50.0  # the default of `fn.decoders.audio`
_MOST_SAMPLES = 1 << 27
"""Of all channels of a clip's sound, before and after resampling: 23 minutes of stereo at 48 kHz.
The time of a file's last frame, which no data need to support, decides how long the sound is."""

_GUARD = 1e-4
"""Samples. A frame that begins at sample n to rounding begins with sample n."""


def decode_span(
    track: SoundTrack,
    span: tuple[float, float],
    workspace: Workspace,
    *,
    rate: float,
    downmix: bool,
    output: int = 0,
) -> tuple[NDArray[np.float32], np.float32]:
    """Return the sound of a span, and its rate.

    The span has the samples whose times are in [start, end). Spans that follow one another have
    each sample once. Resampling to a lower rate removes the frequencies that this rate cannot hold.

    Args:
        track: track of the video.
        span: start and end in seconds.
        workspace: gives the memory.
        rate: to resample to, in Hz; 0 or less for the track's own.
        downmix: whether to return the mean of the channels.
        output: number of the operator's output.

    Returns:
        float32, (samples, channels), or (samples,) with `downmix`; and Hz.

    Raises:
        DecodeError: the track is damaged, or the span is too long.
    """
    first, end = (math.ceil(time * track.rate - _GUARD) for time in span)
    longest = max(0.0, span[1] - span[0]) * max(track.rate, rate)
    if longest * track.channels > _MOST_SAMPLES:
        raise DecodeError(
            f"the clip's sound lasts from {span[0]:.3f} s to {span[1]:.3f} s, with "
            f"{track.channels} channels at {max(track.rate, rate):g} Hz; the limit is "
            f"{_MOST_SAMPLES} samples of all channels: take shorter clips"
        )
    request = AudioRequest(
        np.dtype(np.float32),
        downmix,
        rate,
        lobes_of(_QUALITY),
        True,
        0.0,
        -1.0,
        partial(workspace.empty, output=output),
        workspace.scratch,
    )
    stream = _Span(track, first, max(0, end - first))
    return decode(stream, request), np.float32(target_rate(stream.header, rate))


class _Span(AudioStream):
    """A span of a track as a stream of its own."""

    def __init__(self, track: SoundTrack, first: int, count: int) -> None:
        self._track = track
        self._first = first
        self.header = AudioHeader("a video", count, track.rate, track.channels, integers=False)

    def read(self, start: int, out: Array) -> None:
        """See `AudioStream.read`."""
        self._track.read(self._first + start, out)
