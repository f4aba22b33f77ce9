"""A process that works on rows in an arena, as the thread that drives the process sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..errors import WorkerError
from ..graph.operator import Array
from ..tensors.arena import PLAIN_DTYPES, Arena
from ..tensors.memory import SMALL
from .child_process import ChildProcess
from .copies import Copies


class RowProcess:
    """One process; one thread calls all methods but `kill`.

    Args:
        arena: where batches lie.
        title: of the process, for messages.
        process: the process.
        offset: where in the arena the process tells its row in work: see `reserve_row`.

    Attributes:
        process: the process.
    """

    def __init__(self, arena: Arena, title: str, process: ChildProcess, offset: int) -> None:
        self._arena = arena
        self._title = title
        self._row = _row_at(arena, offset)
        self.process = process
        (self._channel,) = process.channels

    @property
    def row_in_work(self) -> int:
        """The number of the row that the process works on; -1 for none."""
        return int(self._row[0])

    def kill(self) -> None:
        """End the process at once, and so the wait of the thread that drives the process."""
        self.process.kill()

    def close(self) -> None:
        """End the process, wait for its end, and close the channel; idempotent."""
        self.process.close()
        self._row = self._row.copy()  # the arena's map may go

    def _first_answer(self, *message: object) -> Any:
        """Send the first message, if any, and return the answer."""
        try:
            for each in message:
                self._channel.send(each)
            return self._channel.receive()
        except (EOFError, OSError) as error:
            raise WorkerError(f"{self._title} {self.process.fate()} when it started") from error

    def _visible(self, array: Array, empty: Callable[..., Array]) -> Array:
        """Return the array, or a copy in the arena of a large array outside of the arena."""
        large = array.nbytes >= SMALL and array.dtype.kind in PLAIN_DTYPES
        if not large or self._arena.slot_of(array) is not None:
            return array
        copy = empty(array.shape, array.dtype)
        np.copyto(copy, array)
        return copy


def reserve_row(arena: Arena) -> int:
    """Return the offset in the arena of a new number, at which a process tells its row in work."""
    offset = arena.reserve(8)
    _row_at(arena, offset)[0] = -1
    return offset


def start_row_processes(
    arena: Arena, module: str, offsets: Sequence[int], imports: Iterable[str] = ()
) -> Copies:
    """Start processes that work on rows.

    Args:
        arena: where batches lie.
        module: their program, a module of this room. Its `main` is given the descriptor of the
            arena's file, and the offset of the process.
        offsets: those of `reserve_row`, one a process.
        imports: see `Copies`.

    Raises:
        WorkerError: there is no Python interpreter to start.
        OSError: the interpreter cannot be started.
    """
    with arena.lent_file() as descriptor:
        numbers = [(descriptor, offset) for offset in offsets]
        return Copies(f"{__package__}.{module}", numbers, [descriptor], imports)


def _row_at(arena: Arena, offset: int) -> Array:
    return arena.array((offset, (1,), "i8"))
