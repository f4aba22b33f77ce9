"""Streams without a container and without times, such as H.264: found by offsets in bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .library import decoded, packets_of
from .packets import PacketFacts

PacketTable = NDArray[np.int64]
"""For each packet in decoding order its offset, and the time of its frame: (packets, 2)."""

NO_TIME = -1
_RATE = 25  # frames a second of streams that state no rate, as in FFmpeg


def is_raw(packets: Sequence[PacketFacts]) -> bool:
    """Return whether no packet has a time, but all have an offset."""
    return all(
        packet.time is None and packet.decoding_time is None and packet.offset is not None
        for packet in packets
    )


def packet_table(
    container: Any, stream: Any, packets: Sequence[PacketFacts]
) -> tuple[PacketTable, int]:
    """Return the packets' table, and the duration of a frame in units of the stream.

    All frames are decoded, for only the decoder knows the order of presentation.

    Args:
        container, stream: of the video.
        packets: all packets in decoding order.
    """
    duration = packets[0].duration or round(1 / (_RATE * stream.time_base))
    numbered = np.array([[p.offset, number] for number, p in enumerate(packets)], np.int64)
    table = numbered.copy()
    table[:, 1] = NO_TIME
    go_to_offset(container, 0)
    shown = 0
    for packet in stamped(packets_of(container, stream), numbered, 0):
        frames = decoded(packet)
        if frames is None:
            shown += 1  # so that the times of frames behind it are right
            continue
        for frame in frames:
            table[frame.pts, 1] = shown * duration
            shown += 1
    return table, duration


def stamped(packets: Iterable[Any], table: PacketTable, first: int) -> Iterator[Any]:
    """Give packets the times of the table, from packet number `first` on."""
    times = iter(table[first:, 1].tolist())
    for packet in packets:
        if packet.size:
            time = next(times, NO_TIME)
            packet.pts = packet.dts = None if time == NO_TIME else time
        yield packet


def go_to_offset(container: Any, offset: int) -> None:
    """Go to a packet by its offset in bytes."""
    container.seek(offset, any_frame=True, unsupported_byte_offset=True)
