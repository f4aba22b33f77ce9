"""`fn.constant`: the same numbers for every sample."""

from __future__ import annotations

from math import prod

import numpy as np

from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array, BatchOperator, register
from ...engine.graph.params import ANY_FLOATS, DTYPE, INTS, LAYOUT, param
from ...engine.graph.rules import BatchRules
from ...engine.tensors import TensorListCPU, TensorListGPU
from ...engine.tensors.dtypes import FLOAT, INT32, to_numpy_type
from ..elementwise.gpu_expression import filled
from ..elementwise.saturation import saturated


@register
class ConstantData(BatchOperator):
    """Returns the same numbers for every sample.

    A single number fills the whole shape. Without a shape the output is one-dimensional.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.constant(fdata=[1.0, 2.0, 3.0, 4.0], shape=[2, 2]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[1. 2.]
     [3. 4.]]

    Outputs:
        the numbers: of the dtype, shape and layout that the arguments give.

    Raises:
        ArgumentError: the shape does not fit the numbers, or the layout does not fit the shape.
    """

    name = "constant"
    devices = ("cpu", "gpu")
    batches = BatchRules(sample_independent=True)
    idata = param(INTS, None, "Integers; excludes `fdata`.")
    fdata = param(ANY_FLOATS, None, "Floating point numbers; excludes `idata`.")
    shape = param(INTS, None, "Shape of the output.", minimum=0)
    dtype = param(DTYPE, None, "Dtype of the output: by default int32 or float32.")
    layout = param(LAYOUT, "", "Layout of the output.")

    def prepare(self) -> None:
        if len(self.given & {"idata", "fdata"}) != 1:
            self.refuse("give either idata or fdata")
        integers = self.idata is not None
        numbers = np.array(self.idata if integers else self.fdata)
        shape = numbers.shape if self.shape is None else self.shape
        if numbers.size not in (1, prod(shape)):
            self.refuse(f"{numbers.size} numbers do not fill the shape {shape}")
        if self.layout and len(self.layout) != len(shape):
            self.refuse(f"the layout {self.layout!r} does not describe the shape {shape}")
        default = INT32 if integers else FLOAT
        numbers = saturated(numbers, to_numpy_type(default if self.dtype is None else self.dtype))
        filled = numbers.reshape(() if numbers.size == 1 else shape)
        self._value: Array = np.broadcast_to(filled, shape)

    def output_layouts(self) -> tuple[str, ...]:
        return (self.layout,)

    def batch(self, batch: BatchContext) -> Array:
        return np.broadcast_to(self._value, (batch.size, *self._value.shape))

    def batch_gpu(self, batch: BatchContext) -> TensorListGPU:
        shapes = np.broadcast_to(
            np.array(self._value.shape, np.int64), (batch.size, self._value.ndim)
        )
        return filled(batch, TensorListCPU(self.batch(batch)), shapes, self._value.dtype)
