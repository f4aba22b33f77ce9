"""The program of the process that decodes compressed FITS images.

The parent sends a `FitsImage`, and then the bytes of the image's HDU. The answer is a text, the
reason why the image cannot be decoded. After an empty text, the parent asks for the stored numbers,
which are sent big-endian. The sides take turns, because a channel reads all bytes that are there.
"""

from __future__ import annotations

import os
import traceback
from socket import socket

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import DecodeError
from ...engine.processes.channel import Channel
from ...engine.processes.interpreter import end_with_parent
from ...formats.fits.tiles import decode_tiles
from ..process.mapped_child import leave_no_dump


def main(connection: int) -> None:
    """Answer the parent's requests until the parent ends."""
    leave_no_dump()
    end_with_parent(connection)
    try:
        _serve(socket(fileno=connection))
    except (EOFError, ConnectionError):
        os._exit(0)  # the parent has ended
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def _serve(end: socket) -> None:
    channel = Channel(end)
    while True:
        image = channel.receive()
        hdu = np.empty(image.size, np.uint8)
        channel.send(None)
        receive_bytes(end, hdu)
        try:
            numbers = decode_tiles(image, hdu)
        except DecodeError as error:
            channel.send(str(error))
            continue
        channel.send("")
        channel.receive()
        end.sendall(numbers.astype(image.stored, "C", copy=False).reshape(-1).view(np.uint8).data)


def receive_bytes(end: socket, buffer: NDArray[np.uint8]) -> None:
    """Fill a buffer; raise EOFError if the other side ends before."""
    filled = 0
    while filled < buffer.size:
        count = end.recv_into(buffer[filled:].data)
        if not count:
            raise EOFError("the other process has closed the connection")
        filled += count
