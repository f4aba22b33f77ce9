"""Operators on both devices, with the same samples and arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from penstock import Pipeline, fn
from penstock.engine.graph.nodes import add_node
from penstock.engine.graph.operator import OPERATORS
from penstock.engine.tensors import TensorListGPU


def source(rows: Sequence[Any], layout: str = "") -> Any:
    """Return a node that gives these samples in every batch."""
    arrays = [np.asarray(row) for row in rows]
    return fn.external_source(source=lambda: arrays, layout=layout or None)


def on_device(
    device: str,
    name: str,
    *inputs: Sequence[Any],
    layout: str | Sequence[str] = "",
    per_sample: Mapping[str, Sequence[Any]] | None = None,
    arguments: Mapping[str, Any] | None = None,
    **others: Any,
) -> list[list[Any]]:
    """Run an operator in a pipeline; return the samples of each output, as NumPy arrays.

    Args:
        device: "cpu" or "gpu".
        name: the operator's, as in `fn`.
        inputs: the samples of each input.
        layout: of the inputs: one for all, or one each.
        per_sample: arguments that are nodes: a value a sample.
        arguments: of the operator, where they have the names of others here.
        others: the other arguments.
    """
    layouts = [layout] * len(inputs) if isinstance(layout, str) else layout
    size = len(inputs[0]) if inputs else len(next(iter((per_sample or {}).values())))

    with Pipeline(batch_size=size, num_threads=2, seed=3) as pipe:
        nodes = [source(rows, each) for rows, each in zip(inputs, layouts, strict=True)]
        named = {key: source(values) for key, values in (per_sample or {}).items()}
        if device == "gpu":
            nodes = [node.gpu() for node in nodes]
        given = {**named, **(arguments or {}), **others}
        results = add_node(OPERATORS[name], nodes, given, device=device)
        pipe.set_outputs(*results)
        outputs = pipe.run()
        for output in outputs:
            assert isinstance(output, TensorListGPU) == (device == "gpu")
            assert len(output) == size
        return [[np.array(row) for row in output.as_cpu().rows()] for output in outputs], [
            output.layout() for output in outputs
        ]


def agree(
    name: str,
    *inputs: Sequence[Any],
    largest: float = 0,
    mean: float | None = None,
    relative: float = 0,
    **options: Any,
) -> list[list[Any]]:
    """Check that both devices give the same; return the CPU's results.

    Args:
        name: the operator's.
        inputs: the samples of each input.
        largest: difference of two numbers that is allowed.
        mean: mean absolute difference in a sample that is allowed.
        relative: difference that is allowed relative to the CPU's number, beside `largest`.
        options: see `on_device`.
    """
    cpu, cpu_layouts = on_device("cpu", name, *inputs, **options)
    gpu, gpu_layouts = on_device("gpu", name, *inputs, **options)
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
