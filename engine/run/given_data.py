"""Batches that a program passes to operators which run at once: as nodes that have their values."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph.callers import caller
from ..graph.context import BatchContext
from ..graph.derivation import Axes
from ..graph.nodes import DataNode, Node, outputs_of
from ..graph.operator import BatchOperator
from ..tensors import Tensor, TensorGPU, TensorList, TensorListCPU, TensorListGPU


class GivenBatch(BatchOperator):
    """Stands for the operator of a batch that the program gives; never runs."""

    name = "_given"
    called = "a batch of the program"
    devices = ("cpu", "gpu")
    transfers = True  # so that it draws no random numbers

    def batch(self, batch: BatchContext) -> Any:
        raise NotImplementedError


def is_batch(value: Any) -> bool:
    """Return whether a value is a batch: a `TensorList`, or a list of arrays, one a sample."""
    if isinstance(value, list):
        return bool(value) and all(map(_is_sample, value))
    return isinstance(value, TensorList)


def _is_sample(value: Any) -> bool:
    return not isinstance(value, DataNode | np.generic) and (
        isinstance(value, np.ndarray | Tensor)
        or hasattr(value, "__dlpack__")
        or hasattr(value, "__cuda_array_interface__")
    )


def as_tensor_list(batch: TensorList | list[Any]) -> TensorList:
    """Return a batch as a `TensorList`, without a copy where possible; see `is_batch`."""
    if isinstance(batch, TensorList):
        return batch
    layouts = {each.layout() for each in batch if isinstance(each, Tensor)}
    layout = layouts.pop() if len(layouts) == 1 else ""
    if any(_is_on_gpu(sample) for sample in batch):
        from ..gpu.device import import_cupy

        cupy = import_cupy()
        batch_on_device = TensorListGPU([cupy.asarray(sample) for sample in batch], layout)
        cupy.cuda.runtime.deviceSynchronize()  # the samples' streams are unknown
        return batch_on_device
    return TensorListCPU([_host_array(sample) for sample in batch], layout)


def _is_on_gpu(sample: Any) -> bool:
    return isinstance(sample, TensorGPU) or (
        not isinstance(sample, np.ndarray)
        and getattr(sample, "__cuda_array_interface__", None) is not None
    )


def _host_array(sample: Any) -> Any:
    return np.asarray(sample) if hasattr(sample, "__array__") else np.from_dlpack(sample)


def given_node(data: TensorList, ordinal: int) -> Node:
    """Return a node that has a batch as its only value.

    Args:
        data: the batch.
        ordinal: number of the node, below -1.
    """
    device = "gpu" if isinstance(data, TensorListGPU) else "cpu"
    node = Node(GivenBatch(device), (), {}, None, caller(), ordinal=ordinal, values=(data,))
    node.outputs = outputs_of(node, [Axes(data.layout(), data.ndim)])
    return node
