"""`fn.spectrogram`: the short-time Fourier transform of a signal."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.lib.stride_tricks import as_strided

from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import BOOL, FLOATS, INT, STR, param
from ...engine.tensors import TensorListGPU
from ..common.batch_arguments import enter_errors
from .framing import Framing
from .gpu_spectrogram import Transform, transform_batch
from .real_fft import Frames, bins_of, frames_for
from .signals import signal_lengths, signal_of

MAX_WINDOW_ELEMENTS = 1 << 18
"""Numbers of the windows that are transformed together."""


@register
class Spectrogram(SampleOperator):
    """Computes the amplitude or power of a signal's frequencies over time.

    Windows of the signal start `window_step` samples apart. Each is multiplied by `window_fn`,
    extended with zeros to `nfft` samples, and transformed. Bin k holds the frequency
    k * sample_rate / nfft.

    With `center_windows`, a signal of n samples has n // window_step + 1 windows; window t has its
    sample window_length // 2 at sample t * window_step of the signal. Otherwise the signal has
    (n - window_length) // window_step + 1 windows.

    With `window_fn=scipy.signal.get_window("hann", window_length)` and an even `window_length`, the
    result is that of `librosa.stft(pad_mode="reflect")`.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> seconds = np.arange(1600) / 16000
    >>> tone = np.float32(np.sin(2 * np.pi * 1000 * seconds))
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     output = fn.spectrogram(tone, nfft=256, window_length=256, window_step=160)
    ...     pipe.set_outputs(output)
    ...     (result,) = pipe.run()
    ...     print(result.at(0).shape, result.at(0).mean(axis=1).argmax() * 16000 / 256)
    (129, 11) 1000.0

    Inputs:
        signal: one channel, of any numeric dtype: (samples,), (samples, 1) or (1, samples).

    Outputs:
        the spectrogram: float32 of shape (nfft // 2 + 1, windows) and layout "ft", or of shape
        (windows, nfft // 2 + 1) and layout "tf".

    The operator computes in float32. CPU and GPU agree within 1e-5 of the largest number of a
    window.

    Raises:
        ArgumentError: a signal is empty or has several channels; or it is shorter than a window,
            and `center_windows` is False.
    """

    name = "spectrogram"
    devices = ("cpu", "gpu")
    inputs = ("signal",)

    center_windows = param(
        BOOL,
        True,
        "Extend the signal at both ends, so that windows are centered at multiples of "
        "`window_step`. Otherwise all windows lie within the signal.",
    )
    layout = param(
        STR,
        "ft",
        'Order of the output: "ft" (frequency first) or "tf" (time first).',
        choices=("ft", "tf"),
    )
    nfft = param(
        INT, None, "Samples of a transform, at least `window_length`, which is the default."
    )
    power = param(INT, 2, "Exponent of the amplitude: 1 or 2.", minimum=1, maximum=2)
    reflect_padding = param(
        BOOL,
        True,
        "Mirror the signal beyond its ends; otherwise extend the signal with zeros. Without "
        "`center_windows`, this has no effect.",
    )
    window_fn = param(
        FLOATS,
        (),
        "Factors of a window's samples: `window_length` numbers. Default: the Hann window "
        "sin(pi * (i + 0.5) / window_length) ** 2.",
    )
    window_length = param(INT, 512, "Samples of a window.", minimum=1)
    window_step = param(INT, 256, "Samples from one window to the next.", minimum=1)

    def prepare(self) -> None:
        length = self.window_length
        if self.window_fn and len(self.window_fn) != length:
            self.refuse(
                f"window_fn has {len(self.window_fn)} numbers; give window_length numbers, which "
                f"is {length}"
            )
        self._nfft = length if self.nfft is None else self.nfft
        if self._nfft < length:
            self.refuse(
                f"nfft is {self._nfft}; it must be at least window_length, which is {length}"
            )
        self._factors = np.array(self.window_fn or hann(length), np.float32)
        self._transform = Transform(self._nfft, self.power, self.layout == "tf")
        self._framing = Framing(
            length, self.window_step, self.center_windows, bool(self.reflect_padding)
        )

    def output_layouts(self) -> tuple[str, ...]:
        return (self.layout,)

    def sample(self, workspace: Workspace, data: Array) -> Array:
        signal = signal_of(data)
        windows = self._framing.count(len(signal))
        bins = bins_of(self._nfft)
        extended = self._framing.extended(workspace, signal, windows)
        shape, strides = (windows, self.window_length), (self.window_step * 4, 4)
        covered = as_strided(extended, shape, strides, writeable=False)
        together = min(max(MAX_WINDOW_ELEMENTS // self._nfft, 1), windows)
        frames = frames_for(workspace, together, self._nfft)
        factors = workspace.scratch((together, self.window_length), np.float32)
        np.copyto(
            factors, self._factors
        )  # a row each: NumPy would copy the windows, not the factors
        groups = [slice(start, start + together) for start in range(0, windows, together)]
        if self.layout == "tf":
            out = workspace.empty((windows, bins), np.float32)
            for group in groups:
                self._write(covered[group], factors, frames, out[group])
            return out
        out = workspace.empty((bins, windows), np.float32)
        spectra = workspace.scratch((together, bins), np.float32)
        for group in groups:
            some = covered[group]
            self._write(some, factors, frames, spectra[: len(some)])
            cv2.transpose(spectra[: len(some)], out[:, group])
        return out

    def batch_gpu(self, batch: BatchContext, data: TensorListGPU) -> TensorListGPU:
        samples = signal_lengths(data.extents())
        windows = self._framing.counts(samples)
        enter_errors(self, batch, data, windows != 0, {})
        return transform_batch(
            batch, data, samples, windows, self._framing, self._factors, self._transform
        )

    def _write(self, covered: Array, factors: Array, frames: Frames, out: Array) -> None:
        """Write the spectra of some windows: (windows, bins)."""
        count = len(covered)
        frames = frames.first(count)
        cv2.multiply(covered, factors[:count], frames.numbers[:, : self.window_length])
        frames.numbers[:, self.window_length :] = 0
        frames.write_spectra(out, self.power)


def hann(length: int) -> list[float]:
    """Return the Hann window whose samples lie in the middle of `length` equal intervals."""
    factors = np.sin(np.pi * (np.arange(length) + 0.5) / length) ** 2
    return [float(factor) for factor in factors]
