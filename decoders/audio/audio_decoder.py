"""`fn.decoders.audio`: signals from encoded audio."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.limits import Remedies
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import BOOL, FLOAT, param
from ...engine.graph.row_arguments import arguments_of_row
from ...engine.tensors import TensorListCPU, TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ...signals.arguments import ANTIALIAS, DECODED_DTYPE, QUALITY
from ...signals.sinc import lobes_of
from ..errors import check_encoded
from .decode import AudioRequest, decode, target_rate
from .formats.base import AudioStream
from .table import open_audio

if TYPE_CHECKING:
    from .mixed import MixedAudio

_DTYPES = ("float32", "int16", "int32")


class AudioOperator(SampleOperator):
    """Base of the operators that decode audio."""

    dtype = DECODED_DTYPE
    downmix = param(BOOL, False, "Return the mean of all channels.")
    quality = QUALITY
    antialias = ANTIALIAS

    def prepare(self) -> None:
        self._dtype = to_numpy_type(self.dtype)
        if self._dtype.name not in _DTYPES:
            self.refuse(f"dtype must be FLOAT, INT16 or INT32, but is {self.dtype!r}")
        self._lobes = lobes_of(self.quality)

    def remedies(self) -> Remedies:
        return {
            "decoding": (
                "WAV or FLAC files, which the GPU decodes, too: device='mixed'",
                "shorter windows (offset, duration), or files at the rate that is wanted",
                "more cores",
            )
        }

    def output_layouts(self) -> tuple[str, ...]:
        return ("",) * self.num_outputs()

    def decode_window(
        self, workspace: Workspace, stream: AudioStream, rate: float, offset: float, duration: float
    ) -> Array:
        """Return the samples of a window; see `AudioRequest`."""
        request = AudioRequest(
            self._dtype,
            self.downmix,
            rate,
            self._lobes,
            self.antialias,
            offset,
            duration,
            workspace.empty,
            workspace.scratch,
        )
        return decode(stream, request)


@register
class AudioDecoder(AudioOperator):
    """Decodes audio: WAV, FLAC, Ogg, MP3, AIFF, AU, CAF, W64, SPHERE; with PyAV, AAC and its kind.

    Resampling and mixing down follow DALI. Integers are those of the file, at full range; floating
    point and lossy files are scaled to the range of the integers. A window (`offset`, `duration`)
    is decoded alone, and holds the samples that the whole file has there.

    With `device="mixed"` the signals are on the GPU. WAV files of plain samples and FLAC files go
    there as they are, and are decoded there to the same numbers, and resampled within 2e-6 of full
    scale. The CPU decodes all other files; `Pipeline.stats` counts them.

    >>> import numpy as np
    >>> import soundfile
    >>> from penstock import Pipeline, fn
    >>> soundfile.write("tone.wav", np.zeros((800, 2)), 16000)
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     output = fn.decoders.audio(np.fromfile("tone.wav", np.uint8), downmix=True)
    ...     pipe.set_outputs(*output)
    ...     for output in pipe.run():
    ...         print(output.shape(), output.at(0).max())
    [(800,)] 0.0
    [()] 16000.0

    Inputs:
        data: a whole file a sample; uint8, one dimension.

    Outputs:
        the signal: of type `dtype`, shape (samples, channels), or (samples,) with `downmix`. At
            another rate, a signal of n samples has ceil(n * sample_rate / rate) samples.
        its rate in Hz, after resampling: float32, a scalar.

    Raises:
        DecodeError: the data is damaged, cut off, or of an unknown format; a window starts behind
            the end.
        MissingDependencyError: soundfile is not installed, and the file is no plain WAV; or PyAV
            is not installed, and the file is AAC, M4A or of their kind.
    """

    name = "decoders.audio"
    aliases = ("audio_decoder",)
    devices = ("cpu", "mixed")
    inputs = ("data",)
    outputs = 2

    sample_rate = param(
        FLOAT, 0.0, "Rate to resample to, in Hz; 0 or less for the file's own.", per_sample=True
    )
    offset = param(FLOAT, 0.0, "Where to start, in seconds.", per_sample=True, minimum=0)
    duration = param(
        FLOAT,
        -1.0,
        "How long to decode, in seconds; to the end if the file ends earlier, or if negative.",
        per_sample=True,
    )

    def sample(
        self,
        workspace: Workspace,
        data: Array,
        *,
        sample_rate: float,
        offset: float,
        duration: float,
    ) -> tuple[Array, Any]:
        with open_audio(encoded(data)) as stream:
            signal = self.decode_window(workspace, stream, sample_rate, offset, duration)
            rate = target_rate(stream.header, sample_rate)
        return signal, np.float32(rate)

    def prepare(self) -> None:
        super().prepare()
        self._mixed: MixedAudio | None = None
        if self.device == "mixed":
            from .mixed import MixedAudio  # takes 3 ms

            self._mixed = MixedAudio(
                self._dtype, self.downmix, self._lobes, self.antialias, self._decode_alone
            )

    def _decode_alone(self, workspace: Workspace, data: Array, *window: float) -> tuple[Array, Any]:
        names = ("sample_rate", "offset", "duration")
        return self.sample(workspace, data, **dict(zip(names, window, strict=True)))

    def batch_gpu(
        self, batch: BatchContext, data: TensorListCPU, **arguments: Any
    ) -> tuple[TensorListGPU, TensorListGPU]:
        assert self._mixed is not None
        windows = [(0.0, 0.0, 0.0)] * batch.size
        files = [np.empty(0, np.uint8)] * batch.size
        for row in range(batch.size):
            try:
                values = arguments_of_row(self, arguments, row)
                windows[row] = values["sample_rate"], values["offset"], values["duration"]
                files[row] = encoded(data.row(row))
            except Exception as error:
                batch.fail_row(row, error)
        return self._mixed.run(batch, files, windows)

    def event_counts(self) -> dict[str, int]:
        return {} if self._mixed is None else self._mixed.event_counts()

    def close(self) -> None:
        if self._mixed is not None:
            self._mixed.close()


def encoded(data: Array) -> Array:
    """Return the bytes of a file, contiguous; raise DecodeError for any other array."""
    check_encoded(data)
    return np.ascontiguousarray(data)
