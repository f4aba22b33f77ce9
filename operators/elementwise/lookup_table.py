"""`fn.lookup_table`: integers replaced by values of a table."""

from __future__ import annotations

import numpy as np

from ...engine.arrays import DType
from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import DTYPE, FLOAT, FLOATS, INTS, param
from ...engine.tensors import TensorListGPU, address_of
from ...engine.tensors.dtypes import DALIDataType, to_numpy_type
from ..kernels import Pointers
from .byte_table import look_up
from .pointwise import pointwise
from .saturation import saturated
from .target_dtype import target_type

_LARGEST_KEY = 65535
_BYTES = 256


@register
class LookupTable(SampleOperator):
    """Replaces each integer by the value of the key that equals it, or by `default_value`.

    Of several equal keys the last one counts.

    Inputs:
        data: any samples of integers.

    Outputs:
        the values: of dtype `dtype`, and the input's shape and layout.
    """

    name = "lookup_table"
    devices = ("cpu", "gpu")
    inputs = ("data",)

    default_value = param(FLOAT, 0.0, "Value of integers that are no key.")
    dtype = param(
        DTYPE,
        DALIDataType.FLOAT,
        "Type of the result. Integers are rounded, and clamped to the type's range.",
        aliases=("output_dtype",),
    )
    keys = param(INTS, (), "The integers to replace.", minimum=0, maximum=_LARGEST_KEY)
    values = param(FLOATS, (), "The value of each key.")

    def prepare(self) -> None:
        if len(self.keys) != len(self.values):
            self.refuse(
                f"there are {len(self.keys)} keys and {len(self.values)} values; give one value "
                "for each key"
            )
        target = target_type(self)
        assert target is not None
        size = max((_BYTES - 2, *self.keys)) + 2  # the last entry is that of all larger integers
        exact = np.full(size, self.default_value, np.float32)
        exact[list(self.keys)] = self.values
        self._table = saturated(exact, target)

    def sample(self, workspace: Workspace, data: Array) -> Array:
        self._check(data.dtype)
        out = workspace.empty(data.shape, self._table.dtype)
        if data.dtype == np.uint8:
            look_up(np.ascontiguousarray(data), self._table[:_BYTES], out)
            return out
        last = len(self._table) - 1
        places = data.clip(-1, last) if data.dtype.kind == "i" else np.minimum(data, last)
        np.take(self._table, places.astype(np.intp), out=out, mode="wrap")  # -1 is the last
        return out

    def _check(self, dtype: DType) -> None:
        if dtype.kind not in "iu":
            raise ArgumentError(f"{self.called} takes integers, not {dtype}; use fn.cast before")

    def batch_gpu(self, batch: BatchContext, data: TensorListGPU) -> TensorListGPU:
        self._check(to_numpy_type(data.dtype))
        table = batch.device.upload(self._table)
        return pointwise(
            batch,
            "table[x < 0 || x >= last ? last : x]",
            data,
            dtype=self._table.dtype,
            table=Pointers(np.full(batch.size, address_of(table), np.uint64), "const Out*"),
            last=len(self._table) - 1,
        )
