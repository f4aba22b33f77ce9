"""A process that reads for another one: as it sees itself.

It may be lost at any time; see `reading_process`. A request is a name and arguments:

    "copy", files, parts           copies out of mapped files: `Copier.copy`
    "files", paths, offset, room   whole files: `FileReads.read`

The first message on each connection says what is to be found out about files.
"""

from __future__ import annotations

import os
import resource
import threading
import traceback
from collections.abc import Callable
from socket import socket
from typing import Any

from ...engine.channel import Channel
from ...engine.interpreter import end_with_parent
from ...engine.memory import Arena
from .file_reads import FileReads
from .mapped_child import Copier, leave_no_dump
from .team import Team


def main(threads: int, arena: int, *connections: int) -> None:
    """Serve the parent, which may ask on each of the connections, until it ends."""
    leave_no_dump()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    end_with_parent(connections[0])
    memory, team = Arena(arena), Team(threads)
    copier = Copier(memory, team, most // 2)
    for connection in connections[1:]:
        given = memory, team, copier, connection
        threading.Thread(target=_serve, args=given, daemon=True).start()
    _serve(memory, team, copier, connections[0])


def _serve(memory: Arena, team: Team, copier: Copier, connection: int) -> None:
    """Answer requests; then end the process, or the parent would wait for an answer."""
    channel = Channel(socket(fileno=connection))
    try:
        files = FileReads(memory, team, channel.receive())
        answers: dict[str, Callable[..., Any]] = {"copy": copier.copy, "files": files.read}
        channel.send(None)
        while True:
            name, *arguments = channel.receive()
            channel.send(answers[name](*arguments))
    except (EOFError, ConnectionError):
        os._exit(0)  # the parent has ended
    except BaseException:
        traceback.print_exc()
        os._exit(1)
