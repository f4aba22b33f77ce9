"""Facts that only the codec's own bytes state: where decoding may start, which frames are shown.

Formats: ITU-T H.264, sections 7.3.1, D.1.8 and D.2.8; ISO/IEC 14496-15, section 5.3 (length
prefixes); RFC 6386, section 9.1 (VP8).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from av import Packet, VideoStream

_IDR, _SEI, _SLICES = 5, 6, range(1, 6)  # types of NAL units
_RECOVERY_POINT = 6  # type of an SEI message
_START = b"\0\0\1"


def starts_exactly(codec: str, header: bytes | None, packet: Packet[VideoStream]) -> bool:
    """Return whether decoding that starts at a key frame gives the frames that it gives in order.

    H.264 may refresh a picture in parts, over many frames. Containers call the beginning of each
    refresh a key frame. Frames after it still depend on frames before it.

    Args:
        codec: name of the codec.
        header: the stream's parameters outside of its packets.
        packet: packet that the container calls a key frame.
    """
    if codec != "h264":
        return True
    for unit in _units(bytes(packet), header or b""):
        kind = unit[0] & 31 if unit else 0
        if kind in _SLICES:
            return True  # an IDR picture, or the container's word alone
        if kind == _SEI:
            count_is_zero = _recovers_at_once(unit[1:].replace(b"\0\0\3", b"\0\0"))
            if count_is_zero is not None:
                return count_is_zero
    return True


def is_shown(codec: str, packet: Packet[VideoStream]) -> bool:
    """Return whether a packet's frame is shown; VP8 has frames that only others refer to."""
    return codec != "vp8" or bool(memoryview(packet)[0] & 0x10)


def _units(data: bytes, header: bytes) -> Iterator[bytes]:
    """Yield the NAL units of a packet."""
    if header[:1] == b"\1" and len(header) > 4:
        length = (header[4] & 3) + 1
        at = 0
        while at + length <= len(data):
            size = int.from_bytes(data[at : at + length], "big")
            yield data[at + length : at + length + size]
            at += length + size
    else:
        at = data.find(_START)
        while at >= 0:
            end = data.find(_START, at + 3)
            yield data[at + 3 : end] if end >= 0 else data[at + 3 :]
            at = end


def _recovers_at_once(messages: bytes) -> bool | None:
    """Return whether a recovery point needs no further frame; None if there is no such message."""
    at = 0
    while at + 2 < len(messages):
        fields = []
        for _ in range(2):  # type and size
            value = 0
            while at < len(messages) and messages[at] == 255:
                value += 255
                at += 1
            if at >= len(messages):
                return None
            fields.append(value + messages[at])
            at += 1
        kind, size = fields
        if kind == _RECOVERY_POINT and at < len(messages):
            return messages[at] >= 128  # the count is coded as one bit
        at += size
    return None
