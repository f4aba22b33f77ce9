"""The operator of TensorFlow 1 that returns a pipeline's batch in each run of a session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from ...engine.arrays import Array
from ...engine.pipeline.pipeline import Pipeline
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
) -> list[tf.Tensor]:
    """Return tensors that have the pipeline's next batch in each run of a session.

    This is for graphs of TensorFlow 1. In eager mode the tensors have one batch.

    Args:
        pipeline: the pipeline, or `serialized_pipeline`: what `Pipeline.serialize` has returned.
        sparse: whether an output is a `tf.SparseTensor` of (batch, *largest extents), for each
            output. The samples of such an output may differ in shape.
        shapes: a shape for each output. By default the shapes are unknown, and so is `()`. That of
            a sparse output has no effect.
        dtypes: a `tf.DType` for each output.
        batch_size, prefetch_queue_depth: arguments of the pipeline; -1 stands for its own.
        exec_dynamic: without effect.
        options: further arguments of the pipeline, such as `num_threads` and `device_id`.

    Raises:
        ArgumentError: a batch is not as declared, or the pipeline is built with other arguments.
    """
    given = {**options, "prefetch_queue_depth": prefetch_queue_depth}
    given |= {} if batch_size == -1 else {"batch_size": batch_size}
    if pipeline is None:
        pipeline = Pipeline.deserialize(serialized_pipeline, **given)
    pipeline.reconfigure(**{k: v for k, v in given.items() if v is not None})
    are_sparse = [i < len(sparse) and bool(sparse[i]) for i in range(len(dtypes))]
    known = [
        shape if _has_rank(shape) and not s else None
        for shape, s in zip(shapes, are_sparse, strict=False)
    ]
    specs = declared_specs(tuple(dtypes), tuple(known) or None)

    def run() -> list[tf.Tensor]:
        arrays: list[Array] = []
        pairs = zip(pipeline.run(), specs, are_sparse, strict=True)
        for i, (output, spec, is_sparse) in enumerate(pairs):
            if is_sparse:
                indices, values, extents = _coordinates(output.as_cpu().rows())
                arrays += (indices, fitted(values, spec, i), extents)
                continue
            advice = "give the pipeline a batch_size of 1, or declare the output as sparse"
            check_uniform(f"output {i}", output, advice)
            arrays.append(fitted(np.asarray(output.as_cpu().dense()), spec, i))
        return arrays

    made = [
        dtype
        for spec, is_sparse in zip(specs, are_sparse, strict=True)
        for dtype in ((tf.int64, spec.dtype, tf.int64) if is_sparse else (spec.dtype,))
    ]
    tensors = iter(tf.numpy_function(run, [], made))
    results: list[tf.Tensor] = []
    for spec, is_sparse in zip(specs, are_sparse, strict=True):
        tensor = next(tensors)
        if is_sparse:
            results.append(tf.SparseTensor(tensor, next(tensors), next(tensors)))
        else:
            tensor.set_shape(spec.shape)
            results.append(tensor)
    return results


def _has_rank(shape: object) -> bool:
    """Return whether a shape is one: in DALI, () stands for any."""
    return shape is not None and tf.TensorShape(shape).rank != 0


def _coordinates(
    rows: Sequence[Array],
) -> tuple[NDArray[np.int64], Array, NDArray[np.int64]]:
    """Return the indices, the values and the extents of a batch as a sparse tensor.

    All elements have an index: (elements, 1 + dimensions).
    """
    extents = np.max([row.shape for row in rows], axis=0).reshape(-1)
    indices = [
        np.column_stack([np.full(row.size, i), *(n.reshape(-1) for n in np.indices(row.shape))])
        for i, row in enumerate(rows)
    ]
    values = np.concatenate([row.reshape(-1) for row in rows])
    shape = np.array([len(rows), *extents], np.int64)
    return np.concatenate(indices).astype(np.int64), values, shape


def DALIIterator() -> Callable[..., list[tf.Tensor]]:  # noqa: N802  (DALI's name)
    """Return `DALIIteratorWrapper`."""
    return DALIIteratorWrapper


def DALIRawIterator() -> Callable[..., list[tf.Tensor]]:  # noqa: N802  (DALI's name)
    """Return the function under `DALIIterator`: it takes a stored pipeline, by DALI's names.

    A sparse output has three tensors: indices, values and shape.
    """
    return _raw_iterator


def _raw_iterator(
    serialized_pipeline: bytes,
    shapes: Sequence[Any] = (),
    dtypes: Sequence[Any] = (),
    sparse: Sequence[bool] = (),
    exec_separated: bool = False,
    cpu_prefetch_queue_depth: int = 2,
    gpu_prefetch_queue_depth: int = 2,
    **options: Any,
) -> list[object]:
    depth: object = gpu_prefetch_queue_depth  # of one queue for both, as in DALI
    if exec_separated:
        depth = {"cpu_size": cpu_prefetch_queue_depth, "gpu_size": gpu_prefetch_queue_depth}
    tensors = DALIIteratorWrapper(
        None, serialized_pipeline, sparse, shapes, dtypes, prefetch_queue_depth=depth, **options
    )
    parts: list[Any] = []
    for tensor in tensors:
        if isinstance(tensor, tf.SparseTensor):
            parts += (tensor.indices, tensor.values, tensor.dense_shape)
        else:
            parts.append(tensor)
    return parts
