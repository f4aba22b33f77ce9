"""Objects with large arrays for several processes: the arrays lie in an arena, once for all."""

from __future__ import annotations

import pickle
from typing import Any, NamedTuple

import numpy as np

from ..tensors.arena import Arena, ArenaSlot

MIN_ARENA_BYTES = 1 << 16
"""Bytes of an array; smaller ones are a part of the message."""


class Shipment(NamedTuple):
    """A pickled object.

    Attributes:
        pickled: the object without its large arrays.
        slots: where the bytes of these arrays lie.
    """

    pickled: bytes
    slots: list[ArenaSlot]

    @classmethod
    def of(cls, value: object, arena: Arena) -> Shipment:
        """Pack an object; its large arrays are copied into memory of the arena, which they keep.

        Raises:
            MemoryError: the arena is full.
            Exception: the object cannot be pickled.
        """
        slots: list[ArenaSlot] = []

        def stays_in_message(buffer: pickle.PickleBuffer) -> bool:
            content = np.frombuffer(buffer.raw(), np.uint8)
            if content.nbytes < MIN_ARENA_BYTES:
                return True
            slot = arena.reserve(content.nbytes), content.shape, content.dtype.str
            np.copyto(arena.array(slot), content)
            slots.append(slot)
            return False

        pickled = pickle.dumps(value, pickle.HIGHEST_PROTOCOL, buffer_callback=stays_in_message)
        return cls(pickled, slots)

    def open(self, arena: Arena) -> Any:
        """Return the object. Its large arrays are views of the arena: nobody must change them."""
        return pickle.loads(self.pickled, buffers=[arena.array(slot) for slot in self.slots])
