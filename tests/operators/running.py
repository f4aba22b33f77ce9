"""Running an operator on samples of any shape: on the CPU without a pipeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from penstock.engine.graph.context import Workspace
from penstock.engine.graph.operator import OPERATORS, BatchOperator, Operator, SampleOperator
from penstock.engine.graph.params import from_row
from penstock.engine.tensors import TensorList, TensorListCPU
from penstock.engine.tensors.memory import SlabPool
from penstock.engine.work.batch import Batch
from penstock.testing.agreement import on_device


class RubbishWorkspace(Workspace):
    """Memory full of rubbish, so that what is left unwritten is seen."""

    def empty(self, shape: tuple[int, ...], dtype: Any, output: int = 0) -> Any:
        array = np.empty(shape, dtype)
        array.reshape(-1).view(np.uint8)[...] = 0xA5
        return array

    def scratch(self, shape: tuple[int, ...], dtype: Any) -> Any:
        return self.empty(shape, dtype)


def batch_of(size: int, seed: int = 11, number: int = 0) -> Batch:
    """Return an empty batch."""
    return Batch(number, size, SlabPool(), seed, number * size)


def tensors(*rows: Any) -> TensorListCPU:
    """Return a batch with these rows."""
    return TensorListCPU([np.asarray(row) for row in rows])


def dense(array: Any) -> TensorListCPU:
    """Return a batch whose rows are the array's."""
    return TensorListCPU(np.asarray(array))


def array(dtype: str, values: Any) -> Any:
    """Return an array of the type."""
    return np.array(values, dtype)


def pixels(*shape: int, dtype: Any = np.uint8, seed: int = 0) -> Any:
    """Return an array of random numbers from 0 to 255."""
    return np.random.default_rng(seed).integers(0, 256, shape).astype(dtype)


def make(
    name: str, layout: str = "", inputs: int = 1, per_sample: Sequence[str] = (), **constants: Any
) -> Operator:
    """Return the operator; its first input has `layout`, the others none."""
    layouts = (layout, *[""] * (inputs - 1))
    return OPERATORS[name]("cpu", tuple(per_sample), layouts, **constants)


def run(
    name: str,
    samples: Sequence[Any],
    layout: str = "",
    *,
    device: str = "cpu",
    inputs: Sequence[Sequence[Any]] = (),
    per_sample: Mapping[str, Sequence[Any]] | None = None,
    **constants: Any,
) -> list[Any]:
    """Return the results for `samples`, in memory that was full of rubbish.

    Args:
        name: the operator's.
        samples: of the first input.
        layout: of the first input.
        device: "cpu" calls the operator alone; "gpu" runs a pipeline.
        inputs: samples of the others.
        per_sample: arguments that are nodes: a value a sample.
        constants: the other arguments.
    """
    nodes = per_sample or {}
    if device == "gpu":
        layouts = (layout, *[""] * len(inputs))
        options: dict[str, Any] = {"layout": layouts, "per_sample": nodes, "arguments": constants}
        return on_device("gpu", name, samples, *inputs, **options).outputs[0]
    operator = make(name, layout, 1 + len(inputs), tuple(nodes), **constants)
    return _results(operator, len(samples), [samples, *inputs], nodes)


def apply(kind: type[Operator], *inputs: Any, layouts: Any = None, **arguments: Any) -> Any:
    """Run an operator on one sample, arrays in, arrays out; arrays as arguments are nodes."""
    nodes = {k: [v] for k, v in arguments.items() if isinstance(v, np.ndarray)}
    constants = {k: v for k, v in arguments.items() if k not in nodes}
    operator = kind("cpu", tuple(nodes), layouts or ("",) * len(inputs), **constants)
    return _results(operator, 1, [[value] for value in inputs], nodes)[0]


def _results(
    operator: Operator,
    count: int,
    columns: Sequence[Sequence[Any]],
    nodes: Mapping[str, Sequence[Any]],
) -> list[Any]:
    arrays = [[np.asarray(sample) for sample in column] for column in columns]
    named = {k: [np.asarray(value) for value in values] for k, values in nodes.items()}
    if isinstance(operator, SampleOperator):
        declared = operator.params
        constants = per_batch(operator, dict.fromkeys(named))
        return [
            operator.sample(
                RubbishWorkspace(),
                *(column[i] for column in arrays),
                **constants | {k: from_row(declared[k], rows[i]) for k, rows in named.items()},
            )
            for i in range(count)
        ]
    assert isinstance(operator, BatchOperator)
    pairs = zip(arrays, operator.layouts, strict=True)
    lists = [TensorListCPU(column, layout) for column, layout in pairs]
    given = {k: TensorListCPU(rows) for k, rows in named.items()}
    result = operator.batch(batch_of(count), *lists, **per_batch(operator, given))
    if isinstance(result, TensorList):
        return [result.row(i) for i in range(len(result))]
    return list(result)


def per_batch(operator: Operator, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keywords that `batch` is called with: of arguments that may be nodes."""
    declared = [k for k, p in operator.params.items() if p.per_sample]
    return {k: given[k] if k in given else getattr(operator, k) for k in declared}
