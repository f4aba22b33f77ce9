"""The shapes of samples as data: `node.shape()` and `fn.shapes`."""

from __future__ import annotations

import numpy as np

from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import DTYPE, param
from ...engine.graph.rules import GpuRules
from ...engine.tensors import TensorList, TensorListCPU
from ...engine.tensors.dtypes import INT64, to_numpy_type


@register
class Shapes(SampleOperator):
    """Returns each sample's shape as a vector with one number a dimension.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.shapes([[1, 2, 3], [4, 5, 6]]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [2 3]

    Inputs:
        data: any samples.

    Outputs:
        the shapes: of type `dtype`, shape (dimensions,).
    """

    name = "shapes"
    devices = ("cpu", "gpu")
    on_gpu = GpuRules(metadata_only=True)
    inputs = ("data",)
    dtype = param(DTYPE, INT64, "Type of the numbers.", aliases=("type",))

    def prepare(self) -> None:
        self._dtype = to_numpy_type(self.dtype)

    def output_layouts(self) -> tuple[str, ...]:
        return ("",)

    def sample(self, workspace: Workspace, data: Array) -> Array:
        return np.array(data.shape, self._dtype)

    def batch(self, batch: BatchContext, data: TensorList) -> Array:
        """Return the shapes of a whole batch."""
        return np.array(data.shape(), self._dtype).reshape(len(data), data.ndim)

    def batch_gpu(self, batch: BatchContext, data: TensorList) -> TensorList:
        shapes = TensorListCPU(self.batch(batch, data))
        return batch.device.to_device(shapes) if self.device == "gpu" else shapes
