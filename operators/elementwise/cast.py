"""`fn.cast` and `fn.cast_like`: conversion to another element type."""

from __future__ import annotations

from ...engine.arrays import DType
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import DTYPE, REQUIRED, param
from ...engine.graph.rules import GpuRules, Input
from ...engine.tensors import TensorList, TensorListCPU, TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from .pointwise import pointwise
from .saturation import saturate


class _Conversion(SampleOperator):
    devices = ("cpu", "gpu")

    def _into(self, workspace: Workspace, data: Array, dtype: DType) -> Array:
        if data.dtype == dtype:
            return data
        out = workspace.empty(data.shape, dtype)
        saturate(data, out)
        return out

    def _all_into(self, batch: BatchContext, data: TensorList, dtype: DType) -> TensorListCPU:
        layout = self.output_layouts()[0]
        columns = [data.dense()] if data.is_dense_tensor() else data.rows()
        results = []
        for column in columns:
            results.append(batch.empty(column.shape, dtype))
            saturate(column, results[-1])
        return TensorListCPU(results[0] if data.is_dense_tensor() else results, layout)

    def _all_on_gpu(self, batch: BatchContext, data: TensorListGPU, dtype: DType) -> TensorListGPU:
        if not len(data) or to_numpy_type(data.dtype) == dtype:
            return data
        return pointwise(batch, "x", data, dtype=dtype)


@register
class Cast(_Conversion):
    """Converts numbers to another type.

    Numbers out of the range of the type become the nearest number in it. Fractions are rounded,
    halves away from zero. NaN becomes the smallest integer of the type. bool is False for numbers
    that round to 0, else True.

    >>> from penstock import Pipeline, fn, types
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.cast([1.5, 300.0, -2.0], dtype=types.UINT8))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [  2 255   0]

    Inputs:
        data: any samples.

    Outputs:
        the numbers as `dtype`: of the input's shape and layout.
    """

    name = "cast"
    on_gpu = GpuRules(rehearses=True)
    inputs = ("data",)
    dtype = param(DTYPE, REQUIRED, "Type of the output.")

    def sample(self, workspace: Workspace, data: Array) -> Array:
        return self._into(workspace, data, to_numpy_type(self.dtype))

    def batch(self, batch: BatchContext, data: TensorList) -> TensorListCPU:
        """Convert a whole batch at once."""
        return self._all_into(batch, data, to_numpy_type(self.dtype))

    def batch_gpu(self, batch: BatchContext, data: TensorListGPU) -> TensorListGPU:
        return self._all_on_gpu(batch, data, to_numpy_type(self.dtype))


@register
class CastLike(_Conversion):
    """Converts numbers to the type of the second input, as `cast` does.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.cast_like([1.5, 2.25], [1]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [2 2]

    Inputs:
        data: any samples.
        like: samples of which only the type matters.

    Outputs:
        the numbers as the type of `like`: of the first input's shape and layout.
    """

    name = "cast_like"
    on_gpu = GpuRules(rehearses=True)
    inputs = ("data", Input("like", device="any"))

    def sample(self, workspace: Workspace, data: Array, like: Array) -> Array:
        return self._into(workspace, data, like.dtype)

    def batch(self, batch: BatchContext, data: TensorList, like: TensorList) -> TensorListCPU:
        """Convert a whole batch at once."""
        return self._all_into(batch, data, to_numpy_type(like.dtype))

    def batch_gpu(
        self, batch: BatchContext, data: TensorListGPU, like: TensorList
    ) -> TensorListGPU:
        return self._all_on_gpu(batch, data, to_numpy_type(like.dtype))
