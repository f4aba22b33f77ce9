"""The program of a process that runs tasks of a conversion.

Messages, in turn:

    to the process                     from the process
    a `Task`                           "batch", (samples, bytes), after each batch of the task
    whether the task is to stop        "shard", the `ShardInfo`; or "error", the pickled error
"""

from __future__ import annotations

from socket import socket
from threading import Event
from typing import Any

from ....engine.processes.channel import Channel
from ....engine.processes.messages import pickled_error
from ..task import Task, run_task


def main(connection: int) -> None:
    """Run the parent's tasks until the parent ends."""
    channel = Channel(socket(fileno=connection))
    while True:
        channel.send(_outcome(channel, channel.receive()))


def _outcome(channel: Channel, task: Task) -> tuple[str, Any]:
    stop = Event()

    def on_batch(samples: int, nbytes: int) -> None:
        channel.send(("batch", (samples, nbytes)))
        if channel.receive():
            stop.set()

    try:
        return "shard", run_task(task, on_batch, stop)
    except (EOFError, ConnectionError):  # the parent has ended
        raise
    except Exception as error:
        return "error", pickled_error(error)
