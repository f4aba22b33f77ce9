"""What the packets of a stream say of their frames."""

from __future__ import annotations

from typing import Any, NamedTuple

from .library import packets_of


class PacketFacts(NamedTuple):
    """A packet without its data; times are in units of the stream.

    Attributes:
        time: of the presentation; None if the container does not say.
        decoding_time: None if the container does not say.
        is_key: whether decoding can start here.
        duration: of the frame; 0 if unknown.
        is_hidden: whether an edit list hides the frame, which others may need.
        offset: of the packet in bytes; None if unknown.
    """

    time: int | None
    decoding_time: int | None
    is_key: bool
    duration: int = 0
    is_hidden: bool = False
    offset: int | None = None


def read_facts(container: Any, stream: Any) -> list[PacketFacts]:
    """Read all packets of a stream from the container's position."""
    return [
        PacketFacts(
            packet.pts,
            packet.dts,
            packet.is_keyframe,
            packet.duration or 0,
            bool(packet.is_discard),
            packet.pos,
        )
        for packet in packets_of(container, stream)
        if packet.size
    ]
