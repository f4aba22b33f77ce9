"""`fn.audio_resample`: signals at another rate."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...engine.arrays import DType
from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import DTYPE, FLOAT, INT, param
from ...engine.graph.row_arguments import try_rows, values_of
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ...signals.amplitude import DTYPES, from_float, to_float
from ...signals.arguments import ANTIALIAS, QUALITY
from ...signals.gpu_resampling import resample_on_gpu
from ...signals.resampling import check_length, resample, resampled_length
from ...signals.sinc import SincFilter, filter_of, lobes_of


class Rates(NamedTuple):
    """The rates of a signal, in any unit, and the number of samples at the second rate."""

    in_rate: float
    out_rate: float
    length: int


@register
class AudioResample(SampleOperator):
    """Resamples signals: the rates, the factor, or the new length say how.

    The filter is DALI's: a sinc in a Hann window, `quality` wide. Output sample n is at the input's
    position n * in_rate / out_rate, and the signal counts as 0 around its ends. Results differ
    from DALI's by up to 1e-3 of full scale for speech and 4e-3 for white noise, because DALI rounds
    the positions of samples. The silence around unsigned signals is half of their range here, and
    0 in DALI.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     output = fn.audio_resample(np.zeros(441, np.float32), in_rate=44100, out_rate=16000)
    ...     pipe.set_outputs(output)
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(160,)]

    Inputs:
        audio: shape (samples,) or (samples, channels); int8, uint8, int16, uint16, int32, uint32 or
            float32.

    Outputs:
        the signal: of type `dtype`, with ceil(samples * out_rate / in_rate) or `out_length`
            samples. Integers and floats are converted full range to full range (-1 to 1).

    Raises:
        ArgumentError: dtype or shape is none of these, a rate is not positive, or a length or
            factor is negative.
    """

    name = "audio_resample"
    aliases = ("experimental.audio_resample",)
    devices = ("cpu", "gpu")
    inputs = ("audio",)

    dtype = param(DTYPE, None, "Type of the result; by default that of the input.")
    in_rate = param(
        FLOAT,
        None,
        "Rate of the input, in the unit of `out_rate`, which it needs.",
        per_sample=True,
    )
    out_rate = param(FLOAT, None, "Rate of the result, with `in_rate`.", per_sample=True)
    out_length = param(
        INT, None, "Samples of the result; instead of rates and `scale`.", per_sample=True
    )
    scale = param(FLOAT, None, "The output rate, if the input's is 1.", per_sample=True)
    quality = QUALITY
    antialias = ANTIALIAS

    def prepare(self) -> None:
        rates = {"in_rate", "out_rate"} & self.given
        ways = [*rates, *sorted({"scale", "out_length"} & self.given)]
        if len(rates) == 1 or len(ways) - len(rates) + bool(rates) != 1:
            raise ArgumentError(
                f"{self.called} needs one of: in_rate and out_rate, scale, or out_length; given "
                f"are {', '.join(sorted(ways)) or 'none of them'}"
            )
        self._dtype = None if self.dtype is None else to_numpy_type(self.dtype)
        if self._dtype is not None and self._dtype not in DTYPES:
            self.refuse(f"dtype must be {_NAMES}, but is {self._dtype}")
        self._lobes = lobes_of(self.quality)

    def sample(self, workspace: Workspace, audio: Array, **given: Any) -> Array:
        _check_type(audio.ndim, audio.dtype)
        channels = math.prod(audio.shape[1:])
        rates = _rates(len(audio), channels, **given)
        out = workspace.empty((rates.length, *audio.shape[1:]), self._dtype or audio.dtype)
        signal, result = (array.reshape(len(array), channels) for array in (audio, out))
        for channel in range(channels):
            self._resample(signal[:, channel], rates, result[:, channel], workspace)
        return out

    def _resample(self, audio: Array, rates: Rates, out: Array, workspace: Workspace) -> None:
        """Resample one channel."""
        floats = audio
        if audio.dtype != np.float32:
            floats = workspace.scratch(audio.shape, np.float32)
            to_float(audio, floats)
        result = out if out.dtype == np.float32 else workspace.scratch(out.shape, np.float32)
        sinc = self._filter(rates)
        resample(floats, rates.in_rate, rates.out_rate, sinc, result, workspace.scratch)
        if result is not out:
            from_float(result, out)

    def _filter(self, rates: Rates) -> SincFilter:
        lowest = rates.out_rate or rates.in_rate  # without an output, any filter will do
        return filter_of(self._lobes, rates.in_rate, lowest, antialias=self.antialias)

    def batch_gpu(
        self, batch: BatchContext, audio: TensorListGPU, **given: object
    ) -> TensorListGPU:
        source = to_numpy_type(audio.dtype)
        _check_type(audio.ndim, source)
        extents = audio.extents()
        values = {name: values_of(self, name, v, batch.size) for name, v in given.items()}
        rates = [Rates(1.0, 1.0, 0)] * batch.size

        def enter(row: int) -> None:
            length, *channels = extents[row].tolist()
            own = {name: column[row] for name, column in values.items()}
            rates[row] = _rates(length, math.prod(channels), **own)

        try_rows(batch, range(batch.size), enter)
        cutoffs = [self._filter(rate).cutoff for rate in rates]
        dtype = self._dtype or source
        shapes = extents.copy()
        shapes[:, 0] = [rate.length for rate in rates]
        out = batch.device.empty(shapes, dtype)
        resample_on_gpu(batch, audio, rates, cutoffs, self._lobes, dtype, out.pointers())
        return out


_NAMES = ", ".join(map(str, DTYPES))


def _check_type(ndim: int, dtype: DType) -> None:
    if ndim not in (1, 2) or dtype not in DTYPES:
        raise ArgumentError(
            f"audio must have 1 or 2 dimensions and one of the types {_NAMES}, but has {ndim} and "
            f"{dtype}"
        )


def _rates(
    length: int,
    channels: int,
    *,
    in_rate: float | None,
    out_rate: float | None,
    out_length: int | None,
    scale: float | None,
) -> Rates:
    if out_length is not None:
        if out_length < 0:
            raise ArgumentError(f"out_length must be 0 or more, but is {out_length}")
        rates = Rates(max(length, 1), max(out_length, 1), out_length)
    else:
        before = 1.0 if in_rate is None else _rate(in_rate)
        after = _rate(scale if out_rate is None else out_rate)
        if not (before > 0 and after >= 0):
            raise ArgumentError(
                f"rates must be positive and scale 0 or more, but the output has {after} for "
                f"{before} of the input"
            )
        rates = Rates(before, after, resampled_length(length, before, after))
    check_length(rates.length, channels)
    return rates


def _rate(value: float | None) -> float:
    """Return a rate as DALI's arguments hold it: float32."""
    rate = float(np.float32(value))
    if not math.isfinite(rate):
        raise ArgumentError(f"a rate or scale must be a finite number, but is {value}")
    return rate
