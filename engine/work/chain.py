"""Sample segments at work: one sample goes through all operators of the segment at once.

No barrier stands between the operators, so the data stay in the core's cache. A result that is
needed outside of the segment lies in the sample's row of the batch's slab. Any other result lies
in a scratch buffer of the worker.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter_ns
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from ..errors import ArgumentError, PipelineStopped
from ..graph.branch_operators import Merge, divergent, kind_of
from ..graph.context import Workspace
from ..graph.operator import Array, SampleOperator
from ..graph.row_arguments import value_of_row
from ..graph.sequences import Sequences
from ..tensors import TensorList
from ..tensors.chosen_rows import merged_names, truth_of
from ..tensors.memory import Scratch
from ..tensors.results import BatchRows, RowStore, RowType, as_results
from ..tensors.source_info import Names, inherited
from .batch import Batch
from .frames import sample_frames
from .plan import Key, Plan, Segment, SegmentType, Step, is_light

_numbers = itertools.count()


class ChainStep(NamedTuple):
    """An operator whose data are resolved to indices in the sample's list of values."""

    ordinal: int
    node: str
    operator: SampleOperator
    sequences: Sequences | None
    constants: dict[str, Any]
    inputs: tuple[int, ...]
    arguments: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[int, Key, bool], ...]
    conditions: tuple[tuple[int, bool], ...]


class Chain:
    """The compiled form of a sample segment; picklable if its operators' arguments are.

    Attributes:
        number: of this chain, among all chains of the process.
        last: shape and dtype of each result's rows in the last batch; None if the rows differed.
        likely: the same, if the batch before the last one agrees.
        is_conditional: whether some operators compute only some samples.
        homes: results that lie in the memory of another result, by their keys: those of branches
            whose next operator merges the branches.
    """

    def __init__(self, segment: Segment) -> None:
        self.number = next(_numbers)
        made_here = {step.node.ordinal for step in segment.steps}
        slots: dict[Key, int] = {}  # the keys by their slots: those from outside come first
        for step in segment.steps:
            data = (*step.inputs, *(key for _, key, _ in step.arguments))
            for key in (*data, *(key for key, _ in step.conditions)):
                if key[0] not in made_here:
                    slots.setdefault(key, len(slots))
        self.external = tuple(slots)
        for step in segment.steps:
            for i in range(len(step.kept)):
                slots[step.node.ordinal, i] = len(slots)
        self.size = len(slots)
        self.keys = tuple(slots)
        self.steps = tuple(_chain_step(step, slots) for step in segment.steps)
        self.kept = tuple(key for step in self.steps for _, key, kept in step.outputs if kept)
        self.is_conditional = any(
            step.conditions or isinstance(step.node.operator, Merge) for step in segment.steps
        )
        self.homes = _homes(segment.steps) if self.is_conditional else {}
        self.assumed_layouts = {
            step.node.ordinal: dict(step.node.operator.assumed_layouts)  # any mapping, picklable
            for step in segment.steps
            if step.node.operator.assumed_layouts
        }
        self.layouts = {
            (step.node.ordinal, i): data.layout
            for step in segment.steps
            for i, data in enumerate(step.node.outputs)
        }
        self.last: dict[Key, RowType | None] = {}
        self.likely: dict[Key, RowType | None] = {}

    def was_ragged(self, key: Key) -> bool:
        """Whether the rows of a result differed in the last batch."""
        return key in self.last and self.last[key] is None

    def remember_row_type(self, key: Key, row_type: RowType | None) -> None:
        """Remember shape and dtype of a result's rows for the next batch."""
        self.likely[key] = row_type if row_type == self.last.get(key) else None
        self.last[key] = row_type

    def event_counts(self) -> dict[int, dict[str, int]]:
        """Return the operators' event counts that are not empty, by the number of the node."""
        counts = ((step.ordinal, step.operator.event_counts()) for step in self.steps)
        return {ordinal: events for ordinal, events in counts if events}

    def start(self, batch: Batch, rows_per_turn: int = 1) -> ChainRun:
        """Get ready to compute `batch`, whose earlier segments are done."""
        return ChainRun(self, batch, rows_per_turn)


def make_chains(plan: Plan) -> dict[int, Chain]:
    """Return the chain of each sample segment, by the segment's number."""
    return {
        number: Chain(segment)
        for number, segment in enumerate(plan.segments)
        if segment.type == SegmentType.SAMPLE
    }


def make_repeats(plan: Plan) -> dict[int, Chain]:
    """Return chains that repeat the work of light operators on batches for one row alone.

    The chains are those of batch segments, by the segment's number.
    """
    light = {
        number: tuple(
            replace(step, kept=(True,) * len(step.kept))
            for step in segment.steps
            if is_light(step.node.operator)
        )
        for number, segment in enumerate(plan.segments)
        if segment.type == SegmentType.BATCH
    }
    return {
        number: Chain(Segment(SegmentType.SAMPLE, steps, repeatable=True))
        for number, steps in light.items()
        if steps
    }


