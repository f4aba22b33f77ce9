"""The messages between a pipeline's process and its worker processes.

A named tuple is sent as a plain tuple, and an answer as a plain tuple that starts with the name of
its class. Pickling plain tuples takes half the time.
"""

from __future__ import annotations

import pickle
import sys
import traceback
from typing import Any, NamedTuple

import numpy as np

from ..arrays import DType
from ..errors import WorkerError
from ..graph.operator import Array
from ..tensors.arena import PLAIN_DTYPES, Arena, ArenaSlot
from ..work.plan import Key

ArrayRef = ArenaSlot | tuple[bytes, tuple[int, ...], str] | Array
"""An array in a message: its slot in the arena, or its bytes, or (rare dtypes) the array itself."""

BlockRange = tuple[int, int, tuple[int, ...], str]
"""A row outside of the slab: number of its block, offset in the block, shape, dtype."""


class Job(NamedTuple):
    """A request to compute consecutive rows of a batch.

    Attributes:
        chain: number of the chain.
        program: the chain, pickled, if the process does not know it yet.
        size: rows in the whole batch.
        rows: the rows to compute, counted from the first row of the job.
        external: the columns that the chain needs; a list where rows lie apart.
        random: random numbers of the rows, by operator.
        targets: the slot of the job's rows in the slab of each result, by the result's key. None
            means that the rows lie apart. For a missing key the worker asks.
        most_bytes: that a row of a result may take, by the result's key.
    """

    chain: int
    program: bytes | None
    size: int
    rows: list[int]
    external: list[ArrayRef | list[ArrayRef]]
    random: dict[int, ArrayRef]
    targets: dict[Key, ArenaSlot | None]
    most_bytes: dict[Key, int | None] = {}  # noqa: RUF012  (a named tuple's default)


class AskSlab(NamedTuple):
    """A worker's question: the slot of the job's rows in a slab for rows like this one."""

    key: Key
    shape: tuple[int, ...]
    dtype: DType


class AskBlock(NamedTuple):
    """A worker's question: the slot of so many bytes for rows that lie apart, or for results."""

    nbytes: int


class RowsApart(NamedTuple):
    """The rows of a result that do not lie in its slab, by row.

    Attributes:
        in_blocks: rows in blocks that the worker asked for.
        elsewhere: all others.
    """

    in_blocks: dict[int, BlockRange]
    elsewhere: dict[int, ArrayRef]


class JobDone(NamedTuple):
    """The outcome of a job.

    Attributes:
        results: `RowsApart` of each result, by the result's key.
        errors: pickled errors with their tracebacks, by row.
        busy_ns, wait_ns, cpu_ns: clocks of the process since its start.
        events: `Operator.event_counts` of the operators that have any, by the number of the node.
        merged: see `RowWork.merged`.
    """

    results: dict[Key, tuple[Any, ...]]
    errors: dict[int, tuple[bytes, str]]
    busy_ns: dict[int, int]
    wait_ns: int
    cpu_ns: int
    events: dict[int, dict[str, int]]
    merged: dict[int, set[Any]]


def reference(array: Array, arena: Arena) -> ArrayRef:
    """Return the form in which a message carries an array."""
    slot = arena.slot_of(array)
    if slot is not None or array.dtype.kind not in PLAIN_DTYPES:
        return slot or array
    return array.tobytes(), array.shape, array.dtype.str


def resolve(carried: ArrayRef, arena: Arena) -> Array:
    """Return the array that a message carries."""
    if isinstance(carried, np.ndarray):
        return carried
    first, shape, dtype = carried
    if isinstance(first, bytes):
        return np.ndarray(shape, dtype, bytearray(first))  # writable, as all inputs are
    return arena.array((first, shape, dtype))


def pickled_error(error: BaseException) -> tuple[bytes, str]:
    """Return a pickled error and its traceback; `WorkerError` replaces an unpicklable error."""
    trace = "".join(traceback.format_exception(error))
    try:
        pickled = _dumps(error)
        pickle.loads(pickled)
    except Exception:
        cls = type(error)
        substitute = WorkerError(f"{cls.__module__}.{cls.__qualname__}: {error}")
        for note in getattr(error, "__notes__", ()):
            substitute.add_note(note)
        pickled = pickle.dumps(substitute)
    return pickled, trace


def _dumps(error: BaseException) -> bytes:
    cloudpickle = sys.modules.get("cloudpickle")
    if cloudpickle is None or type(error).__module__ != "__main__":
        return pickle.dumps(error)
    # The class came from the program by cloudpickle, which knows it again on the way back.
    data: bytes = cloudpickle.dumps(error)
    return data


def unpickled_error(pickled: bytes, trace: str) -> BaseException:
    """Return the error, with the worker's traceback as its cause."""
    error: BaseException = pickle.loads(pickled)
    error.__cause__ = _WorkerTraceback(trace)
    return error


class _WorkerTraceback(Exception):  # noqa: N818
    """The traceback of an error in the process that raised the error."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"
