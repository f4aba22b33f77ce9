"""The loop of a helper process: see `helper_processes`."""

from __future__ import annotations

import os
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from socket import socket
from typing import Any

from .channel import Channel

Answer = Callable[[Any], Any]
"""Returns the answer to a request."""


def serve(connections: Sequence[int], prepare: Callable[[Any], Answer]) -> None:
    """Answer the parent's requests on all connections until the parent ends.

    Args:
        connections: descriptors of sockets; each gets a thread.
        prepare: takes the first message, which comes on the first connection, and returns what
            answers the requests of all connections.
    """
    first, *others = (Channel(socket(fileno=connection)) for connection in connections)
    with _ending_the_process():
        answer = prepare(first.receive())
        first.send(None)
        for channel in others:
            threading.Thread(target=_serve, args=(channel, answer), daemon=True).start()
    _serve(first, answer)


def _serve(channel: Channel, answer: Answer) -> None:
    with _ending_the_process():
        while True:
            channel.send(answer(channel.receive()))


@contextmanager
def _ending_the_process() -> Iterator[None]:
    """End the process after an error: the parent would wait for an answer."""
    try:
        yield
    except (EOFError, ConnectionError):
        os._exit(0)  # the parent has ended
    except BaseException:
        traceback.print_exc()
        os._exit(1)