def _homes(steps: Sequence[Step]) -> dict[Key, Key]:
    """Return the results of branches that can lie in the memory of the merged result.

    A sample takes one branch only, so the two branches share the memory.
    """
    homes: dict[Key, Key] = {}
    made = {(step.node.ordinal, i): step for step in steps for i in range(len(step.kept))}
    for step in reversed(steps):
        key = step.node.ordinal, 0
        home = homes.get(key, key)
        if not isinstance(step.node.operator, Merge) or not made[home].kept[home[1]]:
            continue
        condition, *sides = step.inputs
        for side, wanted in zip(sides, (True, False), strict=True):
            branch = (*step.conditions, (condition, wanted))
            maker = made.get(side)
            if (
                maker is not None
                and not maker.kept[side[1]]
                and maker.conditions[: len(branch)] == branch
            ):
                homes.setdefault(side, home)
    return homes


def _chain_step(step: Step, slots: dict[Key, int]) -> ChainStep:
    operator = step.node.operator
    assert isinstance(operator, SampleOperator)
    ordinal = step.node.ordinal
    return ChainStep(
        ordinal,
        str(step.node),
        operator,
        step.node.sequences,
        step.constants,
        tuple(slots[key] for key in step.inputs),
        tuple((name, slots[key]) for name, key, _ in step.arguments),
        tuple((slots[ordinal, i], (ordinal, i), kept) for i, kept in enumerate(step.kept)),
        tuple((slots[key], wanted) for key, wanted in step.conditions),
    )


DataKind = tuple[bool, str, int]
"""What a merged sample was: the condition, and the data's dtype and number of dimensions."""


