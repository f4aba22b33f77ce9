"""The program of the reading process.

A pipeline survives the loss of this process: see `helper_processes`. A request is a name and
arguments:

    "copy", files, copies                       copies out of mapped files: `MapCopier.copy`
    "copy_expected", paths, beginning, copies   of files that are alike: `copy_expected`
    "samples", indices, offset, room            samples of the source: `SourceReads.read`

The first message holds the functions to run on each encoded sample, and the source, if there is
one.
"""

from __future__ import annotations

import resource
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ...engine.processes.helper_child import Answer, serve
from ...engine.processes.shipment import Shipment
from ...engine.tensors.arena import Arena
from ...engine.tensors.rows import MetadataFunction
from ...engine.threads import Team
from .mapped_child import MapCopier, leave_no_dump
from .source_reads import SourceReads


def main(threads: int, arena: int, *connections: int) -> None:
    """Answer the parent's requests on all connections until the parent ends."""
    leave_no_dump()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    memory = Arena(arena)
    copier = MapCopier(memory, Team("copying", threads - 1), most // 2)
    serve(connections, partial(_prepared, memory, threads, copier))


def _prepared(
    memory: Arena,
    threads: int,
    copier: MapCopier,
    setup: tuple[Mapping[str, MetadataFunction], Shipment | None],
) -> Answer:
    """Return the functions that answer the requests."""
    functions, shipped = setup
    answers: dict[str, Callable[..., Any]] = {
        "copy": copier.copy,
        "copy_expected": copier.copy_expected,
    }
    if shipped is not None:
        source = shipped.open(memory)
        answers["samples"] = SourceReads(memory, source, functions, threads).read

    def answer(request: tuple[Any, ...]) -> Any:
        name, *arguments = request
        return answers[name](*arguments)

    return answer
