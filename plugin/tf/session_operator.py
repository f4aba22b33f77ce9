"""The operator of TensorFlow 1 that returns a pipeline's batch in each run of a session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from ...engine.errors import ArgumentError
from ...engine.run.pipeline import Pipeline
from ..base_iterator import check_uniform
from .specs import declared_specs, fitted


def DALIIteratorWrapper(  # noqa: N802  (DALI's name)
    pipeline: Pipeline | None = None,
    serialized_pipeline: bytes | None = None,
    sparse: Sequence[bool] = (),
    shapes: Sequence[Any] = (),
    dtypes: Sequence[Any] = (),
    batch_size: int = -1,
    prefetch_queue_depth: Any = 2,
    exec_dynamic: bool | None = None,
    **options: Any,
) -> list[Any]:
    """Return tensors that have the pipeline's next batch in each run of a session.

    This is for graphs of TensorFlow 1. In eager mode the tensors have one batch.

    Args:
        pipeline: the pipeline, or `serialized_pipeline`: what `Pipeline.serialize` has returned.
        sparse: no entry may be True, because outputs are dense.
        shapes: a shape for each output. By default the shapes are unknown.
        dtypes: a `tf.DType` for each output.
        batch_size, prefetch_queue_depth: arguments of the pipeline; -1 stands for its own.
        exec_dynamic: without effect.
        options: further arguments of the pipeline, such as `num_threads` and `device_id`.

    Raises:
        ArgumentError: an output is sparse, or the pipeline is built with other arguments.
    """
    if any(sparse):
        raise ArgumentError("sparse=True is not supported: outputs are dense tensors")
    given = {**options, "prefetch_queue_depth": prefetch_queue_depth}
    given |= {} if batch_size == -1 else {"batch_size": batch_size}
    if pipeline is None:
        pipeline = Pipeline.deserialize(serialized_pipeline, **given)
    pipeline.reconfigure(**{k: v for k, v in given.items() if v is not None})
    specs = declared_specs(tuple(dtypes), tuple(shapes) or None)

    def run() -> list[Any]:
        arrays = []
        for i, (output, spec) in enumerate(zip(pipeline.run(), specs, strict=True)):
            check_uniform(f"output {i}", output, "give the pipeline a batch_size of 1")
            arrays.append(fitted(np.asarray(output.as_cpu().dense()), spec, i))
        return arrays

    tensors: list[Any] = tf.numpy_function(run, [], [spec.dtype for spec in specs])
    for tensor, spec in zip(tensors, specs, strict=True):
        tensor.set_shape(spec.shape)
    return tensors


def DALIIterator() -> Callable[..., list[Any]]:  # noqa: N802  (DALI's name)
    """Return `DALIIteratorWrapper`."""
    return DALIIteratorWrapper
