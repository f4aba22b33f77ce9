"""One batch on its way through the pipeline."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..arrays import Int64s
from ..graph.context import BatchContext, HasPlacement
from ..graph.inputs import InputOperator
from ..graph.operator import Array
from ..graph.row_arguments import fit_arguments
from ..order import philox
from ..pending import Pending
from ..tensors import TensorList
from ..tensors.chosen_rows import holes, selected, spread, truth_of
from ..tensors.memory import SlabPool
from ..tensors.results import as_tensor_lists
from ..tensors.source_info import Names, inherited
from ..tensors.taken_memory import TakenMemory
from .batch_state import BatchSamples, DeviceDebts, RowErrors
from .frame_batches import batch_frames
from .inner_batches import BranchBatch
from .own_inputs import own_inputs

if TYPE_CHECKING:
    from ..gpu.device import Device
    from ..order.selection import Selection
    from .plan import Conditions, Key, Plan, Step


SegmentDone = Callable[["Batch", int, BaseException | None], None]
"""Takes a batch, the number of its segment that is done, and the error that ended the batch."""


class Batch:
    """Batch `number`: its samples, and its results so far.

    Attributes:
        number: counts the batches of a run from 0.
        count: number of the user's batches that it holds, end to end, from `number` on.
        plan: the plan that it follows.
        samples: its samples; `size`, `epoch`, `position` and `selections` are theirs.
        memory: the memory that it takes.
        values: outputs of each node that has run, by the node's ordinal.
        outputs: the pipeline's outputs, once the batch is done.
        rows: the errors of its rows.
        end: exception for the caller who asks for this batch: the end of the data, or an error.
        begun: what `begin_gpu` of the segment's first operator has returned, until it runs.
        device: memory, copies and launches on the device; set while GPU work is launched.
        debts: what it owes until the device has done its work.
        user_state: state of each input that user code feeds, by the node's name.
    """

    def __init__(
        self,
        number: int,
        size: int,
        pool: SlabPool,
        seed: int,
        first: int | None = None,
        count: int = 1,
    ) -> None:
        self.number = number
        self.count = count
        self.seed = seed
        self.plan: Plan
        self.samples = BatchSamples(size, number * size if first is None else first)
        self.memory = TakenMemory(pool)
        self.values: dict[int, tuple[TensorList, ...]] = {}
        self.outputs: tuple[TensorList, ...] = ()
        self.rows = RowErrors()
        self.end: BaseException | None = None
        self.begun: Any = None
        self.device: Device
        self.debts = DeviceDebts(self.rows)
        self.user_state: dict[str, Any] = {}

    @property
    def size(self) -> int:
        return self.samples.size

    @property
    def epoch(self) -> NDArray[np.int64]:
        return self.samples.epoch

    @property
    def position(self) -> NDArray[np.int64]:
        return self.samples.position

    @property
    def selections(self) -> dict[int, Selection]:
        return self.samples.selections

    @property
    def errors(self) -> dict[int, BaseException]:
        return self.rows.open

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        """Return uninitialized memory that is recycled when the last view of it is dropped."""
        return self.memory.empty(shape, dtype)

    def count_bytes(self, *, host: int = 0, device: int = 0) -> None:
        """Count memory that the batch takes and that came neither from `empty` nor `device`."""
        self.memory.count(host=host, device=device)

    def most_bytes_of(self, key: Key) -> int | None:
        """Return the bytes that a row of a result may take; None for any number."""
        most = self.memory.pool.most_output_bytes
        return most if most is not None and key in self.plan.outputs else None

    def finish(self, outputs: Sequence[Key], conditions: Sequence[Conditions] = ()) -> None:
        """Keep the outputs, and drop all other values.

        Args:
            outputs: of the pipeline.
            conditions: of each output; () if all outputs have all samples.
        """
        if self.end is None:
            wanted = conditions or ((),) * len(outputs)
            self.outputs = tuple(map(self._delivered, outputs, wanted))
        self.values.clear()

    def _delivered(self, output: Key, conditions: Conditions) -> TensorList:
        ordinal, i = output
        data = self.values[ordinal][i]
        if not conditions:
            return data.delivered(self.samples.valid, self.empty)
        rows = samples_that_meet(self, conditions)
        valid = None if self.samples.valid is None else self.samples.valid[rows]
        return selected(data, rows).delivered(valid, self.empty)

    def parts(self) -> list[Batch]:
        """Return the user's batches that it holds, with their outputs, once it is finished."""
        if self.count == 1:
            return [self]
        size = self.size // self.count
        parts = [
            Batch(self.number + i, size, self.memory.pool, self.seed) for i in range(self.count)
        ]
        for i, part in enumerate(parts):
            rows = range(i * size, (i + 1) * size)
            pieces = (output.part(rows) for output in self.outputs)
            part.outputs = tuple(piece.delivered(piece.valid, self.empty) for piece in pieces)
        return parts

    def fail(self, error: BaseException) -> None:
        """End the batch with an error; an error without notes gets the batch and the thread.

        The first error stays. Others follow from it: a thread may have lost the batch's values.
        """
        if not hasattr(error, "__notes__"):
            error.add_note(f"batch {self.number}, in {threading.current_thread().name}")
        if self.end is None or isinstance(self.end, StopIteration):
            self.end = error

    def fail_row(self, row: int, error: BaseException) -> None:
        """Enter the error of a row that cannot be computed; the row's first error stays."""
        self.errors.setdefault(row, error)

    def forget_errors(self) -> None:
        """Drop the errors: their tracebacks hold the batch, which would keep its memory."""
        self.errors.clear()
        self.end = None

    def where(self, row: int) -> str:
        """Return the location of the sample in `row`, or ""."""
        return self.samples.where(row)

    def check_later(self, check: Callable[[], None]) -> None:
        """Have `check` called when the device is done, to call `fail_row`."""
        self.debts.check_later(check)

    def random(self, operator: HasPlacement, count: int) -> NDArray[np.float64]:
        """Return `count` numbers in [0, 1) a sample: (size, count) float64.

        The numbers depend on the seed, the operator, and each sample's epoch and position alone.
        """
        key = operator.placement.random_key
        return philox.uniform(key, self.epoch, self.position, count)


