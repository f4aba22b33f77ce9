"""One batch on its way through the pipeline."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from . import philox
from .errors import ArgumentError
from .memory import SlabPool
from .operator import Array, BatchOperator, InputOperator, Operator, SampleOperator
from .tensors import TensorList, TensorListCPU, TensorListGPU

if TYPE_CHECKING:
    from .device import Device
    from .plan import Key, Step
    from .sampler import Draw


RowKind = tuple[tuple[int, ...], np.dtype[Any]]
"""Shape and type of a sample's row."""


class Batch:
    """What is known of batch `number`, and what has been computed of it so far.

    Attributes:
        number: counts the batches of a run from 0.
        size: number of samples.
        epoch, position: of each sample, for randomness: (size,) int64.
        values: for each node (by ordinal) that has run, its outputs.
        errors: the rows that could not be computed, and why.
        end: raised to whoever asks for this batch (the data is at its end, or a bug).
        outputs: what the pipeline returns of it, once it is done.
        taken_bytes: memory it has asked the pool for, to estimate what the next one will need.
        taken_device_bytes: the same of the device's memory.
        device: what GPU work is done with; set while it is launched.
        held: host memory that the device still reads or writes.
        checks: called once the device has done its work: see `check_later`.
        place: operator and stage at work, for notes on errors.
    """

    def __init__(
        self, number: int, size: int, pool: SlabPool, seed: int, first: int | None = None
    ) -> None:
        first = number * size if first is None else first
        self.number = number
        self.size = size
        self.seed = seed
        self.pool = pool
        self.epoch: NDArray[np.int64] = np.zeros(size, np.int64)
        self.position: NDArray[np.int64] = np.arange(first, first + size, dtype=np.int64)
        self.valid: NDArray[np.bool_] | None = None
        self.source_info: Sequence[str] | None = None
        self.draws: dict[int, Draw] = {}
        self.values: dict[int, tuple[TensorList, ...]] = {}
        self.errors: dict[int, BaseException] = {}
        self.end: BaseException | None = None
        self.user_state: dict[str, Any] = {}
        self.outputs: tuple[TensorList, ...] = ()
        self.taken_bytes = 0
        self.taken_device_bytes = 0
        self.device: Device
        self.held: list[Any] = []
        self.checks: list[tuple[str, Callable[[], None]]] = []
        self.place = ""

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        """Return uninitialised memory that is recycled when the last view of it is dropped."""
        array = self.pool.empty(shape, dtype)
        self.taken_bytes += array.nbytes
        return array

    def finish(self, outputs: Sequence[Key]) -> None:
        """Keep the outputs, and drop what led to them."""
        if self.end is None:
            self.outputs = tuple(self.values[ordinal][i].writable() for ordinal, i in outputs)
        self.values.clear()

    def forget_errors(self) -> None:
        """Drop the errors: their tracebacks hold the batch, which would keep its memory."""
        self.errors.clear()
        self.end = None

    def resize(self, size: int) -> None:
        """Set the number of samples, once the inputs have told it."""
        if size != self.size:
            first = int(self.position[0])
            self.size = size
            self.epoch = np.zeros(size, np.int64)
            self.position = np.arange(first, first + size, dtype=np.int64)

    def set_draw(self, ordinal: int, draw: Draw, reader: InputOperator) -> None:
        """Note which samples a reader takes; the first reader's places key the randomness."""
        if not self.draws:
            self.epoch, self.position = draw.epoch, draw.position
        if self.source_info is None:
            self.source_info = reader.where(draw)
        if self.valid is None and not draw.valid.all():
            self.valid = draw.valid
        self.draws[ordinal] = draw

    def where(self, row: int) -> str:
        """Say where the sample in `row` is stored, or ""."""
        return self.source_info[row] if self.source_info is not None else ""

    def mark_invalid(self, row: int) -> None:
        """Note that `row` holds a stand-in."""
        if self.valid is None:
            self.valid = np.ones(self.size, bool)
        self.valid[row] = False

    def check_later(self, check: Callable[[], None]) -> None:
        """Have `check` called when the device is done, to enter rows in `errors`."""
        self.checks.append((self.place, check))

    def run_checks(self) -> None:
        """Do what had to wait for the device."""
        for place, check in self.checks:
            failed = set(self.errors)
            check()
            self.note_errors(failed, place)
        self.checks.clear()

    def note_errors(self, before: set[int], place: str) -> None:
        """Add where it happened to the errors of rows that are not among those `before`."""
        for row in self.errors.keys() - before:
            self.errors[row].add_note(place)

    def random(self, operator: Operator, count: int) -> NDArray[np.float64]:
        """Return `count` numbers in [0, 1) a sample: (size, count) float64.

        They depend on the seed, the operator, and each sample's epoch and position alone.
        """
        return philox.uniform(self.seed, operator.stream, self.epoch, self.position, count)


def as_results(result: Any, count: int) -> tuple[Any, ...]:
    """Return what an operator returned as a tuple of `count` results, which may be none."""
    results = result if isinstance(result, tuple) else (result,)
    if count == 0 and result is None:
        return ()
    if len(results) != count:
        raise ArgumentError(f"returned {len(results)} results, but has {count} outputs")
    return results


