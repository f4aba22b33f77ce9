"""Samples of a source, read into an arena by the reading process."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ...engine.tensors.arena import Arena
from ...engine.tensors.packed_rows import MetadataFunction
from ..source import Source
from .placed_columns import Placed, ReadMemory


class SourceReads:
    """Reads samples of a source into an arena. Thread-safe."""

    def __init__(
        self, arena: Arena, source: Source, metadata_functions: Mapping[str, MetadataFunction]
    ) -> None:
        """Set the memory, the source, and the functions that are run on encoded samples."""
        self._arena = arena
        self._source = source
        self._metadata_functions = metadata_functions

    def read(
        self, indices: NDArray[np.int64], offset: int, room: int
    ) -> tuple[int, list[Placed]] | None:
        """Read samples into the arena, from `offset` on.

        Returns:
            the bytes that the samples take, and the columns; there are none if the samples take
            more than `room`. None if a sample cannot be read.
        """
        memory = ReadMemory(self._arena.array((offset, (room,), "u1")))
        try:
            columns = self._source.read(indices, memory.empty)
        except Exception:  # the parent meets the same error, and raises it
            return None
        if memory.used > room:
            return memory.used, []
        placed = [memory.place(column, self._metadata_functions) for column in columns]
        return memory.used, placed if memory.used <= room else []
