"""Audio to the GPU: WAV and FLAC are converted and decoded there; all else by the CPU.

The bytes of a window of a WAV file go to the device in the form in which the file stores them:
2 bytes a sample instead of 4. FLAC files go there as they are, and `gpu_flac` decodes them. One
kernel then converts a whole batch, brings channels together and mixes them down. The CPU's decoder
decodes, in threads, files of other formats, files that are resampled, and unusual FLAC files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.gpu.kernels import Kernel, c_type
from ...engine.gpu.launch import launch_elements
from ...engine.gpu.tables import Pointers, struct_table
from ...engine.graph.context import BatchContext
from ...engine.tensors import TensorListCPU, TensorListGPU
from ...engine.threads import Team, TeamCall
from .decode import target_rate, window
from .flac_streams import FlacStreams, read_streams
from .formats import wav
from .formats.base import AudioHeader
from .formats.wav import WavLayout
from .gpu_flac import FlacWindows, decode_flac

Array = NDArray[Any]
Signal = tuple[Array, np.float32]
"""A signal and its rate."""

_PCM = Path(__file__).parents[1] / "kernels" / "pcm.cu"


class PlainWindow(NamedTuple):
    """The bytes of a window of a WAV file, and how they are stored."""

    layout: WavLayout
    frames: int
    content: Array

    @property
    def header(self) -> AudioHeader:
        """Of the file."""
        return self.layout.header


class FlacWindow(NamedTuple):
    """A window of a FLAC file that the GPU decodes: the samples from `start` on."""

    header: AudioHeader
    start: int
    frames: int


def plain_window(data: Array, rate: float, offset: float, duration: float) -> PlainWindow | None:
    """Return the window of a WAV file that the GPU converts, or None for all others.

    Args:
        data: the file.
        rate: to resample to; 0 or less for none.
        offset, duration: of the window in seconds: see `AudioRequest`.
    """
    layout = wav.plain_layout(data)
    if layout is None or target_rate(layout.header, rate) != layout.header.rate:
        return None
    start, frames = window(layout.header, offset, duration)
    block = layout.width * layout.header.channels
    first = layout.offset + start * block
    return PlainWindow(layout, frames, data[first : first + frames * block])


def flac_window(
    streams: FlacStreams, row: int, rate: float, offset: float, duration: float
) -> FlacWindow | None:
    """Return the window of a FLAC file that the GPU decodes, or None for all others."""
    if not streams.is_plain[row] or (rate > 0 and rate != streams.rate[row]):
        return None
    frames, hertz, channels = (
        int(each[row]) for each in (streams.samples, streams.rate, streams.channels)
    )
    header = AudioHeader("FLAC", frames, hertz, channels, integers=True).checked()
    return FlacWindow(header, *window(header, offset, duration))


class MixedAudio:
    """The decoding of one operator; several threads may use it for different batches.

    Args:
        dtype: of the result.
        downmix: whether signals have one dimension.
        decode_on_cpu: called with a file, the rate, offset and duration.
    """

    def __init__(
        self, dtype: np.dtype[Any], downmix: bool, decode_on_cpu: Callable[..., Signal]
    ) -> None:
        self._dtype = dtype
        self._downmix = downmix
        self._decode_on_cpu = decode_on_cpu
        self._team: Team | None = None
        self._of_bytes, self._of_planes = (
            Kernel(_PCM, "pcm", (("Out", c_type(dtype)), ("PLANES", planes))) for planes in "01"
        )

    def run(
        self, batch: BatchContext, files: Sequence[Array], windows: Sequence[tuple[float, ...]]
    ) -> tuple[TensorListGPU, TensorListGPU, int]:
        """Decode a batch; enter rows that fail in `batch.errors`.

        Args:
            batch: the batch, on whose device to work.
            files: of each row.
            windows: of each row, the rate to resample to, offset and duration.

        Returns:
            The signals, their rates, and the number of rows that the CPU decoded.
        """
        streams = read_streams(TensorListCPU(list(files)))
        on_gpu, pending = self._sort(batch, files, streams, windows)
        decoded = self._finished(batch, pending)
        shapes = np.zeros((batch.size, 1 if self._downmix else 2), np.int64)
        rates = np.zeros(batch.size, np.float32)
        for row, each in on_gpu.items():
            shapes[row] = (each.frames, each.header.channels)[: shapes.shape[1]]
            rates[row] = each.header.rate
        for row, (signal, rate) in decoded.items():
            shapes[row], rates[row] = signal.shape, rate
        out = batch.device.empty(shapes, self._dtype)
        pointers = out.pointers()
        for row, (signal, _) in decoded.items():
            batch.device.copy_in(int(pointers[row]), signal)
        plain = {row: each for row, each in on_gpu.items() if isinstance(each, PlainWindow)}
        flac = {row: each for row, each in on_gpu.items() if isinstance(each, FlacWindow)}
        self._convert(batch, plain, out)
        self._decode(batch, files, streams, flac, out)
        return out, batch.device.to_device(TensorListCPU(rates)), len(pending)

    def close(self) -> None:
        """End the threads."""
        if self._team is not None:
            self._team.close()

    def _sort(
        self,
        batch: BatchContext,
        files: Sequence[Array],
        streams: FlacStreams,
        windows: Sequence[tuple[float, ...]],
    ) -> tuple[dict[int, PlainWindow | FlacWindow], dict[int, TeamCall[Signal]]]:
        """Return the windows for the GPU, and the calls that decode the other rows."""
        on_gpu: dict[int, PlainWindow | FlacWindow] = {}
        pending: dict[int, TeamCall[Signal]] = {}
        for row, data in enumerate(files):
            if row in batch.errors:
                continue
            try:
                chosen = flac_window(streams, row, *windows[row]) or plain_window(
                    data, *windows[row]
                )
            except Exception as error:
                batch.errors[row] = error
                continue
            if chosen is not None:
                on_gpu[row] = chosen
                continue
            if self._team is None:
                self._team = Team("penstock-audio", batch.device.num_threads)
            pending[row] = self._team.submit(self._decode_on_cpu, data, *windows[row])
        return on_gpu, pending

    def _finished(
        self, batch: BatchContext, pending: dict[int, TeamCall[Signal]]
    ) -> dict[int, Signal]:
        decoded = {}
        for row, call in pending.items():
            try:
                decoded[row] = call.result()
            except Exception as error:
                batch.errors[row] = error
        return decoded

    def _convert(
        self, batch: BatchContext, plain: dict[int, PlainWindow], out: TensorListGPU
    ) -> None:
        """Send the windows of WAV files to the device, and convert them there."""
        if not plain:
            return
        stored = batch.device.to_device(TensorListCPU([one.content for one in plain.values()]))
        self._launch(
            batch,
            self._of_bytes,
            plain,
            out,
            source=Pointers(stored.pointers(), "const unsigned char*"),
            width=np.array([one.layout.width for one in plain.values()], np.int32),
            floating=np.array([not one.header.integers for one in plain.values()], np.int32),
        )

    def _decode(
        self,
        batch: BatchContext,
        files: Sequence[Array],
        streams: FlacStreams,
        flac: dict[int, FlacWindow],
        out: TensorListGPU,
    ) -> None:
        """Send FLAC files to the device, decode the windows, and convert them."""
        if not flac:
            return
        encoded = batch.device.to_device(TensorListCPU([files[row] for row in flac]))
        rows = np.array(list(flac), np.intp)
        starts, counts = np.array([each[1:] for each in flac.values()], np.int64).T
        windows = FlacWindows(streams, rows, starts, counts)
        planes = decode_flac(batch, windows, encoded.pointers())
        self._launch(
            batch,
            self._of_planes,
            flac,
            out,
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
        windows: dict[int, Any],
        out: TensorListGPU,
        **source: Any,
    ) -> None:
        """Convert the windows of these rows into the results; `source` tells where they are."""
        rows = np.array(list(windows), np.intp)
        channels = np.array([each.header.channels for each in windows.values()], np.int32)
        frames = np.array([each.frames for each in windows.values()], np.int64)
        elements = frames if self._downmix else frames * channels
        table = struct_table(
            "Sample",
            len(rows),
            out=Pointers(out.pointers()[rows], "Out*"),
            elements=elements,
            channels=channels,
            mixed=np.full(len(rows), self._downmix, np.int32),
            **source,
        )
        launch_elements(batch.device, kernel, table, elements)
