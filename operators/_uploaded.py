"""Operators that make numbers out of nothing: on the GPU, the numbers that the CPU makes."""

from __future__ import annotations

from typing import Any

from ..engine.batch import Batch, as_tensor_list
from ..engine.operator import BatchOperator
from ..engine.tensors import TensorList


class UploadedOperator(BatchOperator):
    """Base of operators whose results are computed on the CPU on both devices."""

    devices = ("cpu", "gpu")
    host_inputs = True

    def gpu(self, batch: Batch, *inputs: TensorList, **arguments: Any) -> TensorList:
        result = self.batch(batch, *inputs, **arguments)
        numbers = as_tensor_list(result, batch, self.output_layouts()[0])
        batch.held.append(numbers)  # its memory must not be used again before it is copied
        return batch.device.to_device(numbers)