@dataclass(eq=False)
class RowWork:
    """Rows to compute: the operators, the data, the stores of the results, and random numbers.

    Attributes:
        memory: the stores that have memory for results.
        merged: what merged samples were, by the number of the node.
    """

    chain: Chain
    external: Sequence[TensorList]
    rows: Mapping[Key, RowStore]
    random: Mapping[int, Array]
    memory: Mapping[Key, RowStore] = field(init=False)
    merged: dict[int, set[DataKind]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.memory = self.rows
        if homes := self.chain.homes:
            self.memory = {**self.rows, **{key: self.rows[home] for key, home in homes.items()}}


class ChainRun(RowWork):
    """One batch in one chain, shared by all workers.

    Args:
        chain: the operators.
        batch: the batch; its earlier segments are done.
        rows_per_turn: rows that a worker computes in one turn.
        alone: only a row or two will be computed, which need no slab for the whole batch.

    Attributes:
        references: `external` in the form that worker processes receive, once it is made.
        turns: number of turns that the batch takes.
    """

    rows: dict[Key, BatchRows]

    def __init__(
        self, chain: Chain, batch: Batch, rows_per_turn: int = 1, *, alone: bool = False
    ) -> None:
        super().__init__(
            chain,
            [batch.values[ordinal][i] for ordinal, i in chain.external],
            {
                key: BatchRows(
                    batch.size,
                    batch.memory.empty,
                    not (alone or chain.was_ragged(key)),
                    batch.most_bytes_of(key),
                )
                for key in chain.kept
            },
            {
                step.ordinal: batch.random(step.operator, step.operator.random_count)
                for step in chain.steps
                if step.operator.random_count
            },
        )
        self.batch = batch
        self.lock = threading.Lock()
        self.references: list[Any] | None = None
        self.turns = -(-batch.size // rows_per_turn)
        self._rows_per_turn = rows_per_turn
        self._tickets = itertools.count()
        self._receipts = itertools.count(1)

    def next_rows(self) -> range:
        """Return the rows of the next turn: none at the batch's end."""
        first = next(self._tickets) * self._rows_per_turn  # atomic: no lock a sample
        return range(first, min(first + self._rows_per_turn, self.batch.size))

    def end_turn(self) -> bool:
        """Count a finished turn; return True for the last turn of the batch."""
        return next(self._receipts) == self.turns

    def finish(self) -> None:
        """Hand the rows over to the batch."""
        values: dict[int, list[Any]] = {}
        by_slot: list[Names | None] = [column.names for column in self.external]
        names: dict[int, Names | None] = {}
        for step in self.chain.steps:
            values[step.ordinal] = [None] * len(step.outputs)
            own = [by_slot[slot] for slot in step.inputs]
            if isinstance(step.operator, Merge):
                check_merged(step, self.merged.get(step.ordinal, ()))
                own = [self._merged_names(step, *own[1:])]
            names[step.ordinal] = inherited(own)
            by_slot += [names[step.ordinal]] * len(step.outputs)
        for key, rows in self.rows.items():
            ordinal, i = key
            column = rows.finish(self.chain.layouts[key], has_holes=self.chain.is_conditional)
            column = column.with_source_info(names[ordinal])
            assumed = self.chain.assumed_layouts.get(ordinal)
            values[ordinal][i] = column.with_assumed_layout(assumed) if assumed else column
            self.chain.remember_row_type(key, rows.row_type)
        for ordinal, results in values.items():
            self.batch.values[ordinal] = tuple(results)

    def _merged_names(
        self, step: ChainStep, if_true: Names | None, if_false: Names | None
    ) -> Names | None:
        slot = step.inputs[0]
        if slot < len(self.external):
            return merged_names(truth_of(self.external[slot]), if_true, if_false)
        condition = self.rows[self.chain.keys[slot]].finish("", has_holes=True)
        return merged_names(truth_of(condition), if_true, if_false)


def check_merged(step: ChainStep, kinds: Iterable[DataKind]) -> None:
    """Raise ArgumentError if the branches of an `if` gave data that cannot form one batch."""
    texts = {taken: kind_of(dtype, ndim) for taken, dtype, ndim in sorted(kinds)}
    if len(texts) == 2 and texts[True] != texts[False]:
        assert isinstance(step.operator, Merge)
        raise ArgumentError(divergent(step.operator.what, texts[True], texts[False]))


class Worker(Workspace):
    """The workspace of one worker thread, with scratch memory and clocks of its own.

    Args:
        is_stopped: whether the pipeline was closed.
    """

    def __init__(self, is_stopped: Callable[[], bool] = lambda: False) -> None:
        self._is_stopped = is_stopped
        self._scratch = Scratch()
        self.busy_ns: dict[int, int] = {}
        self.events: dict[int, dict[str, int]] = {}  # a thread's operators count by themselves
        self.wait_ns = 0
        self.cpu_ns = 0
        self._run: RowWork
        self._i = 0
        self._ordinal = 0
        self._scratches = 0
        self._granted: dict[Key, Array] = {}

    def compute(self, run: RowWork, i: int) -> None:
        """Take row `i` of the batch through the chain."""
        steps = run.chain.steps
        values: list[Any] = [None] * run.chain.size
        for slot, column in enumerate(run.external):
            values[slot] = column.row(i)
        self._run, self._i = run, i
        step = steps[0]
        try:
            if run.chain.is_conditional:
                for step in steps:
                    if all(values[slot] == wanted for slot, wanted in step.conditions):
                        if isinstance(step.operator, Merge):
                            self._choose(step, values)
                        self._compute_step(step, values)
            else:
                for step in steps:
                    self._compute_step(step, values)
        except BaseException as error:
            error.add_note(f"in {step.node}, CPU stage")
            raise
        finally:
            self._granted.clear()
            del self._run  # or it would hold the memory of its batch

    def _compute_step(self, step: ChainStep, values: list[Any]) -> None:
        started = perf_counter_ns()
        ordinal = self._ordinal = step.ordinal
        self._scratches = 0
        if step.operator.random_count:
            self.random = self._run.random[ordinal][self._i]
        inputs = [values[s] for s in step.inputs]
        result: Array | tuple[Array, ...]
        if step.sequences is not None:
            result = self._frames_of(step, inputs, values)
        else:
            arguments = step.constants
            if step.arguments:
                arguments = dict(arguments)
                for name, slot in step.arguments:
                    arguments[name] = value_of_row(step.operator, name, values[slot])
            result = step.operator.sample(self, *inputs, **arguments)
        if not isinstance(result, tuple) and len(step.outputs) == 1:
            results: tuple[Any, ...] = (result,)
        else:
            results = as_results(result, len(step.outputs))
        for slot, key, kept in step.outputs:
            array = results[key[1]]
            if kept:
                array = self._run.rows[key].store_row(self._i, array, self._granted.get(key))
            values[slot] = array
        self.busy_ns[ordinal] = self.busy_ns.get(ordinal, 0) + perf_counter_ns() - started

    def _choose(self, step: ChainStep, values: list[Any]) -> None:
        """Note what a merged sample is, and in which memory its branch has put the data."""
        taken = bool(values[step.inputs[0]])
        slot = step.inputs[1 if taken else 2]
        data = values[slot]
        kind = taken, data.dtype.str, data.ndim
        self._run.merged.setdefault(step.ordinal, set()).add(kind)
        chain = self._run.chain
        key, own = chain.keys[slot], (step.ordinal, 0)
        lies_here = key in chain.homes and chain.homes[key] == chain.homes.get(own, own)
        if lies_here and key in self._granted:
            self._granted[own] = self._granted[key]

    def _frames_of(
        self, step: ChainStep, inputs: list[Array], values: list[Any]
    ) -> tuple[Array, ...]:
        assert step.sequences is not None
        return sample_frames(
            step.sequences,
            step.operator,
            self,
            inputs,
            step.constants,
            {name: values[slot] for name, slot in step.arguments},
            partial(value_of_row, step.operator),
            len(step.outputs),
        )

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike, output: int = 0) -> Array:
        key = self._ordinal, output
        rows = self._run.memory.get(key)
        if rows is None:
            return self._scratch.array(key, shape, dtype)
        granted = self._granted[key] = rows.empty(self._i, shape, np.dtype(dtype))
        return granted

    def scratch(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        self._scratches -= 1  # negative: outputs count from 0
        return self._scratch.array((self._ordinal, self._scratches), shape, dtype)

    def check_running(self) -> None:
        if self._is_stopped():
            raise PipelineStopped("the pipeline was closed while a sample was computed")