def as_tensor_list(result: Any, batch: Batch, layout: str) -> TensorList:
    """Wrap what a batch operator returned; check that it has a row a sample."""
    rows = result if isinstance(result, TensorList) else TensorListCPU(result, layout)
    if isinstance(rows, TensorListGPU) and layout:
        rows = rows.with_layout(layout)
    if len(rows) != batch.size:
        raise ArgumentError(f"returned {len(rows)} samples for a batch of {batch.size}")
    return rows


def run_batch_step(step: Step, batch: Batch, stage: str) -> None:
    """Run a whole-batch operator and store what it returns."""
    node = step.node
    operator = node.operator
    values = batch.values
    if stage == "GPU" and batch.size == 0:  # so that no operator needs to think of it
        kinds = {"cpu": TensorListCPU, "gpu": TensorListGPU}
        values[node.ordinal] = tuple(kinds[data.device]([], data.layout) for data in node.outputs)
        return
    inputs = [values[ordinal][i] for ordinal, i in step.inputs]
    arguments = dict(step.constants)
    for name, (ordinal, i), _ in step.arguments:
        arguments[name] = values[ordinal][i]
    failed = set(batch.errors)
    batch.place = f"in {node}, {stage} stage"
    try:
        if stage == "GPU":
            result = operator.gpu(batch, *inputs, **arguments)
        else:
            assert isinstance(operator, BatchOperator | SampleOperator)
            result = operator.batch(batch, *inputs, **arguments)
        results = as_results(result, len(node.outputs))
        values[node.ordinal] = tuple(
            as_tensor_list(r, batch, data.layout)
            for r, data in zip(results, node.outputs, strict=True)
        )
    except BaseException as error:
        error.add_note(f"{batch.place}, batch {batch.number}")
        raise
    batch.note_errors(failed, batch.place)


class RowStore:
    """One output of a sample operator: rows that lie in one slab if they fit, or else apart.

    Args:
        size: number of rows.
    """

    def __init__(self, size: int) -> None:
        self._rows: list[Any] = [None] * size

    def slab(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array | None:
        """Return the memory of all rows; None if a row of this shape has no place in it."""
        raise NotImplementedError

    def apart(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        """Return memory for a row that has no place in the slab."""
        raise NotImplementedError

    def empty(self, i: int, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        """Return memory for row `i`."""
        slab = self.slab(shape, dtype)
        return self.apart(tuple(shape), dtype) if slab is None else row_of(slab, i)

    def put(self, i: int, array: Array, granted: Array | None) -> Array:
        """Store row `i`; whatever does not lie in memory granted for it is copied there.

        Returns the row as stored. `array` may be changed: it may be a view of that memory.
        """
        if array is not granted:
            own = self.empty(i, array.shape, array.dtype)
            np.copyto(own, array)
            array = own
        self._rows[i] = array
        return array

    def row(self, i: int) -> Array:
        """Return row `i`."""
        array: Array = self._rows[i]
        return array


def row_of(slab: Array, i: int) -> Array:
    """Return row `i` of an array, also if it has no dimension left."""
    row: Array = slab[i, ...]
    return row


class Rows(RowStore):
    """The rows of a batch, filled by several threads.

    The first row that asks for memory decides the shape of the batch's slab. Rows of another
    shape get memory of their own, and the batch is ragged.
    """

    def __init__(self, batch: Batch, dense_hint: bool) -> None:
        super().__init__(batch.size)
        self._batch = batch
        self._lock = threading.Lock()
        self._slab: Array | None = None
        self._ragged = not dense_hint

    def slab(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array | None:
        if self._ragged:
            return None
        slab = self._slab
        if slab is None:
            with self._lock:
                if self._slab is None:
                    self._slab = self._batch.empty((self._batch.size, *shape), dtype)
                slab = self._slab
        if slab.shape[1:] == tuple(shape) and slab.dtype == dtype:
            return slab
        self._ragged = True
        return None

    def apart(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        return self._batch.empty(shape, dtype)

    @property
    def made(self) -> Array | None:
        """The slab, if a row has asked for it."""
        return self._slab

    @property
    def ragged(self) -> bool:
        """Whether rows lie apart."""
        return self._ragged

    def adopt(self, i: int, array: Array) -> None:
        """Store row `i`, which lies apart, in memory of the batch."""
        self._ragged = True
        self._rows[i] = array

    def adopt_from_slab(self, rows: Iterable[int]) -> None:
        """Store rows that were written into the slab."""
        for i in rows:
            assert self._slab is not None
            self._rows[i] = row_of(self._slab, i)

    @property
    def kind(self) -> RowKind | None:
        """Shape and type of the rows; None if they differ, and the next batch needs no slab."""
        kinds = {(row.shape, row.dtype) for row in self._rows if row is not None}
        return kinds.pop() if len(kinds) == 1 else None

    def finish(self, layout: str) -> TensorListCPU:
        """Return the filled rows; a row that failed is None."""
        dense = not self._ragged and self._slab is not None
        return TensorListCPU(self._slab if dense else self._rows, layout)
