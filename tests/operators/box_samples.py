"""Boxes and anchors, and all outputs of operators on samples of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from penstock.engine.graph.operator import OPERATORS, BatchOperator, SampleOperator
from penstock.engine.graph.params import from_row
from penstock.engine.tensors import TensorListCPU

from .running import RubbishWorkspace, batch_of, per_batch

COUNTS = (0, 1, 5, 20)


def random_boxes(count: int, dimensions: int = 2, seed: int = 0) -> Any:
    """Return boxes by their edges, relative to the image."""
    corners = np.random.default_rng(seed).random((count, 2, dimensions), np.float32)
    corners.sort(axis=1)
    return corners.reshape(count, 2 * dimensions)


def sized(boxes: Any) -> Any:
    """Return the same boxes with widths and heights."""
    half = boxes.shape[1] // 2
    return np.concatenate([boxes[:, :half], boxes[:, half:] - boxes[:, :half]], axis=1)


def anchor_grid(sizes: Sequence[float] = (0.1, 0.3, 0.5), steps: int = 10) -> list[float]:
    """Return anchors of several sizes on a grid."""
    centers = (np.arange(steps) + 0.5) / steps
    anchors = [
        (x - size / 2, y - size / 2, x + size / 2, y + size / 2)
        for size in sizes
        for y in centers
        for x in centers
    ]
    return np.array(anchors).reshape(-1).tolist()


def outputs(
    name: str,
    *inputs: Sequence[Any],
    per_sample: Mapping[str, Sequence[Any]] | None = None,
    count: int | None = None,
    **constants: Any,
) -> list[list[Any]]:
    """Return each output of an operator, sample by sample, with random numbers.

    Args:
        name: the operator's.
        inputs: the samples of each input.
        per_sample: arguments that are nodes: a value a sample.
        count: number of samples, where there is no input.
        constants: the other arguments.
    """
    named = per_sample or {}
    operator = OPERATORS[name]("cpu", tuple(named), ("",) * len(inputs), **constants)
    columns = [[np.asarray(sample) for sample in column] for column in inputs]
    size = len(columns[0]) if count is None else count
    if isinstance(operator, BatchOperator):
        nodes = {k: TensorListCPU([np.asarray(row) for row in v]) for k, v in named.items()}
        batch = batch_of(size)
        lists = [TensorListCPU(column) for column in columns]
        results = operator.batch(batch, *lists, **per_batch(operator, nodes))
        for error in batch.errors.values():
            raise error
        return [list(column) for column in results]
    assert isinstance(operator, SampleOperator)
    rng = np.random.default_rng(0)
    rows = []
    for i in range(size):
        workspace = RubbishWorkspace()
        workspace.random = rng.random(operator.random_count)
        given = {k: from_row(operator.params[k], np.asarray(v[i])) for k, v in named.items()}
        arguments = per_batch(operator, dict.fromkeys(named)) | given
        result = operator.sample(workspace, *(column[i] for column in columns), **arguments)
        rows.append(result if isinstance(result, tuple) else (result,))
    return [list(column) for column in zip(*rows, strict=True)]
