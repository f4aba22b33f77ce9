"""Operators in pipelines, on each device, with the same samples and arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np

from .. import fn
from ..engine.arrays import Array
from ..engine.graph.nodes import add_node
from ..engine.graph.operator import OPERATORS
from ..engine.pipeline.fed_batches import Failure, FedBatches
from ..engine.pipeline.pipeline import Pipeline
from ..engine.tensors import TensorList, TensorListGPU

__all__ = [
    "Results",
    "agree",
    "assert_rows",
    "on_device",
    "source",
    "turning",
]

Rows = list[Array]


class Results(NamedTuple):
    """What an operator gives: the samples of each output, and the layout of each output."""

    outputs: list[Rows]
    layouts: list[str]


def source(rows: Sequence[object], layout: str = "", *, turns: bool = False) -> Any:
    """Return a node that gives these samples in every batch.

    Args:
        rows: the samples.
        layout: of the samples.
        turns: begin each batch with the sample after the first one of the batch before.
    """
    arrays = [np.asarray(row) for row in rows]
    if not turns:
        return fn.external_source(source=lambda: arrays, layout=layout or None)
    orders = [arrays[i:] + arrays[:i] for i in range(max(1, len(arrays)))]
    return fn.external_source(lambda k: orders[k % len(orders)], layout=layout or None)


def on_device(
    device: str,
    name: str,
    *inputs: Sequence[Any],
    layout: str | Sequence[str] = "",
    per_sample: Mapping[str, Sequence[object]] | None = None,
    arguments: Mapping[str, object] | None = None,
    batch_size: int | None = None,
    threads: int = 2,
    views: bool = False,
    failures: dict[int, Failure] | None = None,
    **others: object,
) -> Results:
    """Run an operator in a pipeline; check that its inputs stay as they are.

    Args:
        device: "cpu", "gpu" or "mixed".
        name: the operator's, as in `fn`.
        inputs: the samples of each input.
        layout: of the inputs: one for all, or one each.
        per_sample: arguments that are nodes: a value a sample.
        arguments: of the operator, where they have the names of others here.
        batch_size: by default, that of the first input or of an argument by sample.
        threads: of the pipeline.
        views: give samples whose elements do not lie side by side in memory.
        failures: gets the errors of samples, whose rows have results of others then. By default the
            first error is raised.
        others: the other arguments.

    >>> outputs, layouts = on_device("cpu", "cast", [[1.2], [2.6, 9.9]], layout="C", dtype="uint8")
    >>> outputs[0], layouts
    ([array([1], dtype=uint8), array([ 3, 10], dtype=uint8)], ['C'])
    """
    layouts = [layout] * len(inputs) if isinstance(layout, str) else layout
    named = per_sample or {}
    size = batch_size
    if size is None:
        size = len(inputs[0]) if inputs else len(next(iter(named.values())))

    strided = [views and np.ndim(rows[0]) > 0 for rows in inputs]  # numbers have no views
    given_rows = [
        [np.repeat(row, 2, axis=-1) if is_view else np.asarray(row) for row in rows]
        for rows, is_view in zip(inputs, strided, strict=True)
    ]
    # What is dropped is closed later, and would work on beside the caller's next pipeline.
    with closing(Pipeline(batch_size=max(1, size), num_threads=threads, seed=3)) as pipe, pipe:
        sources = [source(rows, layout) for rows, layout in zip(given_rows, layouts, strict=True)]
        # A view that is an output of the pipeline, too, would be made dense before.
        nodes = [
            node[..., ::2] if is_view else node
            for node, is_view in zip(sources, strided, strict=True)
        ]
        nodes = _placed(device, name, nodes)
        given = {key: source(values) for key, values in named.items()}
        results = add_node(
            OPERATORS[name], nodes, {**given, **(arguments or {}), **others}, device=device
        )
        shown = sources if views else nodes
        pipe.set_outputs(*results, *shown)
        batches = pipe.run() if failures is None else _run_to_the_end(pipe, failures)
        outputs, after = batches[: len(results)], batches[len(results) :]
        for output in outputs:
            assert isinstance(output, TensorListGPU) == (device != "cpu")
            assert len(output) == size
        good = [i for i in range(size) if i not in (failures or ())]
        for batch, before in zip(after, given_rows, strict=True):
            rows = batch.as_cpu().rows()
            assert_rows([rows[i] for i in good], [before[i] for i in good])
        return Results(
            [[np.array(row) for row in output.as_cpu().rows()] for output in outputs],
            [output.layout() for output in outputs],
        )


def _run_to_the_end(pipe: Pipeline, failures: dict[int, Failure]) -> Sequence[TensorList]:
    """Run one batch, and enter the errors of its samples; raise an error of the whole batch."""
    batches = FedBatches(pipe, rows_fail_alone=True)
    batches.feed({}, owned=True)
    batch = batches.take()
    if batch.error is not None:
        raise batch.error
    failures.update(batch.failures)
    return batch.outputs


def turning(
    device: str,
    name: str,
    *inputs: Sequence[object],
    layout: Sequence[str],
    per_sample: Mapping[str, Sequence[object]],
    arguments: Mapping[str, object],
    batch_size: int,
) -> Pipeline:
    """Return a pipeline of an operator whose samples change places from batch to batch.

    Args:
        device, name, inputs, layout, per_sample, arguments, batch_size: as for `on_device`.
    """
    pipe = Pipeline(batch_size=batch_size, num_threads=2, seed=3)
    with pipe:
        nodes = [source(rows, form, turns=True) for rows, form in zip(inputs, layout, strict=True)]
        given = {key: source(values, turns=True) for key, values in per_sample.items()}
        nodes = _placed(device, name, nodes)
        pipe.set_outputs(*add_node(OPERATORS[name], nodes, {**given, **arguments}, device=device))
    return pipe


def _placed(device: str, name: str, nodes: list[Any]) -> list[object]:
    """Return the inputs of an operator, on the GPU where it wants them there."""
    if device != "gpu":
        return nodes
    wanted = OPERATORS[name].input_at
    return [node if wanted(i).device == "cpu" else node.gpu() for i, node in enumerate(nodes)]


def agree(
    name: str,
    *inputs: Sequence[Any],
    largest: float = 0,
    mean: float | None = None,
    relative: float = 0,
    other: str = "gpu",
    **options: Any,
) -> list[Rows]:
    """Check that two devices give the same; return the CPU's results.

    Args:
        name: the operator's.
        inputs: the samples of each input.
        largest: difference of two numbers that is allowed.
        mean: mean absolute difference in a sample that is allowed.
        relative: difference that is allowed relative to the CPU's number, beside `largest`.
        other: the device beside the CPU: "gpu" or "mixed".
        options: see `on_device`.
    """
    cpu, cpu_layouts = on_device("cpu", name, *inputs, **options)
    gpu, gpu_layouts = on_device(other, name, *inputs, **options)
    assert cpu_layouts == gpu_layouts
    for wanted_rows, rows in zip(cpu, gpu, strict=True):
        for wanted, row in zip(wanted_rows, rows, strict=True):
            assert (row.shape, row.dtype) == (wanted.shape, wanted.dtype)
            if largest == relative == 0:
                np.testing.assert_array_equal(row, wanted)
            else:
                kind = np.float64
                np.testing.assert_allclose(row.astype(kind), wanted.astype(kind), relative, largest)
            if mean is not None and row.size:
                assert np.abs(row.astype(float) - wanted.astype(float)).mean() <= mean
    return cpu


def assert_rows(rows: Sequence[object], wanted: Sequence[object]) -> None:
    """Check that rows are equal in number, dtype, shape and values."""
    assert len(rows) == len(wanted)
    for row, expected in zip(rows, wanted, strict=True):
        np.testing.assert_array_equal(row, expected, strict=True)
