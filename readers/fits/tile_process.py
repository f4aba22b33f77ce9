"""Compressed FITS images, decoded by a process of their own.

The library that decodes the tiles (see `formats.fits.tiles`) may write past its memory if an image
is damaged. So the library runs in a process that may be lost: a damaged image is an error of its
sample, and the pipeline goes on.
"""

from __future__ import annotations

import os
import threading
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array
from ...engine.errors import DecodeError, PipelineStopped
from ...formats.fits.image import FitsImage
from ...formats.fits.tiles import missing_library

if TYPE_CHECKING:
    from ...engine.processes.channel import Channel
    from ...engine.processes.child_process import ChildProcess


_CHILD = f"{__package__}.tile_child"
_STOPPED = "the pipeline was closed while a compressed image was decoded"


class TileDecoder:
    """Decodes compressed images, one after the other. Thread-safe; may be pickled at any time."""

    def __init__(self) -> None:
        """Start no process yet."""
        self._lock = threading.Lock()
        self._process: ChildProcess | None = None
        self._closed = False

    def __reduce__(self) -> tuple[Any, ...]:
        return TileDecoder, ()

    def decode(self, image: FitsImage, hdu: NDArray[np.uint8]) -> Array:
        """Return the stored numbers of an image, big-endian: see `decode_tiles`.

        Raises:
            DecodeError: the image is damaged.
            MissingDependencyError: Astropy is not installed.
            PipelineStopped: `close` was called.
        """
        with self._lock:
            process = self._process
            if process is None or process.owner != os.getpid():
                process = self._process = _start()
            if self._closed:  # after the start: one of both sees the other's process
                self.close()
                raise PipelineStopped(_STOPPED)
            try:
                return _decode(process.channels[0], image, hdu)
            except (EOFError, OSError):
                if self._closed:
                    raise PipelineStopped(_STOPPED) from None
                self._process = None
                fate = process.fate()
                process.close()
                raise DecodeError(
                    f"FITS: the process that decodes the compressed image {fate}: the image is "
                    "damaged"
                ) from None

    def close(self) -> None:
        """End the process, and the wait of a thread that decodes; idempotent."""
        self._closed = True
        process, self._process = self._process, None
        if process is not None:
            process.close()


def _start() -> ChildProcess:
    from ...engine.processes.child_process import ChildProcess  # most pipelines need none

    if find_spec("astropy") is None:
        raise missing_library("there is no module 'astropy'")
    return ChildProcess(_CHILD)


def _decode(channel: Channel, image: FitsImage, hdu: NDArray[np.uint8]) -> Array:
    channel.send(image)
    channel.receive()
    channel.send_content(hdu)
    reason = channel.receive()
    if reason:
        raise DecodeError(reason)
    channel.send(None)
    numbers = np.empty(image.shape, image.stored)
    channel.receive_content(numbers)
    return numbers
