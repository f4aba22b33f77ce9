"""`fn.power_spectrum`: the Fourier transform along one axis."""

from __future__ import annotations

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import INT, param
from ...geometry.layouts import chosen_axes
from .real_fft import bins_of, frames_for


@register
class PowerSpectrum(SampleOperator):
    """Computes the amplitude or power of the frequencies along an axis.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.power_spectrum([1.0, 0.0, -1.0, 0.0]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0).round(3))
    [0. 4. 0.]

    Inputs:
        data: real numbers of any numeric dtype; at least one dimension.

    Outputs:
        the spectrum: float32 of the layout of the input, with nfft // 2 + 1 bins on `axis`.

    Raises:
        ArgumentError: the sample has no such axis, or the axis is empty and `nfft` is not given.
    """

    name = "power_spectrum"
    inputs = ("data",)

    axis = param(INT, -1, "Axis to transform; negative numbers count from the back.")
    nfft = param(
        INT,
        0,
        "Samples of the transform: the axis is cut off, or extended with zeros. By default, and if "
        "not positive, the extent of the axis.",
    )
    power = param(INT, 2, "Exponent of the amplitude: 1 or 2.", minimum=1, maximum=2)

    def sample(self, workspace: Workspace, data: Array) -> Array:
        (axis,) = chosen_axes("", data.ndim, (self.axis,), None)
        columns = np.moveaxis(data, axis, -1)
        others, extent = columns.shape[:-1], data.shape[axis]
        nfft = self.nfft if self.nfft > 0 else extent
        if not nfft:
            raise ArgumentError(
                f"the sample has the shape {data.shape}: the axis {axis} is empty; give nfft"
            )
        count = columns.size // extent if extent else int(np.prod(others))
        frames = frames_for(workspace, count, nfft)
        used = min(extent, nfft)
        frames.numbers[:, :used] = columns.reshape(count, extent)[:, :used]
        frames.numbers[:, used:] = 0
        shape = (*data.shape[:axis], bins_of(nfft), *data.shape[axis + 1 :])
        out = workspace.empty(shape, np.float32)
        spectra = workspace.scratch((count, bins_of(nfft)), np.float32)
        frames.write_spectra(spectra, self.power)
        np.moveaxis(out, axis, -1)[...] = spectra.reshape(*others, bins_of(nfft))
        return out
