"""The audio track of a video, by time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array
from ...engine.errors import DecodeError
from ...formats.media_ends import MediaFile
from ...formats.video.library import decoded, open_container, packets_of, seek, time_base_of
from .stamps import Grid, Stamps

if TYPE_CHECKING:
    from av import AudioFrame

_PREROLL = 0.5
"""Seconds that are decoded before a window. MP3 needs 0.3 s, Opus 0.08 s, AAC and Vorbis one packet
until the decoder's state is that of a decoder that came from the front."""

_MOST_BEFORE = 10
"""Seconds before a window where the search goes on, if a container seeks to a later packet."""

_FIRST_FRAMES = 100
"""Number of frames that tell where the track's frames begin, if time stamps are rounded."""


class SoundTrack:
    """The best audio stream of a video, for one thread at a time.

    Samples are numbered by their time: sample n is the sound at n / `rate` seconds, by the clock
    of the frames' times. The numbers follow what the file states: encoders' delays, edit lists,
    late starts and gaps.

    Args:
        file: path, or a file object.

    Attributes:
        rate: samples a second.
        channels: number of channels.

    Raises:
        DecodeError: this is no video, or it has no audio stream.
    """

    def __init__(self, file: MediaFile) -> None:
        self._container, self._stream = open_container(file, "audio")
        self._time_base = time_base_of(self._stream)
        codec = self._stream.codec_context
        self.rate, self.channels = int(codec.sample_rate), int(codec.layout.nb_channels)
        if self.rate <= 0 or self.channels <= 0:
            self.close()
            raise DecodeError("the file does not state rate and channels of its audio stream")
        self._stamps = Stamps(self.rate, float(self._time_base * self.rate))
        self._start = self._in_samples(self._stream.start_time or 0)
        self._grid: Grid | None = None
        if self._stamps.tick > 1:
            first = list(islice(self._frames(float("inf")), _FIRST_FRAMES))
            if first:
                self._grid = self._stamps.grid(*self._stamps_of(first))

    def close(self) -> None:
        """Close the file."""
        self._container.close()

    def read(self, first: int, out: NDArray[np.float32]) -> None:
        """Decode samples from number `first` on, as many as `out` has rows: (samples, channels).

        Where the track has no samples, `out` gets zeros.

        Raises:
            DecodeError: a packet is damaged, or rate or channels change.
        """
        out[:] = 0
        end = first + len(out)
        frames = list(self._window(first, end)) if len(out) else []
        starts = self._stamps.positions(*self._stamps_of(frames), self._grid)
        for start, frame in zip(starts, frames, strict=True):
            low, high = max(first, start), min(end, start + frame.samples)
            if low < high:
                out[low - first : high - first] = samples_of(frame)[low - start : high - start]

    def _window(self, first: int, end: int) -> Iterator[AudioFrame]:
        """Yield the frames that hold these samples, and some before them."""
        # Some containers seek to a later packet than asked for.
        for seconds in (_PREROLL, _MOST_BEFORE, None):
            goal = self._start if seconds is None else first - seconds * self.rate
            self._go_to(max(goal, self._start))
            frames = self._frames(first, end + self._stamps.tick)
            head = next(frames, None)
            if head is not None and self._in_samples(head.pts or 0) <= max(
                first - _PREROLL / 2 * self.rate, self._start + 1
            ):
                break
        if head is not None:
            yield head
        yield from frames

    def _frames(self, first: float = 0, end: float = float("inf")) -> Iterator[AudioFrame]:
        """Yield frames from here on, the first one with a time, up to a packet behind `end`."""
        is_placed = False
        for packet in packets_of(self._container, self._stream):
            time = None if packet.pts is None else self._in_samples(packet.pts)
            if time is not None and time > end:
                return
            frames = decoded(packet)
            if frames is None:
                if time is not None and time >= first:
                    raise self._damaged(packet.pts or 0, "is damaged")
                continue  # the packet after a seek may lack a part
            for frame in frames:
                is_placed = is_placed or frame.pts is not None
                if is_placed:
                    self._check(frame)
                    yield frame

    def _go_to(self, position: float) -> None:
        seek(self._container, self._stream, int(position / self._stamps.tick))

    def _in_samples(self, time: int) -> float:
        return float(time * self._time_base * self.rate)

    def _stamps_of(self, frames: list[AudioFrame]) -> tuple[list[float | None], list[int]]:
        times = [None if frame.pts is None else self._in_samples(frame.pts) for frame in frames]
        return times, [frame.samples for frame in frames]

    def _check(self, frame: AudioFrame) -> None:
        own = frame.sample_rate, frame.layout.nb_channels
        if own != (self.rate, self.channels):
            raise self._damaged(
                frame.pts or 0,
                f"has {own[1]} channels at {own[0]} Hz, but the track begins with {self.channels} "
                f"at {self.rate} Hz; convert the video",
            )

    def _damaged(self, time: int, problem: str) -> DecodeError:
        return DecodeError(f"the audio at {float(time * self._time_base):.3f} s {problem}")


def samples_of(frame: AudioFrame) -> NDArray[np.float32]:
    """Return the samples of a frame as floats from -1 to 1: (samples, channels)."""
    block: Array = frame.to_ndarray()
    block = block.T if frame.format.is_planar else block.reshape(frame.samples, -1)
    result: NDArray[np.float32]
    if block.dtype.kind == "u":
        result = ((block.astype(np.float64) - 128) / 128).astype(np.float32)  # 8 bits
    elif block.dtype.kind == "i":
        result = (block / -float(np.iinfo(block.dtype).min)).astype(np.float32)
    else:
        result = block.astype(np.float32)
    return result
