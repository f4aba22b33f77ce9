"""`fn.mel_filter_bank`: a spectrogram on the mel scale of pitch."""

from __future__ import annotations

from functools import partial

from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import BOOL, FLOAT, INT, STR, param
from ...engine.tensors import TensorListGPU
from ...geometry.layouts import find_axis
from .axis_matrix import along_on_gpu
from .mel_scale import FORMULAS, FilterBank, filter_matrix


@register
class MelFilterBank(SampleOperator):
    """Applies triangular filters to a spectrogram; their corners are equidistant on the mel scale.

    The filters and their numbers are those of `librosa.filters.mel`: `norm="slaney"` is
    `normalize=True`, and `htk=True` is `mel_formula="htk"`. The operator takes the spectrogram for
    that of a transform of 2 * (bins - 1) samples. A filter above half of the sample rate is 0.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> spectrum = np.ones((129, 11), np.float32)
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.mel_filter_bank(spectrum, nfilter=40, sample_rate=16000))
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(40, 11)]

    Inputs:
        spectrogram: of any numeric dtype. The axis "f" of the layout has the bins. Without a
            layout, it is the last axis but one, or the only one.

    Outputs:
        the mel spectrogram: float32 of the layout of the input, with `nfilter` numbers on the axis
        of the bins.

    The operator computes in float32. CPU and GPU agree within 1e-5 of the largest term.

    Raises:
        ArgumentError: the layout has no "f".
    """

    name = "mel_filter_bank"
    devices = ("cpu", "gpu")
    inputs = ("spectrogram",)

    freq_high = param(
        FLOAT,
        0.0,
        "Highest frequency of the filters, in Hz, up to `sample_rate`. By default, and if not "
        "positive, half of `sample_rate`.",
    )
    freq_low = param(FLOAT, 0.0, "Lowest frequency of the filters, in Hz.", minimum=0)
    mel_formula = param(
        STR,
        "slaney",
        'Formula of the mel scale: "slaney" (linear up to 1000 Hz) or "htk" '
        "(2595 * log10(1 + hz / 700)).",
        choices=FORMULAS,
    )
    nfilter = param(INT, 128, "Number of filters.", minimum=1)
    normalize = param(BOOL, True, "Whether the area of a filter is 1; otherwise its peak is 1.")
    sample_rate = param(FLOAT, 44100.0, "Samples a second of the signal.", above=0)

    def prepare(self) -> None:
        high = self.freq_high if self.freq_high > 0 else self.sample_rate / 2
        if not self.freq_low < high <= self.sample_rate:
            self.refuse(
                f"the filters lie between {self.freq_low} Hz and {high} Hz; freq_high must be "
                f"above freq_low, and at most sample_rate ({self.sample_rate})"
            )
        self._bank = FilterBank(
            self.nfilter,
            self.sample_rate,
            self.freq_low,
            high,
            self.mel_formula,
            bool(self.normalize),
        )

    def sample(self, workspace: Workspace, data: Array) -> Array:
        axis = self._axis(data.ndim)
        return filter_matrix(self._bank, data.shape[axis]).along(workspace, data, axis)

    def batch_gpu(self, batch: BatchContext, data: TensorListGPU) -> TensorListGPU:
        axis = self._axis(data.ndim)
        matrix_of = partial(filter_matrix, self._bank)
        return along_on_gpu(batch, data, axis, matrix_of, self.nfilter, self.layouts[0])

    def _axis(self, ndim: int) -> int:
        """Return the axis of the bins."""
        if self.layouts[0]:
            return find_axis(self.layouts[0], "f")
        if not ndim:
            raise ArgumentError("the sample is a single number; give a spectrogram")
        return max(ndim - 2, 0)
