"""Moving batches between host and device: `fn.copy`, `DataNode.gpu()` and `.cpu()`."""

from __future__ import annotations

from ..tensors import TensorList, TensorListCPU
from .context import BatchContext
from .limits import Remedies
from .operator import BatchOperator, register
from .rules import BatchRules


class Transfer(BatchOperator):
    """Base of operators that move data between devices: they compute nothing."""


@register
class Copy(Transfer):
    """Returns the data, on the other device if `device` asks for it.

    Data never change once they are computed, so on one device nothing needs to be copied.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.copy([1, 2, 3]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [1 2 3]
    """

    name = "copy"
    devices = ("cpu", "gpu")
    inputs = ("data",)
    batches = BatchRules(sample_independent=True)

    def remedies(self) -> Remedies:
        return {"bus": ("smaller dtypes up to the copy: convert on the GPU",)}

    def batch(self, batch: BatchContext, data: TensorListCPU) -> TensorListCPU:
        return data

    def batch_gpu(self, batch: BatchContext, data: TensorList) -> TensorList:
        if self.device == "gpu":
            return batch.device.to_device(data)
        return batch.device.to_host(data, batch.empty)
