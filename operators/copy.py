"""Moving batches between host and device: `fn.copy`, `DataNode.gpu()` and `.cpu()`."""

from __future__ import annotations

from ..engine.batch import Batch
from ..engine.operator import BatchOperator, register
from ..engine.tensors import TensorList, TensorListCPU


@register
class Copy(BatchOperator):
    """Returns the data, on the other device if `device` asks for it.

    Data never change once they are computed, so on one device nothing needs to be copied.
    """

    name = "copy"
    devices = ("cpu", "gpu")
    inputs = ("data",)

    def batch(self, batch: Batch, data: TensorListCPU) -> TensorListCPU:
        return data

    def gpu(self, batch: Batch, data: TensorList) -> TensorList:
        if self.device == "gpu":
            batch.held.append(data)  # host memory must not be used again before it is copied
            return batch.device.to_device(data)
        return batch.device.to_host(data, batch.empty)
