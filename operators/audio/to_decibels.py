"""`fn.to_decibels`: magnitudes on a logarithmic scale."""

from __future__ import annotations

import numpy as np

from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import FLOAT, param
from ...engine.tensors import TensorListGPU
from ...engine.tensors.device_tensors import address_of
from ...engine.tensors.dtypes import to_numpy_type
from ..kernels import THREADS, Pointers, kernel, launch_elements, struct_table

_MOST_EXPONENT = 38  # of a power of 10 in float32


@register
class ToDecibels(SampleOperator):
    """Computes `multiplier * log10(max(data / reference, min_ratio))`.

    The ratio min_ratio is 10 ** (cutoff_db / multiplier). Numbers that are negative, and values
    that are not a number, give `cutoff_db`.

    `librosa.power_to_db(data, ref=reference, amin=1e-20 * reference, top_db=None)` is the same at
    the defaults.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.to_decibels([1.0, 10.0, 100.0]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0).round(1))
    [-20. -10.   0.]

    Inputs:
        data: magnitudes, such as a spectrogram, of any numeric dtype.

    Outputs:
        the decibels: float32 of the shape and layout of the input.

    The operator computes in float32. CPU and GPU agree within 1e-5 times `multiplier`, and one
    unit in the last place.
    """

    name = "to_decibels"
    devices = ("cpu", "gpu")
    inputs = ("data",)

    cutoff_db = param(FLOAT, -200.0, "Least result, in decibels.")
    multiplier = param(
        FLOAT, 10.0, "Factor of the logarithm: 10 for power, 20 for amplitudes.", above=0
    )
    reference = param(
        FLOAT, 0.0, "Magnitude of 0 dB, above 0. Default: the largest number of the sample."
    )

    def prepare(self) -> None:
        if "reference" in self.given and not self.reference > 0:
            self.refuse(
                f"reference is {self.reference}; give a positive number, or leave it out for the "
                "largest number of each sample"
            )
        exponent = min(self.cutoff_db / self.multiplier, _MOST_EXPONENT)
        self._least = max(np.float32(10.0**exponent), np.finfo(np.float32).smallest_subnormal)

    def sample(self, workspace: Workspace, data: Array) -> Array:
        out = workspace.empty(data.shape, np.float32)
        with np.errstate(invalid="ignore", over="ignore"):
            np.divide(data, self._reference(data), out=out, dtype=np.float32, casting="unsafe")
        np.fmax(out, self._least, out=out)
        np.log10(out, out=out)
        np.multiply(out, np.float32(self.multiplier), out=out)
        return out

    def batch_gpu(self, batch: BatchContext, data: TensorListGPU) -> TensorListGPU:
        device, extents = batch.device, data.extents()
        out = device.empty(extents, np.float32)
        elements = extents.prod(axis=1)
        maxima = device.buffer(4 * batch.size)
        addresses = address_of(maxima) + 4 * np.arange(batch.size, dtype=np.uint64)
        table = struct_table(
            "Magnitudes",
            batch.size,
            source=Pointers(data.pointers(), "const In*"),
            out=Pointers(out.pointers(), "float*"),
            maximum=Pointers(addresses, "unsigned*"),
            elements=elements,
        )
        table = device.upload_table(table)
        macros = {"In": c_type(to_numpy_type(data.dtype))}
        if not self.reference:
            device.fill(maxima, 0)
            maximum = kernel("audio/decibels", "maximum", **macros)
            launch_elements(device, maximum, table, elements, shared_bytes=4 * THREADS)
        numbers = (np.float32(n) for n in (self.reference, self._least, self.multiplier))
        launch_elements(
            device, kernel("audio/decibels", "decibels", **macros), table, elements, *numbers
        )
        return out

    def _reference(self, data: Array) -> np.float32:
        """Return the magnitude of 0 dB; 1 for a sample without positive numbers."""
        if self.reference:
            return np.float32(self.reference)
        return np.float32(np.fmax.reduce(data, axis=None, initial=0)) or np.float32(1)
