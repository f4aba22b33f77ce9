"""Users' functions in Python workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Placement
from ...engine.graph.limits import Remedies
from ...engine.graph.operator import Array
from ...engine.graph.params import BOOL, param
from ...engine.graph.user_calls import Callee, CallingProcesses, InputRows, Returned, Rows
from ...engine.order import philox
from ...engine.pending import Later, Pending, Then
from ...engine.printable import printable
from ...engine.tensors import TensorList, TensorListCPU
from ...engine.tensors.results import BatchRows, RowType
from .row_calls import RowCalls
from .user_data import Column, Expected, as_array, as_column, check_alike, check_column
from .user_function import UserFunction, check_size, guard_rows
from .user_source import GENERATOR

Results = Pending[tuple[TensorListCPU, ...]]
"""The results of a batch to come."""


class FunctionRequest(NamedTuple):
    """A request to call a function for some samples, or for a batch.

    Attributes:
        size: number of samples.
        epochs, positions: of the samples, for random generators; [] if the function wants none.
    """

    size: int
    epochs: list[int]
    positions: list[int]


class WorkerFunction(UserFunction):
    """A user's function that Python workers may call, and that may get random generators.

    Attributes:
        likely: the type of the rows of each output, as far as the last batch tells.
    """

    hands_generators = True
    batch_processing = param(BOOL, False, "Call the function once a batch.")
    parallel = param(
        BOOL,
        False,
        "Let the pipeline's Python workers call the function: processes, whose number is the "
        "pipeline's argument `py_num_workers`. On the CPU only.",
    )

    def prepare(self) -> None:
        super().prepare()
        if self.parallel and self.device != "cpu":
            self.refuse("parallel=True works on the CPU only; leave device='gpu' out")
        self.likely: list[RowType | None] = [None] * self.output_count

    def python_callee(self) -> FunctionCallee | None:
        return FunctionCallee(self, self.function) if self.parallel else None

    def remedies(self) -> Remedies:
        if self.parallel:
            instead = "operators (fn) instead of the function"
            return {"Python workers": ("more Python workers: py_num_workers", instead)}
        more = "Python workers: parallel=True, and the pipeline's py_num_workers"
        return {"feeder": ("operators (fn) instead of the function", more)}

    def call(self, *arguments: Any, **generator: Any) -> Any:
        """Call the function with an array for each input, or with a list of arrays."""
        return self.function(*arguments, **generator)

    def generator(self, batch: BatchContext, row: int) -> dict[str, Any]:
        """Return the argument of a sample's call for a random generator, if there is one."""
        if not self.takes_generator:
            return {}
        return {GENERATOR: self.generator_of(int(batch.epoch[row]), int(batch.position[row]))}

    def generators(self, batch: BatchContext) -> dict[str, object]:
        """Return the same argument of a batch's call."""
        if not self.takes_generator:
            return {}
        pairs = zip(batch.epoch.tolist(), batch.position.tolist(), strict=True)
        return {GENERATOR: [self.generator_of(*pair) for pair in pairs]}

    def generator_of(self, epoch: int, position: int) -> object:
        """Return the random generator of a sample."""
        return philox.generator(self.placement.random_key, epoch, position)

    def check_arrays(self, arrays: list[Array], first: list[Array] | None) -> None:
        """Compare the outputs of a sample with the declaration, and with another sample's."""
        for k, (array, expected) in enumerate(zip(arrays, self.expected, strict=True)):
            _check_layout(array, expected)
            if first is not None:
                check_alike([first[k], array], expected.what)

    def finished(self, results: list[BatchRows]) -> tuple[TensorListCPU, ...]:
        """Return the rows of each output as a batch."""
        pairs = zip(results, self.output_layouts(), strict=True)
        return tuple(rows.finish(layout) for rows, layout in pairs)


