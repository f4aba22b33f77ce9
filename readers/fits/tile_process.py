"""Compressed FITS images, decoded by a process of their own.

The library that decodes the tiles (see `formats.fits.tiles`) may write past its memory if an image
is damaged. So the library runs in a process that may be lost: a damaged image is an error of its
sample, and the pipeline goes on.
"""

from __future__ import annotations

import os
import threading
import weakref
from contextlib import ExitStack
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import DecodeError
from ...engine.processes.channel import Channel, connected_sockets
from ...formats.fits.image import FitsImage
from ...formats.fits.tiles import missing_library
from .tile_child import receive_bytes

if TYPE_CHECKING:
    from socket import socket

    from ...engine.processes.interpreter import Interpreter


_CHILD = f"{__package__}.tile_child"


class TileDecoder:
    """Decodes compressed images, one after the other. Thread-safe; may be pickled at any time."""

    def __init__(self) -> None:
        """Start no process yet."""
        self._lock = threading.Lock()
        self._process: _DecodingProcess | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return TileDecoder, ()

    def decode(self, image: FitsImage, hdu: NDArray[np.uint8]) -> NDArray[Any]:
        """Return the stored numbers of an image, big-endian: see `decode_tiles`.

        Raises:
            DecodeError: the image is damaged.
            MissingDependencyError: Astropy is not installed.
        """
        with self._lock:
            process = self._process
            if process is None or not process.end.alive or process.owner != os.getpid():
                process = self._process = _DecodingProcess()
            try:
                return process.decode(image, hdu)
            except (EOFError, OSError):
                self._process = None
                fate = process.fate()
                process.end()
                raise DecodeError(
                    f"FITS: the process that decodes the compressed image {fate}: the image is "
                    "damaged"
                ) from None

    def close(self) -> None:
        """End the process; `decode` starts another one. A thread that decodes gets an error."""
        process = self._process
        if process is not None:
            process.end()


class _DecodingProcess:
    """The process while it is alive, which answers one request at a time."""

    def __init__(self) -> None:
        from ...engine.processes.interpreter import Interpreter  # most pipelines need none

        if find_spec("astropy") is None:
            raise missing_library("there is no module 'astropy'")
        self.owner = os.getpid()
        with ExitStack() as if_that_fails:
            self._end, other = connected_sockets()
            if_that_fails.callback(self._end.close)
            with other:
                self._interpreter = Interpreter(_CHILD, [other.fileno()], [other.fileno()])
            if_that_fails.pop_all()
        self.end = weakref.finalize(self, _end, self._interpreter, self._end, self.owner)

    def decode(self, image: FitsImage, hdu: NDArray[np.uint8]) -> NDArray[Any]:
        channel = Channel(self._end)
        channel.send(image)
        channel.receive()
        self._end.sendall(hdu.data)
        reason = channel.receive()
        if reason:
            raise DecodeError(reason)
        channel.send(None)
        numbers = np.empty(image.shape, image.stored)
        receive_bytes(self._end, numbers.reshape(-1).view(np.uint8))
        return numbers

    def fate(self) -> str:
        """Return how the process ended, as a phrase."""
        return self._interpreter.fate()


def _end(interpreter: Interpreter, connection: socket, owner: int) -> None:
    if os.getpid() == owner:  # a fork must leave the process to its parent
        interpreter.end()
        connection.close()
