"""Audio to the GPU: WAV and FLAC are converted, decoded and resampled there; all else by the CPU.

The bytes of a window of a WAV file go to the device in the form in which the file stores them:
2 bytes a sample instead of 4. FLAC files go there as they are, and `gpu_flac` decodes them. One
kernel then converts a whole batch, brings channels together and mixes them down; files of other
rates become floats, and another kernel resamples these. The CPU's decoder decodes, in threads,
files of other formats and unusual FLAC files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...engine.arrays import Addresses, Array, DType
from ...engine.gpu.kernels import Kernel, c_type
from ...engine.gpu.launch import launch_elements
from ...engine.gpu.tables import Pointers, struct_table
from ...engine.graph.context import BatchContext, HeapWorkspace
from ...engine.tensors import TensorListCPU, TensorListGPU
from ...engine.threads import TeamCall
from ...signals.gpu_resampling import resample_on_gpu
from ...signals.sinc import filter_of
from ..on_cpu import CpuFallback
from .flac_streams import FlacStreams, read_streams
from .gpu_flac import FlacWindows, decode_flac
from .mixed_windows import FlacWindow, GpuWindow, PlainWindow, flac_window, plain_window

Signal = tuple[Array, np.float32]
"""A signal and its rate."""

_ON_CPU = "files decoded by the CPU"
_PCM = Path(__file__).parent / "pcm.cu"
_FLOAT32 = np.dtype(np.float32)


@cache
def _kernel(dtype: DType, *, planes: bool) -> Kernel:
    return Kernel(_PCM, "pcm", (("Out", c_type(dtype)), ("PLANES", str(int(planes)))))


class _AudioWork(NamedTuple):
    """A batch on its way through the decoders.

    Attributes:
        batch: the batch, on whose device to work.
        files: encoded file of each row.
        streams: streams of the FLAC files among them.
    """

    batch: BatchContext
    files: Sequence[Array]
    streams: FlacStreams


class MixedAudio:
    """The decoding of one operator; several threads may use it for different batches.

    Args:
        dtype: dtype of the result.
        downmix: whether signals have one dimension.
        lobes, antialias: settings of resampling: see `AudioRequest`.
        decode_on_cpu: called with a workspace, a file, the rate, offset and duration.
    """

    def __init__(
        self,
        dtype: DType,
        downmix: bool,
        lobes: int,
        antialias: bool,
        decode_on_cpu: Callable[..., Signal],
    ) -> None:
        self._dtype = dtype
        self._downmix = downmix
        self._lobes = lobes
        self._antialias = antialias
        self._decode_on_cpu = decode_on_cpu
        self._fallback = CpuFallback(_ON_CPU)

    def run(
        self, batch: BatchContext, files: Sequence[Array], windows: Sequence[tuple[float, ...]]
    ) -> tuple[TensorListGPU, TensorListGPU]:
        """Decode a batch; enter the errors of rows.

        Args:
            batch: the batch, on whose device to work.
            files: encoded file of each row.
            windows: window of each row, the rate to resample to, offset and duration.

        Returns:
            The signals and their rates.
        """
        work = _AudioWork(batch, files, read_streams(TensorListCPU(list(files))))
        on_gpu, on_cpu = self._sort(work, windows)
        decoded = dict(self._fallback.finish(batch, on_cpu))
        self._fallback.count(len(on_cpu))
        shapes = np.zeros((batch.size, 1 if self._downmix else 2), np.int64)
        rates = np.zeros(batch.size, np.float32)
        for row, window in on_gpu.items():
            shapes[row] = (window.length, window.header.channels)[: shapes.shape[1]]
            rates[row] = window.rate
        for row, (signal, rate) in decoded.items():
            shapes[row], rates[row] = signal.shape, rate
        out = batch.device.empty(shapes, self._dtype)
        pointers = out.pointers()
        for row, (signal, _) in decoded.items():
            batch.device.copy_in(int(pointers[row]), signal)
        kept = {row: window for row, window in on_gpu.items() if not window.is_resampled}
        self._decode(work, kept, self._dtype, pointers)
        others = {row: window for row, window in on_gpu.items() if window.is_resampled}
        self._resample(work, others, pointers)
        return out, batch.device.to_device(TensorListCPU(rates))

    def close(self) -> None:
        """End the threads."""
        self._fallback.close()

    def event_counts(self) -> dict[str, int]:
        """See `Operator.event_counts`."""
        return self._fallback.event_counts()

    def _sort(
        self, work: _AudioWork, windows: Sequence[tuple[float, ...]]
    ) -> tuple[dict[int, GpuWindow], dict[int, TeamCall[Signal]]]:
        """Return the windows for the GPU, and the calls that decode the other rows."""
        batch, files, streams = work
        on_gpu: dict[int, GpuWindow] = {}
        on_cpu: dict[int, TeamCall[Signal]] = {}

        def decode(row: int) -> Signal:
            return self._decode_on_cpu(HeapWorkspace(batch.empty), files[row], *windows[row])

        self._fallback.open(batch.device)
        for row, data in enumerate(files):
            if row in batch.errors:
                continue
            try:
                chosen = flac_window(streams, row, *windows[row]) or plain_window(
                    data, *windows[row]
                )
            except Exception as error:
                batch.fail_row(row, error)
                continue
            if chosen is not None:
                on_gpu[row] = chosen
            else:
                on_cpu |= self._fallback.start([row], decode)
        return on_gpu, on_cpu

    def _resample(
        self, work: _AudioWork, windows: Mapping[int, GpuWindow], addresses: Addresses
    ) -> None:
        """Decode windows to floats, and write them at their rates."""
        if not windows:
            return
        batch = work.batch
        shapes = [
            (window.frames, 1 if self._downmix else window.header.channels)
            for window in windows.values()
        ]
        signals = batch.device.empty(np.array(shapes, np.int64), _FLOAT32)
        decoded = np.zeros(batch.size, np.uint64)
        decoded[list(windows)] = signals.pointers()
        self._decode(work, windows, _FLOAT32, decoded)
        rates = [(window.header.rate, window.rate, window.length) for window in windows.values()]
        filters = [filter_of(self._lobes, a, b, antialias=self._antialias) for a, b, _ in rates]
        resample_on_gpu(
            batch,
            signals,
            rates,
            [lowpass.cutoff for lowpass in filters],
            self._lobes,
            self._dtype,
            addresses[list(windows)],
        )

    def _decode(
        self,
        work: _AudioWork,
        windows: Mapping[int, GpuWindow],
        dtype: DType,
        addresses: Addresses,
    ) -> None:
        """Write the samples of windows at the rates of their files, to the addresses by row."""
        plain = {row: window for row, window in windows.items() if isinstance(window, PlainWindow)}
        flac = {row: window for row, window in windows.items() if isinstance(window, FlacWindow)}
        if plain:
            self._write_plain(work.batch, plain, dtype, addresses)
        if flac:
            self._write_flac(work, flac, dtype, addresses)

    def _write_plain(
        self,
        batch: BatchContext,
        plain: Mapping[int, PlainWindow],
        dtype: DType,
        addresses: Addresses,
    ) -> None:
        """Send the windows of WAV files to the device, and convert them there."""
        stored = batch.device.to_device(TensorListCPU([file.content for file in plain.values()]))
        self._launch(
            batch,
            _kernel(dtype, planes=False),
            plain,
            addresses,
            source=Pointers(stored.pointers(), "const unsigned char*"),
            width=np.array([file.layout.width for file in plain.values()], np.int32),
            floating=np.array([not file.header.integers for file in plain.values()], np.int32),
        )

    def _write_flac(
        self,
        work: _AudioWork,
        flac: Mapping[int, FlacWindow],
        dtype: DType,
        addresses: Addresses,
    ) -> None:
        """Send FLAC files to the device, decode the windows, and convert them."""
        batch, files, streams = work
        encoded = batch.device.to_device(TensorListCPU([files[row] for row in flac]))
        rows = np.array(list(flac), np.intp)
        starts = np.array([window.start for window in flac.values()], np.int64)
        counts = np.array([window.frames for window in flac.values()], np.int64)
        windows = FlacWindows(streams, rows, starts, counts)
        planes = decode_flac(batch, windows, encoded.pointers())
        self._launch(
            batch,
            _kernel(dtype, planes=True),
            flac,
            addresses,
            source=Pointers(
                planes.pointers() + (4 * windows.skipped).astype(np.uint64), "const int*"
            ),
            stride=windows.plane_samples,
            shift=(32 - streams.bits[rows]).astype(np.int32),
            floating=np.zeros(len(rows), np.int32),
        )

    def _launch(
        self,
        batch: BatchContext,
        kernel: Kernel,
        windows: Mapping[int, GpuWindow],
        addresses: Addresses,
        **source: Any,
    ) -> None:
        """Convert windows into the results; `source` tells where they are."""
        channels = np.array([window.header.channels for window in windows.values()], np.int32)
        frames = np.array([window.frames for window in windows.values()], np.int64)
        elements = frames if self._downmix else frames * channels
        table = struct_table(
            "Sample",
            len(windows),
            out=Pointers(addresses[list(windows)], "Out*"),
            elements=elements,
            channels=channels,
            mixed=np.full(len(windows), self._downmix, np.int32),
            **source,
        )
        launch_elements(batch.device, kernel, table, elements)
