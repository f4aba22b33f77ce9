"""A process that works on rows in an arena, as the thread that drives the process sees it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..errors import WorkerError
from ..graph.operator import Array
from ..tensors.arena import PLAIN_DTYPES, Arena
from ..tensors.memory import SMALL
from .child_process import ChildProcess
from .forked_process import ForkedProcess


class RowProcess:
    """One process; one thread calls all methods but `kill`.

    Args:
        arena: where batches lie.
        title: of the process, for messages.
        module: program of a new interpreter. It is given the descriptor of the arena's file, and
            the offset in the arena at which the process tells its row in work.
        fork: work of a fork, if it shall be one, which is given the offset and the channel.

    Attributes:
        process: the process.
    """

    def __init__(
        self, arena: Arena, title: str, module: str, fork: Callable[..., None] | None = None
    ) -> None:
        self._arena = arena
        self._title = title
        offset = arena.reserve(8)
        self._row = arena.array((offset, (1,), "i8"))
        self._row[0] = -1
        if fork is not None:
            self.process: ChildProcess = ForkedProcess(partial(fork, offset))
        else:
            with arena.lent_file() as descriptor:
                numbers = descriptor, offset
                self.process = ChildProcess(f"{__package__}.{module}", numbers, numbers[:1])
        (self._channel,) = self.process.channels

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
