"""Segments, which are memory as the driver gave it, and the pieces into which users divide them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice
from typing import Any

from .captures import BesideCaptures
from .current_device import CurrentDevice
from .stream_marks import Waits, join


class DeviceSegment:
    """One block of the driver's. Whoever holds a piece of the segment keeps the memory.

    Attributes:
        memory: CuPy's object, which gives the memory back to the driver when it is dropped. The
            segment alone holds this object, because the last user may be in any thread.
        size: bytes.
        lent: bytes of the pieces that are lent.
        is_retired: whether no more pieces are lent, so that the segment can be freed soon.
    """

    __slots__ = ("_device", "is_retired", "lent", "memory", "size")

    def __init__(self, memory: Any, device: CurrentDevice) -> None:
        self.memory = memory
        self._device = device
        self.size: int = memory.size
        self.lent = 0
        self.is_retired = False

    def __del__(self) -> None:
        with self._device, BesideCaptures():
            del self.memory


class Piece:
    """A range of a segment.

    Attributes:
        segment: the segment.
        start: address.
        size: bytes.
        waits: of a free piece, what its next user waits for.
    """

    __slots__ = ("segment", "size", "start", "waits")

    def __init__(self, segment: DeviceSegment, start: int, size: int) -> None:
        self.segment = segment
        self.start = start
        self.size = size
        self.waits: Waits = {}


class FreePieces:
    """Free pieces. No two are neighbors, because neighbors become one piece. Not thread-safe."""

    def __init__(self) -> None:
        self._by_start: dict[int, Piece] = {}
        self._by_end: dict[int, Piece] = {}
        # By size; of equal pieces first the one that came back last.
        self._sizes: list[int] = []
        self._pieces: list[Piece] = []

    def __iter__(self) -> Iterator[Piece]:
        return iter(self._pieces)

    def of_size(self, size: int) -> Iterator[Piece]:
        """Return the pieces of at least so many bytes, the smallest first."""
        return islice(self._pieces, bisect_left(self._sizes, size), None)

    def add(self, piece: Piece) -> None:
        """Add a piece; a user of joined pieces waits for the users of each of them."""
        before = self._by_end.get(piece.start)
        if before is not None and before.segment is piece.segment:
            self.remove(before)
            join(piece.waits, before.waits)
            piece.start = before.start
            piece.size += before.size
        after = self._by_start.get(piece.start + piece.size)
        if after is not None and after.segment is piece.segment:
            self.remove(after)
            join(piece.waits, after.waits)
            piece.size += after.size
        self._by_start[piece.start] = self._by_end[piece.start + piece.size] = piece
        self._put_in(piece)

    def remove(self, piece: Piece) -> None:
        """Remove a piece."""
        self._take_out(piece)
        del self._by_start[piece.start], self._by_end[piece.start + piece.size]

    def cut(self, piece: Piece, size: int) -> Piece:
        """Remove the first `size` bytes of a free piece, and return them as a piece."""
        if piece.size == size:
            self.remove(piece)
            return piece
        self._take_out(piece)
        taken = Piece(piece.segment, piece.start, size)
        del self._by_start[piece.start]
        piece.start += size
        piece.size -= size
        self._by_start[piece.start] = piece
        self._put_in(piece)
        return taken

    def _put_in(self, piece: Piece) -> None:
        """Put a piece into the order by size."""
        i = bisect_left(self._sizes, piece.size)
        self._sizes.insert(i, piece.size)
        self._pieces.insert(i, piece)

    def _take_out(self, piece: Piece) -> None:
        i = self._pieces.index(piece, bisect_left(self._sizes, piece.size))
        del self._sizes[i], self._pieces[i]
