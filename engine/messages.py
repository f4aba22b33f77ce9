"""What a pipeline's process and its worker processes say to one another.

Named tuples travel as plain ones, and answers behind their names: that takes half the time.
"""

from __future__ import annotations

import pickle
import traceback
from typing import Any, NamedTuple

import numpy as np

from .errors import WorkerError
from .memory import TOLD_BY_NAME, Arena, Place
from .operator import Array
from .plan import Key

Told = Place | tuple[bytes, tuple[int, ...], str] | Array
"""An array: where it lies in the arena, or its bytes; one of an unusual type as it is."""


class Job(NamedTuple):
    """Some consecutive rows of a batch.

    Attributes:
        chain: number of the segment.
        size: rows in the whole batch.
        rows: which to compute, counted from the first of the job.
        external: the columns that the chain needs; a list where rows lie apart.
        random: random numbers of the rows, by operator.
        targets: for each result that has a slab, the part of it that is the job's; None where
            rows are to lie apart. Where the key is missing, ask.
    """

    chain: int
    size: int
    rows: list[int]
    external: list[Told | list[Told]]
    random: dict[int, Told]
    targets: dict[Key, Place | None]


class AskSlab(NamedTuple):
    """Where is the job's part of a slab for rows like this one?"""

    key: Key
    shape: tuple[int, ...]
    dtype: np.dtype[Any]


class AskBlock(NamedTuple):
    """Where are so many bytes for rows that lie apart?"""

    nbytes: int


Apart = tuple[int, int, tuple[int, ...], str]
"""Where a row lies that is not in a slab: number of the block, offset in it, shape, type."""


class Result(NamedTuple):
    """Which rows of a result do not lie in its slab, by row: those in blocks, and others."""

    apart: dict[int, Apart]
    own: dict[int, Told]


class Done(NamedTuple):
    """What became of a job.

    Attributes:
        results: by the result's key.
        errors: pickled, with the traceback, by row.
        busy_ns, wait_ns, cpu_ns: clocks of the process since its start.
    """

    results: dict[Key, tuple[Any, ...]]
    errors: dict[int, tuple[bytes, str]]
    busy_ns: dict[int, int]
    wait_ns: int
    cpu_ns: int


def tell(array: Array, arena: Arena) -> Told:
    """Say what the other process needs to know of an array."""
    place = arena.locate(array)
    if place is not None or array.dtype.kind not in TOLD_BY_NAME:
        return place or array
    return array.tobytes(), array.shape, array.dtype.str


def array_told(told: Told, arena: Arena) -> Array:
    """Return the array that the other process has told of."""
    if isinstance(told, np.ndarray):
        return told
    where, shape, dtype = told
    if isinstance(where, bytes):
        return np.ndarray(shape, dtype, bytearray(where))  # writable, as all are
    return arena.array((where, shape, dtype))


def pickled_error(error: BaseException) -> tuple[bytes, str]:
    """Return the error, or what stands for it if it cannot be pickled, and its traceback."""
    trace = "".join(traceback.format_exception(error))
    try:
        pickled = pickle.dumps(error)
        pickle.loads(pickled)
    except Exception:
        kind = type(error)
        stand_in = WorkerError(f"{kind.__module__}.{kind.__qualname__}: {error}")
        for note in getattr(error, "__notes__", ()):
            stand_in.add_note(note)
        pickled = pickle.dumps(stand_in)
    return pickled, trace


def unpickled_error(pickled: bytes, trace: str) -> BaseException:
    """Return the error, with the traceback as its cause."""
    error: BaseException = pickle.loads(pickled)
    error.__cause__ = _Traceback(trace)
    return error


class _Traceback(Exception):  # noqa: N818
    """The traceback of an error in the process that raised it."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"
