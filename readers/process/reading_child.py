"""The program of the reading process.

A pipeline survives the loss of this process: see `reading_process`. A request is a name and
arguments:

    "copy", files, copies                       copies out of mapped files: `MapCopier.copy`
    "copy_expected", paths, beginning, copies   of files that are alike: `copy_expected`
    "files", paths, offset, room                whole files: `FileReads.read`

The first message on each connection holds the functions to run on each encoded sample.
"""

from __future__ import annotations

import os
import resource
import threading
import traceback
from collections.abc import Callable
from socket import socket
from typing import Any

from ...engine.processes.channel import Channel
from ...engine.tensors.arena import Arena
from ...engine.threads import Team
from .file_reads import FileReads
from .mapped_child import MapCopier, leave_no_dump


def main(threads: int, arena: int, *connections: int) -> None:
    """Answer the parent's requests on all connections until the parent ends."""
    leave_no_dump()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    memory, team = Arena(arena), Team("reading", threads - 1)
    copier = MapCopier(memory, team, most // 2)
    for connection in connections[1:]:
        given = memory, team, copier, connection
        threading.Thread(target=_serve, args=given, daemon=True).start()
    _serve(memory, team, copier, connections[0])


def _serve(memory: Arena, team: Team, copier: MapCopier, connection: int) -> None:
    """Answer requests. After an error, end the process: the parent would wait for an answer."""
    channel = Channel(socket(fileno=connection))
    try:
        files = FileReads(memory, team, channel.receive())
        answers: dict[str, Callable[..., Any]] = {
            "copy": copier.copy,
            "copy_expected": copier.copy_expected,
            "files": files.read,
        }
        channel.send(None)
        while True:
            name, *arguments = channel.receive()
            channel.send(answers[name](*arguments))
    except (EOFError, ConnectionError):
        os._exit(0)  # the parent has ended
    except BaseException:
        traceback.print_exc()
        os._exit(1)