class FunctionCallee(Callee):
    """A function as Python workers have it: an operator of their own.

    Args:
        operator: the operator in the pipeline's process.
        user: the function.
    """

    def __init__(self, operator: WorkerFunction, user: Callable[..., object]) -> None:
        self.what = operator.called
        self.user = user
        constants = {k: v for k, v in operator.constants().items() if k != "function"}
        self._made = type(operator), operator.layouts, constants
        self._key = operator.placement.random_key

    def start(self) -> None:
        operator_class, layouts, constants = self._made
        self._operator = operator_class("cpu", (), layouts, **constants, function=self.user)
        self._operator.placement = Placement(random_key=self._key)

    def run(
        self, request: FunctionRequest, inputs: Sequence[InputRows], begin: Callable[[int], None]
    ) -> Returned:
        operator = self._operator
        generators: list[dict[str, object]] = [{}] * request.size
        if operator.takes_generator:
            pairs = zip(request.epochs, request.positions, strict=True)
            generators = [{GENERATOR: operator.generator_of(*pair)} for pair in pairs]
        if operator.batch_processing:
            return self._whole(inputs, generators)
        columns: list[Rows] = [[None] * request.size for _ in operator.expected]
        errors: dict[int, BaseException] = {}
        for i, generator in enumerate(generators):
            begin(i)
            try:
                rows = (column[i] for column in inputs)
                returned = operator.unpacked(operator.call(*rows, **generator))
                arrays = [as_array(*pair) for pair in zip(returned, operator.expected, strict=True)]
            except StopIteration:
                raise
            except Exception as error:
                errors[i] = error
                continue
            for column, array in zip(columns, arrays, strict=True):
                column[i] = array.copy()  # the function may use the memory again
        return Returned(columns, errors)

    def _whole(self, inputs: Sequence[InputRows], generators: list[dict[str, object]]) -> Returned:
        operator = self._operator
        generator = {}
        if operator.takes_generator:
            generator = {GENERATOR: [state[GENERATOR] for state in generators]}
        returned = operator.unpacked(operator.call(*map(list, inputs), **generator))
        pairs = zip(returned, operator.expected, strict=True)
        return Returned([as_column(*pair).rows for pair in pairs], {})


def begin_rows(
    operator: WorkerFunction,
    workers: CallingProcesses,
    batch: BatchContext,
    inputs: Sequence[TensorList],
) -> Results:
    """Have workers call a function for each good sample of a batch."""

    def call(rows: list[int], targets: list[Array | None]) -> Pending[Returned]:
        columns = [_rows_of(data, rows) for data in inputs]
        return _call(operator, workers, batch, rows, columns, targets)

    wanted = [i for i in range(batch.size) if i not in batch.errors]
    calls = RowCalls(workers, wanted, batch.size, operator.likely, batch.empty, call)

    def results() -> tuple[TensorListCPU, ...]:
        errors = calls.result()
        good: list[int] = []

        def compute(i: int) -> None:
            if i in errors:
                raise errors[i]
            operator.check_arrays(calls.arrays[i], calls.arrays[good[0]] if good else None)
            calls.enter(i)
            good.append(i)

        for i in guard_rows(batch, compute):
            calls.copy(good[0], to=i)
        operator.likely = calls.kinds()
        return operator.finished(calls.results)

    return Later(results)


def begin_batch(
    operator: WorkerFunction,
    workers: CallingProcesses,
    batch: BatchContext,
    inputs: Sequence[TensorList],
) -> Results:
    """Have a worker call a function for a batch."""
    rows = list(range(batch.size))
    columns = [_rows_of(data, rows) for data in inputs]

    def results(returned: Returned) -> tuple[TensorListCPU, ...]:
        batches = []
        for data, expected in zip(returned.columns, operator.expected, strict=True):
            check_column(data, expected)
            column = Column(data, expected.layout or "")
            check_size(column, expected, batch)
            batches.append(TensorListCPU(column.rows, column.layout))
        return tuple(batches)

    return Then(_call(operator, workers, batch, rows, columns, []), results)


def _call(
    operator: WorkerFunction,
    workers: CallingProcesses,
    batch: BatchContext,
    rows: list[int],
    inputs: list[InputRows],
    targets: list[Array | None],
) -> Pending[Returned]:
    request = FunctionRequest(len(rows), [], [])
    if operator.takes_generator:
        request = FunctionRequest(
            len(rows), batch.epoch[rows].tolist(), batch.position[rows].tolist()
        )
    number = batch.number

    def describe(row: int) -> str:
        if row < 0:
            return f"batch {number}"
        location = printable(batch.where(rows[row]))
        return f"sample {rows[row]} of batch {number}" + (f", from {location}" if location else "")

    ordinal = operator.placement.ordinal
    return workers.call(ordinal, request, inputs, targets, batch.empty, describe)


def _rows_of(data: TensorList, rows: list[int]) -> InputRows:
    """Return some rows: one array if they lie together, else the array of each row."""
    if rows[-1] - rows[0] + 1 == len(rows):
        window: InputRows = data.window(range(rows[0], rows[-1] + 1))
        return window
    return [data.row(i) for i in rows]


def _check_layout(array: Array, expected: Expected) -> None:
    if expected.layout and len(expected.layout) != array.ndim:
        raise ArgumentError(
            f"{expected.what} has the layout {expected.layout!r}, which does not describe a sample "
            f"of shape {array.shape}"
        )
