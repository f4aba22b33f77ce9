"""`fn.preemphasis_filter`: a high-pass filter that balances the spectrum of speech."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import DTYPE, FLOAT, STR, param
from ...engine.graph.row_arguments import array_of
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import DALIDataType, to_numpy_type
from ..elementwise.saturation import saturate
from ..kernels import Pointers, kernel, launch_elements, struct_table

_BORDERS = ("zero", "clamp", "reflect")


@register
class PreemphasisFilter(SampleOperator):
    """Computes `out[t] = signal[t] - preemph_coeff * signal[t - 1]`.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.preemphasis_filter([1.0, 1.0, 2.0], preemph_coeff=0.5))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [0.5 0.5 1.5]

    Inputs:
        signal: any numeric samples. A sample of several dimensions is filtered in the order of its
            elements in memory.

    Outputs:
        the filtered signal: of dtype `dtype` and the shape and layout of the input.

    The operator computes in float32, and for results of FLOAT64 in float64. CPU and GPU agree
    within 1e-6 of the largest term, and for integer dtypes within 1.
    """

    name = "preemphasis_filter"
    devices = ("cpu", "gpu")
    inputs = ("signal",)

    border = param(
        STR,
        "clamp",
        'The sample before the first one: 0 ("zero"), the first ("clamp"), or the second '
        '("reflect"; 0 if there is only one sample).',
        choices=_BORDERS,
    )
    dtype = param(
        DTYPE,
        DALIDataType.FLOAT,
        "Dtype of the result. Integers are rounded, and clamped to the dtype's range.",
    )
    preemph_coeff = param(FLOAT, 0.97, "Factor of the sample before.", per_sample=True)

    def prepare(self) -> None:
        self._target = to_numpy_type(self.dtype)
        self._exact = np.dtype("f8" if self._target == np.float64 else "f4")

    def sample(self, workspace: Workspace, data: Array, *, preemph_coeff: float) -> Array:
        signal, exact = data.reshape(-1), self._exact
        result = workspace.empty(data.shape, self._target)
        filtered = result if self._target == exact else workspace.scratch(data.shape, exact)
        flat, factor = filtered.reshape(-1), exact.type(-preemph_coeff)
        np.multiply(signal[:-1], factor, out=flat[1:], dtype=exact, casting="unsafe")
        if signal.size:
            flat[0] = factor * exact.type(self._before(signal))
        np.add(flat, signal, out=flat, dtype=exact, casting="unsafe")
        if filtered is not result:
            saturate(filtered, result)
        return result

    def batch_gpu(
        self, batch: BatchContext, data: TensorListGPU, *, preemph_coeff: object
    ) -> TensorListGPU:
        extents = data.extents()
        out = batch.device.empty(extents, self._target)
        elements = extents.prod(axis=1)
        factors = array_of(self, "preemph_coeff", preemph_coeff, batch.size)[:, 0]
        table = struct_table(
            "Signal",
            batch.size,
            source=Pointers(data.pointers(), "const In*"),
            out=Pointers(out.pointers(), "Out*"),
            elements=elements,
            factor=factors.astype(self._exact),
        )
        types = {"In": to_numpy_type(data.dtype), "Out": self._target, "Exact": self._exact}
        macros = {name: c_type(dtype) for name, dtype in types.items()}
        border = _BORDERS.index(self.border) - 1
        function = kernel("audio/preemphasis", "preemphasis", BORDER=border, **macros)
        launch_elements(batch.device, function, table, elements)
        return out

    def _before(self, signal: Array) -> Any:
        """Return the sample before the first one."""
        if self.border == "clamp":
            return signal[0]
        return signal[1] if self.border == "reflect" and len(signal) > 1 else 0
