"""The times of a video's frames, read from its packets without decoding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Int64s
from ...engine.errors import DecodeError
from ..media_ends import MediaFile
from .library import open_container, time_base_of
from .numbered_packets import (
    NONE,
    NumberedPackets,
    PacketTable,
    is_raw,
    need_numbers,
    number_packets,
)
from .packets import PacketFacts, read_facts

if TYPE_CHECKING:
    from fractions import Fraction

    from av import VideoStream
    from av.container import InputContainer


SOUGHT_BY_PRESENTATION = ("mov,mp4", "matroska")
"""Containers in which FFmpeg seeks by presentation times. Decoding times, which are earlier, would
lead it to the key frame before. In others it seeks by decoding times."""

_READ_FROM_THE_START = "mpeg"
"""The container that states the times of few packets: program streams, `.mpg`. FFmpeg infers the
others from the packets before them, so times are wrong after a seek."""

_LARGEST_STEP_BACK = 0.1  # seconds; some muxers mix up neighbors


@dataclass(frozen=True)
class FrameIndex:
    """The frames of a video in the order of their presentation.

    Attributes:
        times: presentation times in units of `time_base`, ascending: (frames,). With `packets`,
            neighbors may be equal.
        keys: numbers of the key frames, ascending; decoding can start there: (keys,).
        key_seeks: for each key frame the time that finds its packet: (keys,).
        time_base: seconds of a unit.
        end: time at which the last frame ends.
        packets: if times do not tell them apart, else empty. `key_seeks` has numbers of packets
            then, and the packets' time stamps are the numbers of their frames.
    """

    times: Int64s
    keys: Int64s
    key_seeks: Int64s
    time_base: Fraction
    end: int
    packets: PacketTable = field(default_factory=lambda: np.empty((0, 3), np.int64))

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
        """Return the number of the frame with this time stamp; None if there is none."""
        if time is None:
            return None
        if len(self.packets):
            return time if 0 <= time < len(self) else None
        number = int(np.searchsorted(self.times, time))
        return number if number < len(self) and self.times[number] == time else None


def index_video(file: MediaFile) -> FrameIndex:
    """Return the index of a video: a path, or a file object.

    Raises:
        DecodeError: see `read_index`; or this is no video.
    """
    container, stream = open_container(file)
    with closing(container):
        return read_index(container, stream)


def read_index(
    container: InputContainer, stream: VideoStream, check_running: Callable[[], None] = lambda: None
) -> FrameIndex:
    """Read all packets of a stream from the container's start.

    Frames that an edit list hides are left out. If times do not tell the frames apart, all frames
    are decoded.

    Raises:
        DecodeError: there is no frame, or no key frame; the container is damaged, or cannot seek;
            times go back.
    """
    packets = read_facts(container, stream, check_running)
    if not is_raw(packets):
        _check_order(packets, time_base_of(stream))
    if packets and need_numbers(container, stream, packets):
        numbered = number_packets(container, stream, packets, check_running)
        return _numbered_index(packets, numbered, time_base_of(stream))
    if container.format.name.startswith(SOUGHT_BY_PRESENTATION):
        packets = [
            packet._replace(decoding_time=packet.time) if packet.is_key else packet
            for packet in packets
        ]
    index = _index(packets, time_base_of(stream))
    if container.format.name == _READ_FROM_THE_START:
        return replace(index, keys=index.keys[:1], key_seeks=index.key_seeks[:1])
    return index


def _numbered_index(
    packets: Sequence[PacketFacts], numbered: NumberedPackets, time_base: Fraction
) -> FrameIndex:
    numbers = numbered.table[:, -1]
    # A key frame that is not shown counts for the next frame.
    known = np.where(numbers == NONE, len(numbered.times), numbers)
    following = np.minimum.accumulate(known[::-1])[::-1]
    stands_for = np.where(numbers == NONE, following, numbers)
    facts = [
        PacketFacts(int(frame), place, packet.is_key, 1, is_hidden=bool(number == NONE))
        for place, (packet, number, frame) in enumerate(
            zip(packets, numbers, stands_for, strict=True)
        )
    ]
    index = _index(facts, time_base)
    start = int(index.times[0])
    table = numbered.table.copy()
    table[:, -1] = np.where(numbers < start, NONE, numbers - start)
    times = numbered.times[start:]
    end = int(times[-1]) + max(1, numbered.duration)
    return replace(index, times=times, end=end, packets=table)


def _check_order(packets: list[PacketFacts], time_base: Fraction) -> None:
    """Raise DecodeError if times go back: two frames may have one time then."""
    times = [packet.decoding_time for packet in packets if packet.decoding_time is not None]
    most = _LARGEST_STEP_BACK / float(time_base)
    for last, time in pairwise(times):
        if last - time > most:
            raise DecodeError(
                f"the time stamps go back from {float(last * time_base):.3f} s to "
                f"{float(time * time_base):.3f} s, as in files that were joined byte by byte; make "
                "new ones, as `ffmpeg -i IN -c copy OUT.mkv` does"
            )


def _index(packets: Sequence[PacketFacts], time_base: Fraction) -> FrameIndex:
    shown = [packet for packet in packets if not packet.is_hidden]
    if not shown:
        raise DecodeError("the video has no frames; the file may be cut off")
    times, first = np.unique([packet.time for packet in shown], return_index=True)
    # Decoding can start at hidden frames, too: the number is that of the next frame.
    seeks = {
        packet.time: packet.time if packet.decoding_time is None else packet.decoding_time
        for packet in reversed(packets)
        if packet.is_key and packet.time is not None
    }
    keys = {int(np.searchsorted(times, time)): seeks[time] for time in sorted(seeks)}
    keys.pop(len(times), None)
    if not keys:
        raise DecodeError("the video has no key frame, where decoding could start")
    # Frames before the first key frame cannot be decoded.
    start = next(iter(keys))
    last = shown[int(first[-1])].duration or int(times[-1] - times[-2] if len(times) > 1 else 0)
    return FrameIndex(
        times[start:],
        np.array(list(keys), np.int64) - start,
        np.array(list(keys.values()), np.int64),
        time_base,
        int(times[-1]) + last,
    )
