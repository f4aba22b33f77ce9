"""Batches that a program passes to operators which run at once: as nodes that have their values."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph.callers import caller
from ..graph.context import BatchContext
from ..graph.copies import Transfer
from ..graph.derivation import Axes
from ..graph.nodes import DataNode, Node, outputs_of
from ..tensors import Tensor, TensorGPU, TensorList, TensorListCPU, TensorListGPU


class GivenBatch(Transfer):
    """Stands for the operator of a batch that the program gives; never runs.

    Attributes:
        form: in which the batch was given: "array" or "batch".
    """

    name = "_given"
    called = "a batch of the program"
    devices = ("cpu", "gpu")
    form = "batch"

    def batch(self, batch: BatchContext) -> Any:
        raise NotImplementedError


def is_array(value: object) -> bool:
    """Return whether a value is an array whose axis 0 may run over samples."""
    if isinstance(value, TensorList) or not _is_sample(value):
        return False
    shape = getattr(value, "shape", ())
    return len(shape() if callable(shape) else shape) > 0


def is_batch(value: object) -> bool:
    """Return whether a value is a batch: a `TensorList`, or a list of arrays, one a sample."""
    if isinstance(value, list):
        return bool(value) and all(map(_is_sample, value))
    return isinstance(value, TensorList)


def _is_sample(value: object) -> bool:
    return not isinstance(value, DataNode | np.generic) and (
        isinstance(value, np.ndarray | Tensor)
        or hasattr(value, "__dlpack__")
        or hasattr(value, "__cuda_array_interface__")
    )


def as_tensor_list(batch: object) -> TensorList:
    """Return a batch, or an array, as a `TensorList`, without a copy where possible."""
    if isinstance(batch, TensorList):
        return batch
    if not isinstance(batch, list):
        layout = batch.layout()[1:] if isinstance(batch, Tensor) else ""
        return (
            _on_device(batch, layout)
            if _is_on_gpu(batch)
            else TensorListCPU(_host_array(batch), layout)
        )
    layouts = {tensor.layout() for tensor in batch if isinstance(tensor, Tensor)}
    layout = layouts.pop() if len(layouts) == 1 else ""
    if any(map(_is_on_gpu, batch)):
        return _on_device(batch, layout)
    return TensorListCPU([_host_array(sample) for sample in batch], layout)


def _on_device(batch: object, layout: str) -> TensorListGPU:
    from ..gpu.cupy_module import import_cupy

    cupy = import_cupy()
    rows = [cupy.asarray(row) for row in batch] if isinstance(batch, list) else cupy.asarray(batch)
    data = TensorListGPU(rows, layout)
    cupy.cuda.runtime.deviceSynchronize()  # the streams of the samples are unknown
    return data


def _is_on_gpu(sample: object) -> bool:
    return isinstance(sample, TensorGPU) or (
        not isinstance(sample, np.ndarray)
        and getattr(sample, "__cuda_array_interface__", None) is not None
    )


def _host_array(sample: Any) -> object:
    return np.asarray(sample) if hasattr(sample, "__array__") else np.from_dlpack(sample)


def given_node(data: TensorList, ordinal: int, form: str) -> Node:
    """Return a node that has a batch as its only value.

    Args:
        data: the batch.
        ordinal: number of the node, below -1.
        form: "array" or "batch".
    """
    operator = GivenBatch("gpu" if isinstance(data, TensorListGPU) else "cpu")
    operator.form = form
    node = Node(operator, (), {}, None, caller(), ordinal=ordinal, values=(data,))
    node.outputs = outputs_of(node, [Axes(data.layout(), data.ndim)])
    return node
