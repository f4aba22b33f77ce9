"""The loop of a helper process: see `helper_processes`."""

from __future__ import annotations

import os
import threading
import traceback
from collections.abc import Callable, Sequence
from socket import socket
from typing import Any

from .channel import Channel

Answer = Callable[[Any], Any]
"""Returns the answer to a request."""


def serve(connections: Sequence[int], prepare: Callable[[Any], Answer]) -> None:
    """Answer the parent's requests on all connections until the parent ends.

    Args:
        connections: descriptors of sockets; each gets a thread.
        prepare: takes the first message of a connection, and returns what answers the others.
    """
    for connection in connections[1:]:
        threading.Thread(target=_serve, args=(connection, prepare), daemon=True).start()
    _serve(connections[0], prepare)


def _serve(connection: int, prepare: Callable[[Any], Answer]) -> None:
    """Answer requests. After an error, end the process: the parent would wait for an answer."""
    channel = Channel(socket(fileno=connection))
    try:
        answer = prepare(channel.receive())
        channel.send(None)
        while True:
            channel.send(answer(channel.receive()))
    except (EOFError, ConnectionError):
        os._exit(0)  # the parent has ended
    except BaseException:
        traceback.print_exc()
        os._exit(1)
