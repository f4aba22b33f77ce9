"""Messages between two processes."""

from __future__ import annotations

import pickle
from socket import socket
from typing import Any

_HEAD = 8  # bytes that hold a message's length
_AT_ONCE = 1 << 14  # most messages are smaller, and arrive in one call


class Channel:
    """One end of a connection on which the two sides speak in turn, one message each.

    Both methods raise OSError or EOFError where the other side has ended.
    """

    def __init__(self, connection: socket) -> None:
        self._connection = connection

    def send(self, message: Any) -> None:
        """Send anything that can be pickled; what cannot is found out before anything is sent."""
        pickled = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        self._connection.sendall(len(pickled).to_bytes(_HEAD, "little") + pickled)

    def receive(self) -> Any:
        """Wait for a message."""
        received = self._connection.recv(_AT_ONCE)
        end = _HEAD + int.from_bytes(received[:_HEAD], "little")
        while len(received) < end or len(received) < _HEAD:
            more = self._connection.recv(max(_AT_ONCE, end - len(received)))
            if not more:
                raise EOFError("the other process has closed the connection")
            received += more
            end = _HEAD + int.from_bytes(received[:_HEAD], "little")
        return pickle.loads(memoryview(received)[_HEAD:])

    def close(self) -> None:
        """End the connection."""
        self._connection.close()
