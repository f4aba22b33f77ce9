"""Facts of frames that the packets of a stream state."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from .library import packets_of
from .recovery import is_shown, starts_exactly

if TYPE_CHECKING:
    from av import VideoStream
    from av.container import InputContainer


class PacketFacts(NamedTuple):
    """A packet without its data; times are in units of the stream.

    Attributes:
        time: time of the presentation; None if the container does not say.
        decoding_time: None if the container does not say.
        is_key: whether decoding can start here.
        duration: duration of the frame; 0 if unknown.
        is_hidden: whether the frame is not shown, although others may need it: an edit list hides
            it, or the codec.
        offset: offset of the packet in bytes; None if unknown.
        size: in bytes.
    """

    time: int | None
    decoding_time: int | None
    is_key: bool
    duration: int = 0
    is_hidden: bool = False
    offset: int | None = None
    size: int = 0


def read_facts(
    container: InputContainer, stream: VideoStream, check_running: Callable[[], None] = lambda: None
) -> list[PacketFacts]:
    """Read all packets of a stream from the container's position.

    Of the packets that the container calls key frames, those count from which decoding gives exact
    frames; and the first one.
    """
    codec, header = stream.codec_context.name, stream.codec_context.extradata
    facts: list[PacketFacts] = []
    has_key = False
    for packet in packets_of(container, stream):
        check_running()
        if not packet.size:
            continue
        is_key = packet.is_keyframe and (not has_key or starts_exactly(codec, header, packet))
        has_key = has_key or is_key
        facts.append(
            PacketFacts(
                packet.pts,
                packet.dts,
                is_key,
                packet.duration or 0,
                bool(packet.is_discard) or not is_shown(codec, packet),
                packet.pos,
                packet.size,
            )
        )
    return facts
