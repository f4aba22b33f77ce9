"""The times of a video's frames, read from its packets without decoding."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import DecodeError
from .library import pyav, seek

Int64s = NDArray[np.int64]


@dataclass(frozen=True)
class FrameIndex:
    """The frames of a video in the order of their presentation.

    Attributes:
        times: presentation times in units of `time_base`, ascending, all different: (frames,).
        keys: numbers of the key frames, ascending; decoding can start there: (keys,).
        key_seeks: for each key frame the time that finds its packet, by decoding time: (keys,).
        time_base: seconds of a unit.
        end: time at which the last frame ends.
    """

    times: Int64s
    keys: Int64s
    key_seeks: Int64s
    time_base: Fraction
    end: int

    def __len__(self) -> int:
        return len(self.times)

    @property
    def seconds(self) -> NDArray[np.float64]:
        """Presentation times in seconds, the first frame's being what the file says."""
        return self.times.astype(np.float64) * float(self.time_base)

    def span(self, numbers: Int64s) -> tuple[float, float]:
        """Return when the first of these frames begins and the last one ends, in seconds.

        Args:
            numbers: of frames, in any order; -1 stands for a frame that is filled. Without any
                frame the span is empty.
        """
        own = numbers[numbers >= 0]
        if not own.size:
            return 0.0, 0.0
        first, behind = int(own.min()), int(own.max()) + 1
        end = self.times[behind] if behind < len(self) else self.end
        return (float(self.times[first] * self.time_base), float(int(end) * self.time_base))

    def key_of(self, number: int) -> int:
        """Return the entry, in `keys`, of the last key frame that is not behind a frame."""
        return int(np.searchsorted(self.keys, number, "right")) - 1

    def number_of(self, time: int | None) -> int | None:
        """Return the number of the frame with this time; None if there is none."""
        if time is None:
            return None
        number = int(np.searchsorted(self.times, time))
        return number if number < len(self) and self.times[number] == time else None


def read_index(container: Any, stream: Any) -> FrameIndex:
    """Read all packets of a stream from the container's start.

    Packets that an edit list hides are left out. A container without presentation times is decoded
    instead.

    Raises:
        DecodeError: there is no frame, or no key frame, or the container cannot seek.
    """
    packets = [
        (packet.pts, packet.dts, packet.is_keyframe, packet.duration)
        for packet in container.demux(stream)
        if packet.size and not packet.is_discard
    ]
    if any(packet[0] is None for packet in packets):
        seek(container, stream, 0)
        packets = [
            (frame.pts, frame.pts, frame.key_frame, frame.duration)
            for frame in _decoded(container, stream)
        ]
    if not packets:
        raise DecodeError("the video has no frames; the file may be cut off")
    return _index(packets, stream.time_base)


def _index(
    packets: list[tuple[int, int | None, bool, int | None]], time_base: Fraction
) -> FrameIndex:
    seeks = np.array([time if seek is None else seek for time, seek, _, _ in packets], np.int64)
    is_key = np.array([packet[2] for packet in packets])
    times, first = np.unique([packet[0] for packet in packets], return_index=True)
    lasts = packets[first[-1]][3] or (times[-1] - times[-2] if len(times) > 1 else 0)
    keys = np.flatnonzero(is_key[first])
    if not len(keys):
        raise DecodeError("the video has no key frame, where decoding could start")
    # Frames before the first key frame cannot be decoded.
    start = keys[0]
    end = int(times[-1] + lasts)
    return FrameIndex(times[start:], keys - start, seeks[first][keys], time_base, end)


def _decoded(container: Any, stream: Any) -> list[Any]:
    frames = []
    for packet in container.demux(stream):
        try:
            frames += [frame for frame in packet.decode() if frame.pts is not None]
        except pyav().error.InvalidDataError:
            continue
    return frames
