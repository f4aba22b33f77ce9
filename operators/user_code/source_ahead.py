"""External sources in Python workers: batches are asked for ahead of their turn."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...engine.graph.operator import Array
from ...engine.graph.user_calls import Callee, CallingProcesses, InputRows, Returned, Rows
from ...engine.pending import Pending, Then
from ...engine.tensors import TensorListCPU
from ...engine.tensors.results import RowType
from .row_calls import RowCalls
from .source_calls import Moment, SourceCalls
from .source_state import restore
from .user_data import Expected, as_array, as_column, check_column, own_layout


class Begin(NamedTuple):
    """What an iterable does before its first item of a generation: see `SourceRequest`.

    Attributes:
        forget: start again.
        state: the state of a checkpoint from which to go on.
    """

    forget: bool = False
    state: dict[str, Any] | None = None


class SourceRequest(NamedTuple):
    """A request for a batch, or for some samples of a batch.

    Attributes:
        moment: of the batch.
        samples: the rows that are wanted; None for the whole batch.
        generation: counts how often what was asked ahead was dropped. After its end, an iterable
            has no items left in this generation.
        begin: what comes before the first item of a generation.
    """

    moment: Moment
    samples: range | None
    generation: int
    begin: Begin


class SourceCallee(Callee):
    """An external source, as Python workers have it.

    Args:
        user: the source.
        arguments: of `SourceCalls`, but for the source.
        expected: the declaration of each output.
        key: of the random generators.
        is_stateful: whether it is an iterable, which one worker has to iterate over.
    """

    def __init__(
        self,
        user: object,
        arguments: dict[str, Any],
        expected: Sequence[Expected],
        key: int,
        is_stateful: bool,
    ) -> None:
        self.what = arguments["called"]
        self.user = user
        self.is_stateful = is_stateful
        self._arguments = arguments
        self._expected = expected
        self._key = key
        self._generation = 0
        self._has_ended = False

    def start(self) -> None:
        self._calls = SourceCalls(self.user, **self._arguments)
        self._calls.key = self._key

    def run(
        self, request: SourceRequest, inputs: Sequence[InputRows], begin: Callable[[int], None]
    ) -> Returned:
        moment = request.moment
        if request.samples is not None:
            return self._samples(moment, request.samples, begin)
        data = self._next(request) if self.is_stateful else self._calls.batch(moment)
        columns = [as_column(*pair) for pair in zip(data, self._expected, strict=True)]
        state: dict[str, Any] = {"layouts": [column.layout for column in columns]}
        if self.is_stateful:
            state["position"] = self._calls.source.position()
            if hasattr(self.user, "state_dict"):
                state["source"] = self.user.state_dict()
        return Returned([column.rows for column in columns], {}, state)

    def _next(self, request: SourceRequest) -> Sequence[object]:
        """Return the next item of an iterable, which has no items behind its end."""
        self._turn_to(request)
        if self._has_ended:
            raise StopIteration
        try:
            return self._calls.batch(request.moment)
        except StopIteration:
            self._has_ended = True
            raise

    def _turn_to(self, request: SourceRequest) -> None:
        """Begin a new generation if the request is the first one of it."""
        if request.generation == self._generation:
            return
        self._generation, self._has_ended = request.generation, False
        if request.begin.forget:
            self._calls.source.forget()
        if request.begin.state is not None:
            restore(self._calls.source, self.user, request.begin.state)

    def _samples(self, moment: Moment, rows: range, begin: Callable[[int], None]) -> Returned:
        columns: list[Rows] = [[None] * len(rows) for _ in self._expected]
        layouts = [""] * len(self._expected)
        errors: dict[int, BaseException] = {}
        for row, i in enumerate(rows):
            begin(row)
            try:
                sample = self._calls.by_output(self._calls.sample(moment, i))
                arrays = [as_array(*pair) for pair in zip(sample, self._expected, strict=True)]
            except StopIteration:
                raise
            except Exception as error:
                errors[row] = error
                continue
            for k, (value, array) in enumerate(zip(sample, arrays, strict=True)):
                columns[k][row] = array.copy()  # the source may use the memory again
                layouts[k] = own_layout([value], self._expected[k].what) or layouts[k]
        return Returned(columns, errors, {"layouts": layouts})


class SourceBatch(NamedTuple):
    """A batch that workers have computed.

    Attributes:
        columns: the samples of each output.
        errors: of samples in sample mode, by row. Another sample stands in such a row.
        state: of an iterable behind the batch, for checkpoints.
    """

    columns: list[TensorListCPU]
    errors: dict[int, BaseException]
    state: dict[str, Any]


class SourceAhead:
    """Has Python workers call a source ahead of the batches that are wanted.

    Args:
        workers: the processes.
        ordinal: number of the source's node.
        expected: the declaration of each output.
        samples: number of samples of a batch that are asked for one by one; None if the source
            returns batches.
        is_stateful: whether the source is an iterable.
        depth: number of batches that are asked for ahead.

    Attributes:
        state: of an iterable behind the last batch, for checkpoints.
    """

    def __init__(
        self,
        workers: CallingProcesses,
        ordinal: int,
        expected: Sequence[Expected],
        samples: int | None,
        is_stateful: bool,
        depth: int,
    ) -> None:
        self._workers = workers
        self._ordinal = ordinal
        self._expected = expected
        self._samples = samples
        self._is_stateful = is_stateful
        self._depth = depth
        self.state: dict[str, Any] = {"position": 0}
        self._generation = 0
        self._begin = Begin()
        self._asked: deque[tuple[Moment, Pending[SourceBatch]]] = deque()
        self._likely: list[RowType | None] = [None] * len(expected)

    def drop(self, begin: Begin | None = None) -> None:
        """Drop what was asked ahead; `begin` says where an iterable goes on."""
        for _, asked in self._asked:
            asked.cancel()
        self._asked.clear()
        self._generation += 1
        self._begin = begin or Begin()
        if self._begin.forget:
            self.state = {"position": 0}
        elif self._begin.state is not None:
            self.state = {k: v for k, v in self._begin.state.items() if k in ("position", "source")}

    def reset(self, starts_over: bool) -> None:
        """Begin an epoch: an iterable that starts over does so now, and others go on."""
        if starts_over or not self._is_stateful:
            self.drop(Begin(forget=starts_over))

    def take(self, moment: Moment) -> SourceBatch:
        """Return the batch of a moment; raise StopIteration at the end of the data."""
        if not self._is_stateful and self._asked and self._asked[0][0] != moment:
            self.drop()
        self._ask_ahead(moment)
        _, asked = self._asked.popleft()
        try:
            batch = asked.result()
        except BaseException:
            self.drop()  # what comes behind the end, or behind an error
            raise
        self._ask_ahead(self._after(moment))
        if self._is_stateful:
            self.state = {k: v for k, v in batch.state.items() if k != "layouts"}
        return batch

    def _ask_ahead(self, moment: Moment) -> None:
        """Ask for so many batches, of which the first one is that of the moment."""
        if self._asked:
            moment = self._after(self._asked[-1][0])
        while len(self._asked) < self._depth:
            self._asked.append((moment, self._ask(moment)))
            moment = self._after(moment)

    def _after(self, moment: Moment) -> Moment:
        return Moment(moment.epoch, moment.iteration + 1, moment.sample + (self._samples or 0))

    def _ask(self, moment: Moment) -> Pending[SourceBatch]:
        if self._samples is None:
            return Then(self._call(moment, None, []), self._whole)
        rows = RowCalls(
            self._workers,
            range(self._samples),
            self._samples,
            self._likely,
            self._workers.empty,
            lambda chosen, targets: self._call(moment, range(chosen[0], chosen[-1] + 1), targets),
        )
        return Then(rows, lambda errors: self._of_samples(rows, errors))

    def _call(
        self, moment: Moment, samples: range | None, targets: list[Array | None]
    ) -> Pending[Returned]:
        request = SourceRequest(moment, samples, self._generation, self._begin)

        def describe(row: int) -> str:
            batch = f"batch {moment.iteration} of epoch {moment.epoch}"
            if samples is None:
                return batch
            first = samples.start if row < 0 else samples[row]
            return f"sample {moment.sample + first} of the epoch, in {batch}"

        empty = self._workers.empty
        return self._workers.call(self._ordinal, request, (), targets, empty, describe)

    def _whole(self, returned: Returned) -> SourceBatch:
        pairs = zip(returned.columns, returned.state["layouts"], strict=True)
        return SourceBatch([TensorListCPU(*pair) for pair in pairs], {}, returned.state)

    def _of_samples(self, rows: RowCalls, errors: dict[int, BaseException]) -> SourceBatch:
        if not rows.arrays:
            raise errors[min(errors)]
        good = sorted(rows.arrays)
        for k, expected in enumerate(self._expected):
            check_column([rows.arrays[row][k] for row in good], expected)
        for row in good:
            rows.enter(row)
        for row in errors:
            rows.copy(good[0], to=row)
        self._likely = rows.kinds()
        columns = []
        for k, (results, expected) in enumerate(zip(rows.results, self._expected, strict=True)):
            own = next((layout for state in rows.states if (layout := state["layouts"][k])), "")
            columns.append(results.finish(expected.layout or own))
        return SourceBatch(columns, errors, {})
