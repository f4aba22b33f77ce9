"""Properties of samples besides their elements: `fn.get_property`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.operator import Array, BatchOperator, register
from ...engine.graph.params import REQUIRED, STR, param
from ...engine.tensors import TensorList, TensorListCPU

if TYPE_CHECKING:
    from ...engine.graph.context import BatchContext

_KEYS = ("source_info", "layout")


@register
class GetProperty(BatchOperator):
    """Returns the location or the layout of each sample, as the bytes (uint8) of a text.

    If a pipeline has several readers, the location is that of the first reader's sample.
    """

    name = "get_property"
    devices = ("cpu", "gpu")
    metadata_only = True
    inputs = ("data",)
    sample_independent = True
    key = param(STR, REQUIRED, '"source_info" or "layout".')

    def prepare(self) -> None:
        if self.key not in _KEYS:
            raise ArgumentError(f"fn.get_property: key must be one of {_KEYS}, not {self.key!r}")

    def output_layouts(self) -> tuple[str, ...]:
        return ("",)

    def batch(self, batch: BatchContext, data: TensorList) -> TensorListCPU:
        texts = (
            [batch.source_info_of(row) for row in range(batch.size)]
            if self.key == "source_info"
            else [data.layout()] * batch.size
        )
        return TensorListCPU([_encoded(text) for text in texts])

    def batch_gpu(self, batch: BatchContext, data: TensorList) -> TensorList:
        texts = self.batch(batch, data)
        return batch.device.to_device(texts) if self.device == "gpu" else texts


def _encoded(text: str) -> Array:
    return np.frombuffer(text.encode("utf-8", "surrogateescape"), np.uint8)
