"""Sample segments at work: one sample goes through all operators of the segment at once.

No barrier stands between the operators, so the data stays in the core's cache; memory for
results that nobody outside needs is a scratch buffer of the worker thread, memory for the
others is the sample's row in the batch's slab.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from math import prod
from time import perf_counter_ns
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .batch import Batch, Rows, as_results
from .errors import ArgumentError
from .operator import Array, Row, SampleOperator
from .params import Param, from_row
from .plan import Key, Segment, Step


@dataclass(frozen=True)
class _Stage:
    """A step with its data resolved to places in the sample's list of values."""

    step: Step
    operator: SampleOperator
    inputs: tuple[int, ...]
    arguments: tuple[tuple[str, int, Param], ...]
    outputs: tuple[tuple[int, Key, bool], ...]


class Chain:
    """The compiled form of a sample segment."""

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
            (s.step.node.ordinal, i): data.layout
            for s in self.stages
            for i, data in enumerate(s.step.node.outputs)
        }
        self.was_dense = dict.fromkeys(self.kept, True)

    def start(self, batch: Batch) -> ChainRun:
        """Get ready to compute `batch`, whose earlier segments are done."""
        return ChainRun(self, batch)


def _stage(step: Step, places: dict[Key, int]) -> _Stage:
    operator = step.node.operator
    assert isinstance(operator, SampleOperator)
    ordinal = step.node.ordinal
    return _Stage(
        step,
        operator,
        tuple(places[key] for key in step.inputs),
        tuple((name, places[key], declared) for name, key, declared in step.arguments),
        tuple((places[ordinal, i], (ordinal, i), kept) for i, kept in enumerate(step.kept)),
    )


class ChainRun:
    """One batch in one chain: what the worker threads share.

    Args:
        chain: the operators.
        batch: its earlier segments are done.
        alone: only a row or two will be computed, which need no slab for the whole batch.
    """

    def __init__(self, chain: Chain, batch: Batch, *, alone: bool = False) -> None:
        self.chain = chain
        self.batch = batch
        self.external = [batch.values[ordinal][i] for ordinal, i in chain.external]
        self.rows = {key: Rows(batch, chain.was_dense[key] and not alone) for key in chain.kept}
        self.random = {
            stage.step.node.ordinal: batch.random(stage.operator, stage.operator.draws)
            for stage in chain.stages
            if stage.operator.draws
        }
        self._tickets = itertools.count()
        self._receipts = itertools.count(1)

    def next_row(self) -> int:
        """Return the next row to compute; at or beyond the batch's size there is none left."""
        return next(self._tickets)  # atomic: no lock a sample

    def row_done(self) -> bool:
        """Note that a row is finished; True for the last one of the batch."""
        return next(self._receipts) == self.batch.size

    def finish(self) -> None:
        """Hand the rows over to the batch."""
        values: dict[int, list[Any]] = {}
        for stage in self.chain.stages:
            values[stage.step.node.ordinal] = [None] * len(stage.outputs)
        for key, rows in self.rows.items():
            ordinal, i = key
            values[ordinal][i] = rows.finish(self.chain.layouts[key])
            self.chain.was_dense[key] = rows.uniform
        for ordinal, results in values.items():
            self.batch.values[ordinal] = tuple(results)


class Worker(Row):
    """What one worker thread computes with: scratch memory and clocks of its own."""

    def __init__(self) -> None:
        self._scratch: dict[tuple[int, int], NDArray[np.uint8]] = {}
        self.busy_ns: dict[int, int] = {}
        self.wait_ns = 0
        self.cpu_ns = 0
        self._run: ChainRun
        self._i = 0
        self._ordinal = 0
        self._scratches = 0
        self._granted: dict[Key, Array] = {}

    def compute(self, run: ChainRun, i: int) -> None:
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
            error.add_note(f"in {stage.step.node}, CPU stage")
            raise
        finally:
            self._granted.clear()
            del self._run  # it holds the memory of its batch

    def _compute_stage(self, stage: _Stage, values: list[Any]) -> None:
        started = perf_counter_ns()
        step = stage.step
        ordinal = self._ordinal = step.node.ordinal
        self._scratches = 0
        if stage.operator.draws:
            self.random = self._run.random[ordinal][self._i]
        arguments = step.constants
        if stage.arguments:
            arguments = dict(arguments)
            for name, place, declared in stage.arguments:
                arguments[name] = _argument(step, name, declared, values[place])
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


def _argument(step: Step, name: str, declared: Param, value: Array) -> Any:
    try:
        return from_row(declared, value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArgumentError(
            f"fn.{step.node.operator.name}: the argument {name!r} must be "
            f"{declared.kind.annotation}, but is {value!r} for this sample ({error})"
        ) from error
