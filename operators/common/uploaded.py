"""Operators whose results are computed on the CPU on both devices."""

from __future__ import annotations

from typing import Any

from ...engine.graph.context import BatchContext
from ...engine.graph.operator import BatchOperator
from ...engine.tensors import TensorList
from ...engine.tensors.results import as_tensor_list


class UploadedOperator(BatchOperator):
    """Base of operators whose results are computed on the CPU on both devices."""

    devices = ("cpu", "gpu")

    def batch_gpu(self, batch: BatchContext, *inputs: TensorList, **arguments: Any) -> TensorList:
        result = self.batch(batch, *inputs, **arguments)
        numbers = as_tensor_list(result, batch.size, self.output_layouts()[0])
        return batch.device.to_device(numbers)
