"""Where a Matroska or WebM file ends by its own words: its segment's size, or its duration.

Sources: RFC 8794 (EBML) and RFC 9559 (Matroska).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..engine.errors import DecodeError

Read = Callable[[int, int], bytes]
"""Returns the bytes of a file: from an offset on, so many or up to the end."""

_SEGMENT, _INFO, _CLUSTER = 0x18538067, 0x1549A966, 0x1F43B675
_SCALE, _DURATION = 0x2AD7B1, 0x4489
_TIME, _SIMPLE_BLOCK, _GROUP, _BLOCK = 0xE7, 0xA3, 0xA0, 0xA1
_CLUSTER_START = _CLUSTER.to_bytes(4, "big")

_MOST_ELEMENTS = 64
"""Elements of a file up to its segment, or up to the first cluster of a segment."""

_MOST_INFO = 1 << 16
_MOST_TAIL = 8 << 20
"""Bytes at the end of a file in which the last cluster is sought. Clusters last some seconds."""

_MISSING = 0.25
"""Part of its duration that a file may lack: the last picture may stand for long."""


class _Element(NamedTuple):
    """An element: its number, and start and end of its content; the end is None if unknown."""

    number: int
    start: int
    end: int | None


def matroska_end(read: Read, size: int) -> int | None:
    """Return the offset at which the segment ends; None if its size is unknown.

    Raises:
        DecodeError: it is unknown, and the last cluster ends long before the stated duration.
    """
    for element in _elements(read, 0, size):
        if element.number == _SEGMENT:
            if element.end is None:  # of streams, and where a writer was stopped
                _refuse_shorter(read, element.start, size)
            return element.end
    return None


def _refuse_shorter(read: Read, start: int, size: int) -> None:
    seconds, scale = _duration(read, start, size)
    if not seconds:
        return
    last = _last_time(read, size)
    if last is not None and last * scale < (1 - _MISSING) * seconds:
        raise DecodeError(
            f"the data ends at byte {size}, {last * scale:.3f} s after the start, and the file "
            f"states a duration of {seconds:.3f} s: it is cut off. `ffmpeg -i IN -c copy OUT` "
            "makes a whole file of what is left"
        )


def _duration(read: Read, start: int, size: int) -> tuple[float, float]:
    """Return the stated duration in seconds, 0 without one, and the seconds of a time's unit."""
    for element in _elements(read, start, size):
        if element.number == _CLUSTER or element.end is None:
            break
        if element.number == _INFO:
            length = min(element.end - element.start, _MOST_INFO)
            content = read(element.start, length)
            values = {part.number: content[part.start : part.end] for part in _parts(content)}
            scale = (int.from_bytes(values.get(_SCALE, b"")[:8], "big") or 1_000_000) / 1e9
            units = values.get(_DURATION, b"")
            if len(units) not in (4, 8):
                return 0.0, scale
            (duration,) = struct.unpack(">f" if len(units) == 4 else ">d", units)
            return (duration * scale if 0 < duration < 1e18 else 0.0), scale
    return 0.0, 1.0


def _last_time(read: Read, size: int) -> int | None:
    """Return the time of the last block in units of the file; None if no cluster is found."""
    first = max(0, size - _MOST_TAIL)
    tail = read(first, _MOST_TAIL)
    at = len(tail)
    while (at := tail.rfind(_CLUSTER_START, 0, at)) >= 0:
        _, count = _varying(tail[at + 4 : at + 12], keeps_marker=False)
        times = _times(tail[at + 4 + count :]) if count else []
        if times:
            return max(times)
    return None


def _times(content: bytes) -> list[int]:
    """Return the times of a cluster and of its blocks; [] if there is none."""
    times: list[int] = []
    for part in _parts(content):
        body = content[part.start : part.end]
        if part.number == _TIME and len(body) <= 8:
            times.append(int.from_bytes(body, "big"))
        elif part.number == _CLUSTER:
            break
        elif not times:  # a checksum
            continue
        elif part.number == _GROUP:
            times += [
                times[0] + time
                for inner in _parts(body)
                if inner.number == _BLOCK
                for time in _time_of_block(body[inner.start : inner.end])
            ]
        elif part.number == _SIMPLE_BLOCK:
            times += [times[0] + time for time in _time_of_block(body)]
    return times


def _time_of_block(block: bytes) -> Iterator[int]:
    _, count = _varying(block, keeps_marker=False)  # the track
    if count and len(block) >= count + 2:
        yield int.from_bytes(block[count : count + 2], "big", signed=True)


def _parts(content: bytes) -> Iterator[_Element]:
    """Yield the elements of bytes in memory, as far as they are whole."""

    def read(start: int, count: int) -> bytes:
        return content[start : start + count]

    for element in _elements(read, 0, len(content), len(content)):
        if element.end is None or element.end > len(content):
            return
        yield element


def _elements(read: Read, start: int, size: int, most: int = _MOST_ELEMENTS) -> Iterator[_Element]:
    """Yield elements that follow one another; none behind one of unknown size."""
    for _ in range(most):
        head = read(start, 12)
        number, first = _varying(head, keeps_marker=True)
        length, second = _varying(head[first:], keeps_marker=False)
        if not (first and second):
            return
        start += first + second
        if length == (1 << 7 * second) - 1:
            yield _Element(number, start, None)
            return
        yield _Element(number, start, start + length)
        start += length
        if start >= size:
            return


def _varying(content: bytes, *, keeps_marker: bool) -> tuple[int, int]:
    """Return a number of EBML, and its size in bytes; 0 if there is none."""
    if not content or not content[0]:
        return 0, 0
    size = 9 - content[0].bit_length()
    if len(content) < size:
        return 0, 0
    number = int.from_bytes(content[:size], "big")
    return number if keeps_marker else number & (1 << 7 * size) - 1, size
