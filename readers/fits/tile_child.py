"""The program of the process that decodes compressed FITS images.

The parent sends a `FitsImage`, and then the bytes of the image's HDU. The answer is a text, the
reason why the image cannot be decoded. After an empty text, the parent asks for the stored numbers,
which are sent big-endian.
"""

from __future__ import annotations

from socket import socket

import numpy as np

from ...engine.errors import DecodeError
from ...engine.processes.channel import Channel
from ...formats.fits.tiles import decode_tiles
from ..process.mapped_child import leave_no_dump


def main(connection: int) -> None:
    """Answer the parent's requests until the parent ends."""
    leave_no_dump()
    channel = Channel(socket(fileno=connection))
    while True:
        image = channel.receive()
        hdu = np.empty(image.size, np.uint8)
        channel.send(None)
        channel.receive_content(hdu)
        try:
            numbers = decode_tiles(image, hdu)
        except DecodeError as error:
            channel.send(str(error))
            continue
        channel.send("")
        channel.receive()
        channel.send_content(numbers.astype(image.stored, "C", copy=False))
