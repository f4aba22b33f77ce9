"""Leases: who uses a piece of device memory, and on which streams."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Protocol

from .device_pieces import Piece
from .streams import DEFAULT_STREAM

_LASTS = object()
"""The owner of a stream that nobody destroys."""


class Lender(Protocol):
    """The pool of a lease."""

    def owner_of(self, stream: int) -> Any:
        """Return the CuPy stream with this handle if it is this thread's current one, or None."""

    def take_back(self, piece: Piece, streams: dict[int, Any]) -> None:
        """Keep a piece for its next user, whose stream waits for the present work of `streams`.

        Args:
            piece: the memory.
            streams: handles, each with the owner that keeps the stream alive, or None.
        """


class Lease:
    """One use of a piece; all arrays in the piece hold the lease, and the last array ends it."""

    __slots__ = ("_piece", "_pool", "_streams")

    def __init__(self, pool: Lender, piece: Piece, stream: Any) -> None:
        self._pool = pool
        self._piece = piece
        # Handles, each with the owner that keeps the stream alive, if the owner is known.
        self._streams: dict[int, Any] = {stream.ptr: stream}

    def used_on(self, stream: int | None, *, lasts: bool = False) -> None:
        """Record that work on another stream also uses the piece.

        Args:
            stream: number of the stream in DLPack. None, 0, 1 and 2 are the default streams,
                which wait for one another; -1 is an unknown stream.
            lasts: whether the stream is certainly never destroyed.
        """
        if stream is None or 0 <= stream <= 2:
            self._streams[DEFAULT_STREAM] = _LASTS
        elif self._streams.get(stream) is None:
            self._streams[stream] = _LASTS if lasts else self._pool.owner_of(stream)

    def moved(self, stream: Any, to: Any) -> None:
        """Record that `to` waits for the work of `stream` on the piece, and uses the piece next."""
        if self._streams.get(stream.ptr, _LASTS) is stream:  # no consumer has recorded it since
            del self._streams[stream.ptr]
        self._streams[to.ptr] = to

    def __del__(self) -> None:
        with suppress(Exception):  # at the interpreter's end, other objects may be gone
            self._pool.take_back(self._piece, self._streams)


class JointLease(Lease):
    """The leases of the pieces in which the rows of one batch lie. Arrays in a piece hold its own.

    Args:
        leases: leases of the pieces.
    """

    __slots__ = ("_leases",)

    def __init__(self, *leases: Lease) -> None:
        self._leases = leases

    def used_on(self, stream: int | None, *, lasts: bool = False) -> None:
        for lease in self._leases:
            lease.used_on(stream, lasts=lasts)

    def moved(self, stream: Any, to: Any) -> None:
        for lease in self._leases:
            lease.moved(stream, to)

    def __del__(self) -> None:
        """Do nothing: the pieces' own leases end with the last array."""
