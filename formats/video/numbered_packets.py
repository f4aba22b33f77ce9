"""Packets that presentation times do not tell apart: each gets the number of its frame instead.

Such are the packets of streams without a container, of H.264 in AVI files and in program streams,
and those with equal time stamps. The frames are decoded once, because only the decoder knows their
order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Int64s
from ..media import pyav
from .library import decoded, packets_of, seek, time_base_of
from .packets import PacketFacts

if TYPE_CHECKING:
    from av import Packet, VideoStream
    from av.container import InputContainer

PacketTable = NDArray[np.int64]
"""For each packet in decoding order its offset, its decoding time and its frame's number; see
`NONE`: (packets, 3)."""

NONE = int(np.iinfo(np.int64).min)
"""Stands for an unknown time or offset, and for the number of a packet without a frame."""

_OFFSET, _DECODING_TIME, _FRAME = range(3)
_RATE = 25  # frames a second of streams that state no rate, as in FFmpeg
_SMALLEST_PICTURE = 20  # bytes, of MPEG-4; smaller packets say that nothing has changed
_NAMES = (
    "av1 libdav1d libaom-av1 h264 hevc vvc vp8 libvpx vp9 libvpx-vp9 mpeg1video mpeg2video mpeg4 "
    "msmpeg4 msmpeg4v1 msmpeg4v2 wmv1 wmv2 h263 flv mjpeg jpeg2000 libopenjpeg prores dnxhd cfhd "
    "ffv1 huffyuv ffvhuff utvideo rawvideo v210 png apng dvvideo"
)
_ONE_FRAME_A_PACKET = frozenset(_NAMES.split())
"""Decoders that give one frame for each packet that is shown. Others, such as those of GIF and of
screen recorders, may have packets that give none."""

_GUESSED = frozenset({"mpeg1video", "mpeg2video", "mpeg4"})
"""Codecs with B-frames. In streams without a container FFmpeg guesses their packets' times."""

_PROGRESSIVE = 1
"""FFmpeg's number of the order of fields: a packet is a frame."""

_TRIED = 100  # packets that are decoded to see whether their times are those of their frames
_MOST_LOST = 0.25
"""Part of the packets that may give no frame, because frames that they need are missing. Of fields
it is half."""


class NumberedPackets(NamedTuple):
    """The packets of a stream.

    Attributes:
        table: table of the packets.
        times: times of the frames by number, in units of the stream; they do not go back.
        duration: duration of a frame in units of the stream.
    """

    table: PacketTable
    times: Int64s
    duration: int


def need_numbers(
    container: InputContainer, stream: VideoStream, packets: Sequence[PacketFacts]
) -> bool:
    """Return whether the packets' presentation times do not tell their frames apart."""
    codec = stream.codec_context
    times = [packet.time for packet in packets if not packet.is_hidden]
    known = [time for time in times if time is not None]
    if codec.name not in _ONE_FRAME_A_PACKET or len(set(known)) < len(times):
        return True
    if codec.name in _GUESSED and _is_untimed(container):
        return True
    if codec.name == "mpeg4":
        return any(packet.size < _SMALLEST_PICTURE for packet in packets)
    if codec.name not in ("h264", "hevc"):
        return False
    # AVI files, and MP4 files that lack a table, state decoding times only. (PyAV before 17 does
    # not say whether frames are reordered.)
    reorders = getattr(codec, "reorder_depth", 1) > 0
    is_doubtful = reorders and all(a < b for a, b in pairwise(known))
    # A packet of H.264 may be one of the two fields of a frame. PyAV before 18 does not say so;
    # then those of camcorders, which are transport streams, are looked at.
    order = getattr(codec, "field_order", None)
    is_transport = container.format.name == "mpegts"
    may_be_field = is_transport or (codec.name == "h264" and order is not None)
    if is_doubtful or (may_be_field and order != _PROGRESSIVE):
        return not _times_are_of_frames(container, stream, packets)
    return False


def _times_are_of_frames(
    container: InputContainer, stream: VideoStream, packets: Sequence[PacketFacts]
) -> bool:
    """Decode the first packets; return whether each gives a frame, in the order of their times."""
    times: list[int | None] = []
    given = shown = 0
    tried = packets[:_TRIED]
    _go_to_start(container, stream, _table(packets))
    for packet, facts in zip(packets_of(container, stream), tried, strict=False):
        frames = decoded(packet)
        if frames is None or facts.is_hidden:
            continue
        times += [frame.pts for frame in frames]
        given, shown = given + len(frames), shown + 1
    held_back = decoded(None, stream.codec_context) or []
    times += [frame.pts for frame in held_back]
    lost = shown - given - len(held_back)
    stated = [time for time in times if time is not None]
    return lost <= shown * _MOST_LOST and all(a < b for a, b in pairwise(stated))


def _table(packets: Sequence[PacketFacts]) -> PacketTable:
    """Return the table of packets before the numbers of their frames are known."""
    stated = [(packet.offset, packet.decoding_time) for packet in packets]
    table = np.empty((len(packets), 3), np.int64)
    table[:, :2] = [[NONE if fact is None else fact for fact in facts] for facts in stated]
    table[:, _FRAME] = np.arange(len(packets))
    return table


def _is_untimed(container: InputContainer) -> bool:
    """Return whether this is a stream without a container; FFmpeg guesses all times."""
    return bool(container.format.flags & pyav().format.Flags.no_timestamps.value)