def begin_batch_step(step: Step, batch: Batch) -> None:
    """Let an operator begin what the CPU does for its GPU work."""
    rows = _rows_of(step, batch)
    if rows.size and step.node.sequences is None:
        inputs, arguments = _data(step, batch, rows)
        batch.begun = step.node.operator.begin_gpu(rows, *inputs, **arguments)


def run_batch_step(
    step: Step, batch: Batch, stage: str, begun: Pending[Any] | None = None
) -> Pending[Any] | None:
    """Run a whole-batch operator, or wait for the work that it has begun; store its results.

    Returns:
        None; or the results to come, if the operator has begun work elsewhere.
    """
    node = step.node
    rows = _rows_of(step, batch)
    if rows.size == 0 and (stage == "GPU" or step.conditions):  # no operator meets an empty batch
        batch.values[node.ordinal] = tuple(
            holes(batch.size, data.device, data.layout) for data in node.outputs
        )
        return None
    failed = set(batch.errors)
    batch.rows.note = f"in {step.title}, {stage} stage"
    try:
        result = _computed(step, batch, rows, stage) if begun is None else begun.result()
        if isinstance(result, Pending):
            return result
        assumed, names = node.operator.assumed_layouts, _names(step, batch)
        if isinstance(rows, BranchBatch):
            unnamed = as_tensor_lists(result, rows.size, step.layouts, assumed, [None] * len(names))
            lists = tuple(
                spread(data, rows.samples, batch.size).with_source_info(of_result)
                for data, of_result in zip(unnamed, names, strict=True)
            )
        else:
            lists = as_tensor_lists(result, batch.size, step.layouts, assumed, names)
        batch.values[node.ordinal] = lists
    except BaseException as error:
        error.add_note(f"{batch.rows.note}, batch {batch.number}")
        raise
    batch.rows.annotate(failed, batch.rows.note)
    return None


def _computed(step: Step, batch: Batch, rows: Batch | BranchBatch, stage: str) -> Any:
    """Return the operator's result for some rows of a batch."""
    node = step.node
    inputs, arguments = _data(step, batch, rows)
    if step.shared:
        values = batch.values
        others = [values[ordinal][i] for ordinal, i in step.shared if ordinal in values]
        inputs = own_inputs(rows, inputs, others)
    method = getattr(node.operator, "batch_gpu" if stage == "GPU" else "batch")

    def work(rows: BatchContext, *inputs: TensorList, **given: object) -> Any:
        return method(rows, *inputs, **fit_arguments(node.operator, rows, given))

    if node.sequences is None:
        return work(rows, *inputs, **arguments)
    return batch_frames(node.sequences, rows, inputs, arguments, work, len(node.outputs))


def _rows_of(step: Step, batch: Batch) -> Batch | BranchBatch:
    """Return the samples that a step computes: the batch, or those that take its branch."""
    if not step.conditions:
        return batch
    samples = samples_that_meet(batch, step.conditions)
    if len(samples) == batch.size:
        return batch
    rows = BranchBatch(batch, samples)
    rows.begun, batch.begun = batch.begun, None
    return rows


def samples_that_meet(batch: Batch, conditions: Conditions) -> Int64s:
    """Return the samples whose conditions have the wanted values."""
    meets = np.ones(batch.size, bool)
    for (ordinal, i), wanted in conditions:
        meets &= truth_of(batch.values[ordinal][i]) == wanted
    return np.flatnonzero(meets)


def _data(
    step: Step, batch: Batch, rows: Batch | BranchBatch
) -> tuple[list[TensorList], dict[str, Any]]:
    """Return the inputs and arguments of a step, for some rows of a batch."""

    def data(key: Key) -> TensorList:
        ordinal, i = key
        whole = batch.values[ordinal][i]
        return selected(whole, rows.samples) if isinstance(rows, BranchBatch) else whole

    arguments = dict(step.constants)
    for name, key, _ in step.arguments:
        arguments[name] = data(key)
    return [data(key) for key in step.inputs], arguments


def _names(step: Step, batch: Batch) -> list[Names | None]:
    """Return the names of the samples in each result of a step."""
    node = step.node
    operator, selection = node.operator, batch.selections.get(node.ordinal)
    if selection is not None and isinstance(operator, InputOperator):
        return [operator.source_info(selection, i) for i in range(len(node.outputs))]
    names = inherited([batch.values[ordinal][i].names for ordinal, i in step.inputs])
    return [names] * len(node.outputs)
