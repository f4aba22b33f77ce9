"""Windows of files that the GPU decodes, and the signals that follow from them."""

from __future__ import annotations

from dataclasses import dataclass

from ...engine.arrays import Array
from .decode import result_length, target_rate, window
from .flac_streams import FlacStreams
from .formats import flac, wav
from .formats.base import AudioHeader
from .formats.wav import WavLayout


@dataclass(frozen=True)
class GpuWindow:
    """A window of a file that the GPU decodes.

    Attributes:
        header: header of the file.
        start, frames: the first sample, and the number of samples of a channel.
        rate: rate of the result, in Hz.
        length: samples of the result.
    """

    header: AudioHeader
    start: int
    frames: int
    rate: float
    length: int

    @property
    def is_resampled(self) -> bool:
        """Whether the result has another rate than the file."""
        return self.rate != self.header.rate


@dataclass(frozen=True)
class PlainWindow(GpuWindow):
    """A window of a WAV file whose samples lie there as they are.

    Attributes:
        layout: layout of the file.
        content: the bytes of the window.
    """

    layout: WavLayout
    content: Array


@dataclass(frozen=True)
class FlacWindow(GpuWindow):
    """A window of a FLAC file."""


def plain_window(data: Array, rate: float, offset: float, duration: float) -> PlainWindow | None:
    """Return the window of a WAV file that the GPU converts, or None for all others.

    Args:
        data: the file.
        rate: to resample to; 0 or less for none.
        offset, duration: offset and duration of the window in seconds: see `AudioRequest`.
    """
    layout = wav.plain_layout(data)
    if layout is None:
        return None
    header = layout.header
    chosen = _chosen(header, rate, offset, duration)
    block = layout.width * header.channels
    first = layout.offset + chosen[0] * block
    content = data[first : first + chosen[1] * block]
    return PlainWindow(header, *chosen, layout, content)


def flac_window(
    streams: FlacStreams, row: int, rate: float, offset: float, duration: float
) -> FlacWindow | None:
    """Return the window of a FLAC file that the GPU decodes, or None for all others."""
    if not streams.is_plain[row]:
        return None
    frames, hertz, channels = (
        int(column[row]) for column in (streams.samples, streams.rate, streams.channels)
    )
    header = AudioHeader(flac.NAME, frames, hertz, channels, integers=True).checked()
    return FlacWindow(header, *_chosen(header, rate, offset, duration))


def _chosen(
    header: AudioHeader, rate: float, offset: float, duration: float
) -> tuple[int, int, float, int]:
    """Return the start, the number of samples, the rate and the length of the result."""
    target = target_rate(header, rate)
    start, frames = window(header, offset, duration)
    return start, frames, target, result_length(header, frames, target)