def is_raw(packets: Iterable[PacketFacts]) -> bool:
    """Return whether no packet has a time, but all have an offset."""
    return all(
        packet.time is None and packet.decoding_time is None and packet.offset is not None
        for packet in packets
    )


def number_packets(
    container: InputContainer,
    stream: VideoStream,
    packets: Sequence[PacketFacts],
    check_running: Callable[[], None] = lambda: None,
) -> NumberedPackets:
    """Decode all frames; return which packet has which frame.

    Damaged packets have no frames. The times of the frames behind them allow for them.

    Args:
        container, stream: container and stream of the video.
        packets: all packets in decoding order.
        check_running: see `FrameReader`.
    """
    duration = packets[0].duration or round(1 / (_RATE * time_base_of(stream)))
    table = _table(packets)
    places: list[int] = []  # of the shown packets in the table
    is_whole: list[bool] = []
    for packet in packets_from(container, stream, table, 0, check_running):
        check_running()
        frames = decoded(packet)
        own = [packet.pts] if frames is None else [frame.pts for frame in frames]
        places += [place for place in own if place is not None]
        is_whole += [frames is not None] * (len(places) - len(is_whole))
    shown = np.array(places, np.int64)[is_whole]
    table[:, _FRAME] = NONE
    table[shown, _FRAME] = np.arange(len(shown))
    if _is_untimed(container):
        times = np.arange(len(places), dtype=np.int64) * duration
    else:
        times = _times([packets[place] for place in places], duration)
    return NumberedPackets(table, times[is_whole], duration)


def packets_from(
    container: InputContainer,
    stream: VideoStream,
    table: PacketTable,
    number: int,
    check_running: Callable[[], None] = lambda: None,
) -> Iterator[Packet[VideoStream]]:
    """Go to a packet by its number in the table; return the packets from there on.

    Their time stamps are the numbers of their frames.
    """
    is_untimed = _is_untimed(container) or (table[:, _DECODING_TIME] == NONE).all()
    if is_untimed and table[number, _OFFSET] != NONE:
        go_to_offset(container, int(table[number, _OFFSET]))
        return _stamped(packets_of(container, stream), table, number)
    packets: Iterator[Packet[VideoStream]] = iter(())
    place = None
    if table[number, _DECODING_TIME] != NONE:
        seek(container, stream, int(table[number, _DECODING_TIME]))
        packets = packets_of(container, stream)
        first = next(packets)
        packets, place = chain([first], packets), _place_of(first, table)
    if place is None or place > number:
        _go_to_start(container, stream, table)
        packets, place = packets_of(container, stream), 0
    return _without_first(_stamped(packets, table, place), number - place, check_running)


def go_to_offset(container: InputContainer, offset: int) -> None:
    """Go to a packet by its offset in bytes."""
    container.seek(offset, any_frame=True, unsupported_byte_offset=True)


def _go_to_start(container: InputContainer, stream: VideoStream, table: PacketTable) -> None:
    if _is_untimed(container) or container.format.name == "mpeg":  # FFmpeg guesses times
        go_to_offset(container, 0)
    else:
        known = table[:, _DECODING_TIME][table[:, _DECODING_TIME] != NONE]
        seek(container, stream, min(0, int(known.min(initial=0))))


def _place_of(packet: Packet[VideoStream], table: PacketTable) -> int | None:
    """Return where a packet is in the table, if its offset and its time tell."""
    if packet.pos is None or packet.dts is None:
        return None
    is_same = (table[:, _OFFSET] == packet.pos) & (table[:, _DECODING_TIME] == packet.dts)
    matches = np.flatnonzero(is_same)
    return int(matches[0]) if len(matches) == 1 else None


def _stamped(
    packets: Iterable[Packet[VideoStream]], table: PacketTable, first: int
) -> Iterator[Packet[VideoStream]]:
    """Give packets the numbers of their frames as time stamps, from a place in the table on."""
    numbers = iter(table[first:, _FRAME].tolist())
    for packet in packets:
        if packet.size:
            number = next(numbers, NONE)
            packet.pts = packet.dts = None if number == NONE else number
        yield packet


def _without_first(
    packets: Iterator[Packet[VideoStream]], count: int, check_running: Callable[[], None]
) -> Iterator[Packet[VideoStream]]:
    while count and (packet := next(packets, None)) is not None:
        check_running()
        count -= bool(packet.size)
    yield from packets


def _times(shown: Sequence[PacketFacts], duration: int) -> Int64s:
    """Return the times of frames from what their packets state, in order of presentation."""
    # Containers without presentation times state decoding times: the same ones in another order.
    for times in ([packet.time for packet in shown], [packet.decoding_time for packet in shown]):
        if None not in times:
            return np.sort(np.array(times, np.int64))
    numbers = np.arange(len(shown))
    known: list[tuple[int, int]] = []
    for number, packet in enumerate(shown):
        if packet.time is not None and (not known or packet.time >= known[-1][1]):
            known.append((number, packet.time))
    if not known:
        return np.asarray(numbers * duration, np.int64)
    places, stated = (np.array(column, np.int64) for column in zip(*known, strict=True))
    between = np.interp(numbers, places, stated - stated[0]).round().astype(np.int64) + stated[0]
    before = np.minimum(numbers - places[0], 0) * duration
    behind = np.maximum(numbers - places[-1], 0) * duration
    return np.asarray(between + before + behind, np.int64)
