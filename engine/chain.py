"""Sample segments at work: one sample goes through all operators of the segment at once.

No barrier stands between the operators, so the data stays in the core's cache; memory for
results that nobody outside needs is a scratch buffer of the worker, memory for the
others is the sample's row in the batch's slab.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from time import perf_counter_ns
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .batch import Batch, RowKind, Rows, RowStore, as_results
from .errors import ArgumentError
from .operator import Array, Row, SampleOperator
from .params import from_row
from .plan import Key, Segment, Step
from .tensors import TensorList


@dataclass(frozen=True)
class _Stage:
    """A step with its data resolved to places in the sample's list of values."""

    ordinal: int
    node: str
    operator: SampleOperator
    constants: dict[str, Any]
    inputs: tuple[int, ...]
    arguments: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[int, Key, bool], ...]


class Chain:
    """The compiled form of a sample segment; picklable, if its operators' arguments are.

    Attributes:
        last: shape and type of the rows of each result in the last batch; None if they differed.
        likely: the same, if the batch before that had them, too.
    """

    def __init__(self, segment: Segment) -> None:
        made_here = {step.node.ordinal for step in segment.steps}
        places: dict[Key, int] = {}
        for step in segment.steps:
            for key in (*step.inputs, *(key for _, key, _ in step.arguments)):
                if key[0] not in made_here:
                    places.setdefault(key, len(places))
        self.external = tuple(places)
        for step in segment.steps:
            for i in range(len(step.kept)):
                places[step.node.ordinal, i] = len(places)
        self.size = len(places)
        self.stages = tuple(_stage(step, places) for step in segment.steps)
        self.kept = tuple(key for s in self.stages for _, key, kept in s.outputs if kept)
        self.layouts = {
            (step.node.ordinal, i): data.layout
            for step in segment.steps
            for i, data in enumerate(step.node.outputs)
        }
        self.last: dict[Key, RowKind | None] = {}
        self.likely: dict[Key, RowKind | None] = {}

    def was_ragged(self, key: Key) -> bool:
        """Whether the rows of a result differed in the last batch."""
        return key in self.last and self.last[key] is None

    def note(self, key: Key, kind: RowKind | None) -> None:
        """Note what the rows of a result were like, for the next batch."""
        self.likely[key] = kind if kind == self.last.get(key) else None
        self.last[key] = kind

    def start(self, batch: Batch, share: int = 1) -> ChainRun:
        """Get ready to compute `batch`, whose earlier segments are done, in shares of rows."""
        return ChainRun(self, batch, share)


def _stage(step: Step, places: dict[Key, int]) -> _Stage:
    operator = step.node.operator
    assert isinstance(operator, SampleOperator)
    ordinal = step.node.ordinal
    return _Stage(
        ordinal,
        str(step.node),
        operator,
        step.constants,
        tuple(places[key] for key in step.inputs),
        tuple((name, places[key]) for name, key, _ in step.arguments),
        tuple((places[ordinal, i], (ordinal, i), kept) for i, kept in enumerate(step.kept)),
    )


@dataclass(eq=False)
class Work:
    """Rows to compute: the operators, the data, where the results go, and the random numbers."""

    chain: Chain
    external: Sequence[TensorList]
    rows: Mapping[Key, RowStore]
    random: Mapping[int, Array]


