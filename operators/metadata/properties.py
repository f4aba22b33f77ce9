"""Properties of samples besides their elements: `fn.get_property`."""

from __future__ import annotations

import numpy as np

from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array, BatchOperator, register
from ...engine.graph.params import REQUIRED, STR, param
from ...engine.graph.rules import BatchRules, GpuRules
from ...engine.tensors import TensorList, TensorListCPU


@register
class GetProperty(BatchOperator):
    """Returns the origin or the layout of each sample, as the bytes (uint8) of a text.

    Readers name the samples, most of them in their first output alone. The name of a file is its
    path. Results of other operators have the names of the inputs. If inputs have different names
    for any sample of the batch, the results have no names. `fn.multi_paste` joins names by ";".

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     output = fn.get_property(fn.zeros(shape=[2, 3], layout="HW"), key="layout")
    ...     pipe.set_outputs(output)
    ...     (result,) = pipe.run()
    ...     print(bytes(result.at(0)))
    b'HW'
    """

    name = "get_property"
    devices = ("cpu", "gpu")
    on_gpu = GpuRules(metadata_only=True)
    inputs = ("data",)
    batches = BatchRules(sample_independent=True)
    key = param(STR, REQUIRED, '"source_info" or "layout".', choices=("source_info", "layout"))

    def output_layouts(self) -> tuple[str, ...]:
        return ("",)

    def batch(self, batch: BatchContext, data: TensorList) -> TensorListCPU:
        texts = data.source_info() if self.key == "source_info" else [data.layout()] * batch.size
        return TensorListCPU([_encoded(text) for text in texts])

    def batch_gpu(self, batch: BatchContext, data: TensorList) -> TensorList:
        texts = self.batch(batch, data)
        return batch.device.to_device(texts) if self.device == "gpu" else texts


def _encoded(text: str) -> Array:
    return np.frombuffer(text.encode("utf-8", "surrogateescape"), np.uint8)
