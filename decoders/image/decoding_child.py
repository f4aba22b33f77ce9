"""The program of the process that decodes: see `cpu_decoding`.

A request is an encoded file in the arena, the region to decode, and the memory for the pixels, as
`ArenaSlot`s. The answer is the list of blemishes; or None: the parent decodes the file itself, and
raises the error. The first message is the function to decode with.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ...engine.arrays import Array
from ...engine.processes.helper_child import Answer, serve
from ...engine.tensors.arena import Arena, ArenaSlot
from .formats.base import Box

Request = tuple[ArenaSlot, Box, ArenaSlot]


def main(arena: int, *connections: int) -> None:
    """Answer the parent's requests on all connections until the parent ends."""
    serve(connections, partial(_prepared, Arena(arena)))


def _prepared(memory: Arena, decode: Callable[..., Array]) -> Answer:
    """Return the functions that answer the requests."""

    def answer(request: Request) -> list[str] | None:
        encoded, roi, pixels = request
        blemishes: list[str] = []
        try:
            image = decode(memory.array(encoded), roi=roi, report_blemish=blemishes.append)
            np.copyto(memory.array(pixels), image)
        except Exception:
            return None
        return blemishes

    return answer