class ChainRun(Work):
    """One batch in one chain: what the workers share.

    Args:
        chain: the operators.
        batch: its earlier segments are done.
        share: how many rows a worker takes at a time.
        alone: only a row or two will be computed, which need no slab for the whole batch.
    """

    rows: dict[Key, Rows]

    def __init__(self, chain: Chain, batch: Batch, share: int = 1, *, alone: bool = False) -> None:
        super().__init__(
            chain,
            [batch.values[ordinal][i] for ordinal, i in chain.external],
            {key: Rows(batch, not (alone or chain.was_ragged(key))) for key in chain.kept},
            {
                stage.ordinal: batch.random(stage.operator, stage.operator.draws)
                for stage in chain.stages
                if stage.operator.draws
            },
        )
        self.batch = batch
        self.lock = threading.Lock()
        self.shared: list[Any] | None = None  # `external` as told to worker processes
        self.shares = -(-batch.size // share)
        self._share = share
        self._tickets = itertools.count()
        self._receipts = itertools.count(1)

    def next_rows(self) -> range:
        """Return the next rows to compute, which are none at the batch's end."""
        first = next(self._tickets) * self._share  # atomic: no lock a sample
        return range(first, min(first + self._share, self.batch.size))

    def rows_done(self) -> bool:
        """Note that a share of rows is finished; True for the last one of the batch."""
        return next(self._receipts) == self.shares

    def finish(self) -> None:
        """Hand the rows over to the batch."""
        values: dict[int, list[Any]] = {}
        for stage in self.chain.stages:
            values[stage.ordinal] = [None] * len(stage.outputs)
        for key, rows in self.rows.items():
            ordinal, i = key
            values[ordinal][i] = rows.finish(self.chain.layouts[key])
            self.chain.note(key, rows.kind)
        for ordinal, results in values.items():
            self.batch.values[ordinal] = tuple(results)


class Worker(Row):
    """What one worker thread computes with: scratch memory and clocks of its own."""

    def __init__(self) -> None:
        self._scratch: dict[tuple[int, int], NDArray[np.uint8]] = {}
        self.busy_ns: dict[int, int] = {}
        self.wait_ns = 0
        self.cpu_ns = 0
        self._run: Work
        self._i = 0
        self._ordinal = 0
        self._scratches = 0
        self._granted: dict[Key, Array] = {}

    def compute(self, run: Work, i: int) -> None:
        """Take row `i` of the batch through the chain."""
        stages = run.chain.stages
        values: list[Any] = [None] * run.chain.size
        for place, column in enumerate(run.external):
            values[place] = column.row(i)
        self._run, self._i = run, i
        stage = stages[0]
        try:
            for stage in stages:
                self._compute_stage(stage, values)
        except BaseException as error:
            error.add_note(f"in {stage.node}, CPU stage")
            raise
        finally:
            self._granted.clear()
            del self._run  # it holds the memory of its batch

    def _compute_stage(self, stage: _Stage, values: list[Any]) -> None:
        started = perf_counter_ns()
        ordinal = self._ordinal = stage.ordinal
        self._scratches = 0
        if stage.operator.draws:
            self.random = self._run.random[ordinal][self._i]
        arguments = stage.constants
        if stage.arguments:
            arguments = dict(arguments)
            for name, place in stage.arguments:
                arguments[name] = _argument(stage.operator, name, values[place])
        result = stage.operator.sample(self, *[values[p] for p in stage.inputs], **arguments)
        if not isinstance(result, tuple) and len(stage.outputs) == 1:
            results: tuple[Any, ...] = (result,)
        else:
            results = as_results(result, len(stage.outputs))
        for place, key, kept in stage.outputs:
            array = results[key[1]]
            if kept:
                array = self._run.rows[key].put(self._i, array, self._granted.get(key))
            values[place] = array
        self.busy_ns[ordinal] = self.busy_ns.get(ordinal, 0) + perf_counter_ns() - started

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike, output: int = 0) -> Array:
        key = self._ordinal, output
        rows = self._run.rows.get(key)
        if rows is None:
            return self._buffer(key, shape, dtype)
        granted = self._granted[key] = rows.empty(self._i, shape, np.dtype(dtype))
        return granted

    def scratch(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        self._scratches -= 1  # negative: outputs count from 0
        return self._buffer((self._ordinal, self._scratches), shape, dtype)

    def _buffer(self, key: Key, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        buffer = self._scratch.get(key)
        if buffer is not None:
            try:
                return np.ndarray(shape, dtype, buffer)
            except TypeError:  # it is too small; to ask for its size first would take longer
                pass
        nbytes = max(1, prod(shape) * np.dtype(dtype).itemsize)
        buffer = self._scratch[key] = np.empty(nbytes, np.uint8)
        return np.ndarray(shape, dtype, buffer)


def _argument(operator: SampleOperator, name: str, value: Array) -> Any:
    declared = operator.params[name]
    try:
        return from_row(declared, value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArgumentError(
            f"fn.{operator.name}: the argument {name!r} must be "
            f"{declared.kind.annotation}, but is {value!r} for this sample ({error})"
        ) from error
