"""Conversion to another element type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine.kernels import c_type
from ...engine.operator import Array, Row, SampleOperator, register
from ...engine.params import DTYPE, REQUIRED, param
from ...engine.tensors import TensorList, TensorListCPU, TensorListGPU
from ...engine.types import to_numpy_type
from ..kernels import descriptors, kernel, launch_lanes
from .saturation import saturate

if TYPE_CHECKING:
    from ...engine.batch import Batch

_ROUNDS = 2  # as in cast.cu


class _Conversion(SampleOperator):
    devices = ("cpu", "gpu")

    def _into(self, row: Row, data: Array, dtype: np.dtype[Any]) -> Array:
        if data.dtype == dtype:
            return data
        out = row.empty(data.shape, dtype)
        saturate(data, out)
        return out

    def _all_into(self, batch: Batch, data: TensorList, dtype: np.dtype[Any]) -> TensorListCPU:
        layout = self.output_layouts()[0]
        columns = [data.dense()] if data.is_dense_tensor() else data.rows()
        results = []
        for column in columns:
            results.append(batch.empty(column.shape, dtype))
            saturate(column, results[-1])
        return TensorListCPU(results[0] if data.is_dense_tensor() else results, layout)

    def _all_on_gpu(self, batch: Batch, data: TensorListGPU, dtype: np.dtype[Any]) -> TensorListGPU:
        source = to_numpy_type(data.dtype) if len(data) else dtype
        if source == dtype:
            return data
        shapes = data.extents()
        out = batch.device.empty(shapes, dtype)
        sizes = shapes.prod(axis=1)
        table = descriptors(len(data), source=data.pointers(), out=out.pointers(), sizes=sizes)
        function = kernel("cast", "cast", In=c_type(source), Out=c_type(dtype))
        largest = max(source.itemsize, dtype.itemsize)
        launch_lanes(batch, function, table, -(-sizes // _ROUNDS), largest)
        return out


@register
class Cast(_Conversion):
    """Converts numbers to another type.

    What the type cannot hold becomes the nearest that it can; fractions are rounded, halves away
    from zero. What is not a number becomes the smallest integer of the type. bool is False for
    what rounds to 0, else True.

    Inputs:
        data: any samples.

    Outputs:
        the numbers as `dtype`: of the input's shape and layout.
    """

    name = "cast"
    inputs = ("data",)
    dtype = param(DTYPE, REQUIRED, "Type of the output.")

    def sample(self, row: Row, data: Array) -> Array:
        return self._into(row, data, to_numpy_type(self.dtype))

    def batch(self, batch: Batch, data: TensorList) -> TensorListCPU:
        """Convert a whole batch at once."""
        return self._all_into(batch, data, to_numpy_type(self.dtype))

    def gpu(self, batch: Batch, data: TensorListGPU) -> TensorListGPU:
        return self._all_on_gpu(batch, data, to_numpy_type(self.dtype))


@register
class CastLike(_Conversion):
    """Converts numbers to the type of the second input, as `cast` does.

    Inputs:
        data: any samples.
        like: samples of which only the type matters.

    Outputs:
        the numbers as the type of `like`: of the first input's shape and layout.
    """

    name = "cast_like"
    inputs = ("data", "like")

    def sample(self, row: Row, data: Array, like: Array) -> Array:
        return self._into(row, data, like.dtype)

    def batch(self, batch: Batch, data: TensorList, like: TensorList) -> TensorListCPU:
        """Convert a whole batch at once."""
        return self._all_into(batch, data, to_numpy_type(like.dtype))

    def gpu(self, batch: Batch, data: TensorListGPU, like: TensorListGPU) -> TensorListGPU:
        return self._all_on_gpu(batch, data, to_numpy_type(like.dtype))
