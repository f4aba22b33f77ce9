"""The image decoders on the GPU: from encoded files in host memory to pixels in device memory.

Four decoders work on a batch:

- the hardware engine decodes plain JPEG (baseline, gray or three components) in one call a batch,
  on GPUs that have an engine;
- CUDA cores decode plain JPEG, too, where the engine limits the pipeline or is missing;
- nvImageCodec decodes other JPEG files on GPUs without an engine, and what the engine refuses;
- the CPU decodes all other files, in threads or a process (`cpu_decoding`): other forms of JPEG
  beside an engine, other formats, CMYK, RGB in JPEG, JPEG without an end, strips of a few pixels,
  damaged files that CUDA cores found, and files that the others refuse. The CPU begins before the
  other decoders.

Shape, dtype, orientation, channels and errors are those of the CPU operator. So are pixels of CUDA
cores without an engine. Those of the engine differ by rounding and by a plainer interpolation of
chroma, which CUDA cores beside the engine share. The engine and nvImageCodec do not report damage
inside the compressed data: the pixels behind the damage are wrong without an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array
from ...engine.errors import DecodeError
from ...engine.graph.context import EarlyRows, RowsContext
from ...engine.threads import TeamCall
from ..on_cpu import CpuFallback
from . import color
from .cpu_decoding import CpuDecoding
from .engines.nvimgcodec import JpegDecoder
from .finish import Finish
from .mixed_batch import DecodedPixels, MixedBatch
from .plain_jpeg import PlainJpeg
from .shrink import shrunk_sizes
from .table import FORMATS, read_decodable_header
from .whole_images import WholeImages, without

if TYPE_CHECKING:
    from ...engine.gpu.device import Device
    from ...engine.graph.context import BatchContext
    from ...engine.tensors import TensorListCPU, TensorListGPU
    from .image_cache import ImageCache


_ON_CPU = "files decoded by the CPU"

Windows = Callable[[RowsContext, NDArray[np.int64]], NDArray[np.int64]]
"""A function from the upright sizes of a batch, (batch, 2), to the boxes to decode, (batch, 4): y0,
x0, y1 and x1. For a row without a box the function enters an error in the rows."""


class DecodedOnCpu(NamedTuple):
    """What the CPU has decoded of a file.

    Attributes:
        pixels: HWC.
        is_whole: whether this is the whole image, and not the window.
        is_sound: whether a cache may keep the image. Each decode of a damaged file counts, even if
            its pixels are intact.
    """

    pixels: Array
    is_whole: bool
    is_sound: bool


CpuCalls = dict[int, TeamCall[DecodedOnCpu]]
"""The calls that decode files on the CPU, by their rows."""


class Begun(NamedTuple):
    """A batch that is sorted, and whose decoding has begun on the CPU.

    Attributes:
        work: the batch, with the boxes to decode.
        others: rows for nvImageCodec.
        on_cpu: the files that threads decode.
        errors: errors of rows that nothing decodes.
    """

    work: MixedBatch
    others: NDArray[np.intp]
    on_cpu: CpuCalls
    errors: Mapping[int, BaseException]


class MixedDecoding:
    """The decoding of one operator; several threads may use it for different batches.

    Args:
        output, dtype, use_exif, report_blemish: as for `decode`.
        load: the part of the plain JPEG files for the hardware engine, the others being for CUDA
            cores; 0 for no engine, None to adapt to the engine's rate.
        shorter: as for `WholeImages`.
        cache: of whole images; None for no cache.
    """

    def __init__(
        self,
        output: str,
        dtype: np.dtype[Any],
        use_exif: bool,
        load: float | None,
        shorter: int,
        report_blemish: Callable[[str], None],
        cache: ImageCache | None,
    ) -> None:
        self._output = output
        self._dtype = dtype
        self._use_exif = use_exif
        self._finish = Finish(output, dtype)
        self._plain = PlainJpeg(load, self._finish)
        self._report_blemish = report_blemish
        self._whole = WholeImages(dtype, shorter, cache)
        self._fallback = CpuFallback(_ON_CPU)
        # Known once a batch has run: whether CUDA decodes more than plain files; and what decodes
        # on the CPU.
        self._wants_gpu = False
        self._on_cpu: CpuDecoding | None = None
        self._lock = Lock()

    def begin(
        self, batch: BatchContext, encoded: TensorListCPU, windows: Windows
    ) -> TeamCall[Begun] | None:
        """Have threads sort a batch, and decode the files for the CPU; `run` does the rest.

        A large file that the GPU cannot decode takes longer than all others of its batch. So its
        decoding starts while the batch waits for a lane.
        """
        if self._on_cpu is None:
            return None
        return self._fallback.submit(self._begin, batch, EarlyRows(batch), encoded, windows)

    def run(self, batch: BatchContext, encoded: TensorListCPU, windows: Windows) -> TensorListGPU:
        """Decode a batch; enter the errors of rows."""
        engine = self._plain.engine(batch)
        with self._lock:
            if self._on_cpu is None:
                # Beside an engine, threads decode what it cannot, while it decodes the others.
                self._wants_gpu = engine is None
                if self._whole.cache is not None:
                    self._whole.cache.open(batch.device)
                self._on_cpu = self._open_cpu(batch)
        call: TeamCall[Begun] | None
        call, batch.begun = batch.begun, None
        begun = self._begin(batch, batch, encoded, windows) if call is None else call.result()
        work, others, calls, errors = begun
        for row, error in errors.items():
            batch.fail_row(row, error)
        work.out = batch.device.empty(self._shapes(batch, work), self._dtype, "HWC")
        self._whole.place(batch.device, work)
        plain = without(batch.errors, work.is_plain.nonzero()[0])
        left, damaged = self._plain.decode(batch, work, plain)
        refused = self._by_nvimgcodec(batch, np.concatenate([left, others]), work)
        self._finish.run(batch, work)
        calls |= self._start_on_cpu(batch, np.concatenate([refused, damaged]), work)
        self._upload(batch, calls, work)
        self._whole.finish(batch, work, self._fallback)
        return work.out

    def rehearse(
        self, device: Device, sizes: NDArray[np.int64], boxes: NDArray[np.int64]
    ) -> TensorListGPU:
        """Launch the kernels for these boxes of plain JPEG files; return the results."""
        pixels = self._plain.rehearse(device, sizes, boxes)
        extents = boxes[:, 2:] - boxes[:, :2]
        channels = np.full((len(boxes), 1), self._finish.channels)
        out = device.empty(np.hstack([extents, channels]), self._dtype)
        turns, widths = np.ones(len(boxes), np.int64), extents[:, 1]
        self._finish.launch(device, extents, turns, out.pointers(), pixels.addresses, widths)
        given = sizes, self._finish.channels, boxes, out.pointers()
        self._whole.rehearse(device, pixels.addresses, *given)
        return out

    def _begin(
        self, batch: BatchContext, rows: RowsContext, encoded: TensorListCPU, windows: Windows
    ) -> Begun:
        """Sort a batch, and begin to decode the files for the CPU.

        Args:
            batch: gives the memory.
            rows: get the errors.
            encoded, windows: see `run`.
        """
        gray_is_plain = self._output != "ANY_DATA"  # else the result has the channels of the file
        work = MixedBatch(encoded, self._use_exif, gray_is_plain=gray_is_plain)
        self._whole.find(batch, work, self._fallback)
        others, on_cpu = self._sort(work, rows)
        sizes = shrunk_sizes(work.upright(), self._whole.shorter)
        work.windows = windows(rows, sizes)
        channels = self._channels(work)
        self._whole.choose(rows.errors, work, np.column_stack([sizes, channels]))
        others, on_cpu = (without(rows.errors, chosen) for chosen in (others, on_cpu))
        return Begun(work, others, self._start_on_cpu(batch, on_cpu, work), rows.errors)

    @property
    def path_used(self) -> str:
        """The decoders of the CPU: see `Operator.remark`."""
        return "" if self._on_cpu is None else self._on_cpu.path_used

    def event_counts(self) -> dict[str, int]:
        """See `Operator.event_counts`."""
        return self._fallback.event_counts()

    def close(self) -> None:
        """End the threads and the process that decode; idempotent."""
        self._fallback.close()
        if self._on_cpu is not None:
            self._on_cpu.close()

    def _sort(
        self, work: MixedBatch, rows: RowsContext
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Read the headers of files that are not plain JPEG.

        Args:
            work: the files; gets the headers.
            rows: get the errors of files whose header cannot be read.

        Returns:
            The rows for nvImageCodec, and those for the CPU.
        """
        others: list[int] = []
        on_cpu: list[int] = []
        channels = (3,) if self._output == "ANY_DATA" else (1, 3)
        for i in np.flatnonzero(~work.is_plain & ~work.is_hit).tolist():
            row = work.encoded.row(i)
            try:
                header = work.headers[i] = read_decodable_header(row)
            except Exception as error:
                rows.fail_row(i, error)
                work.stored[i] = 1
                continue
            work.stored[i] = header.height, header.width
            work.turns[i] = header.orientation if self._use_exif else 1
            decodes_on_gpu = self._wants_gpu and FORMATS[header.format].decodes_on_gpu
            if decodes_on_gpu and header.channels in channels and decodes_on_gpu(row, header):
                others.append(i)
            else:
                on_cpu.append(i)
        return np.array(others, np.intp), np.array(on_cpu, np.intp)

    def _shapes(self, batch: BatchContext, work: MixedBatch) -> NDArray[np.int64]:
        shapes = np.empty((len(work.encoded), 3), np.int64)
        shapes[:, :2] = work.windows[:, 2:] - work.windows[:, :2]
        shapes[:, 2] = work.shapes[:, 2]
        if batch.errors:
            shapes[list(batch.errors)] = 1
        return shapes

    def _channels(self, work: MixedBatch) -> NDArray[np.int64]:
        channels = np.full(len(work.encoded), self._finish.channels)
        if self._output == "ANY_DATA":
            for i, header in enumerate(work.headers):
                if header is not None:
                    channels[i] = color.channels_of(header.space_of(self._output))
            if work.hits is not None:
                channels[work.hits.rows] = work.hits.shapes[:, 2]
        return channels

    # nvImageCodec

    def _by_nvimgcodec(
        self, batch: BatchContext, chosen: NDArray[np.intp], work: MixedBatch
    ) -> NDArray[np.intp]:
        """Decode the chosen rows; return the rows that the library refused."""
        if not len(chosen):
            return chosen
        decoder = batch.device.own(
            (self, JpegDecoder), lambda: JpegDecoder(batch.device, self._output == "GRAY")
        )
        boxes = work.stored_boxes[chosen]
        addresses = decoder.decode([work.encoded.row(i) for i in chosen.tolist()], boxes.tolist())
        pointers = np.array(addresses, np.uint64)
        done = pointers != 0
        widths = boxes[:, 3] - boxes[:, 1]
        work.decoded.append(DecodedPixels(chosen[done], pointers[done], widths[done], decoder))
        self._finish.run(batch, work)
        decoder.read_until(batch.device.event())
        refused: NDArray[np.intp] = chosen[~done]
        return refused

    # The CPU's decoder

    def _open_cpu(self, batch: BatchContext) -> CpuDecoding:
        self._fallback.open(batch.device)
        given = self._output, self._dtype, self._use_exif
        return CpuDecoding(batch.memory.pool.arena, *given, batch.device.num_threads)

    def _start_on_cpu(
        self, batch: BatchContext, chosen: NDArray[np.intp], work: MixedBatch
    ) -> CpuCalls:
        decoding = self._on_cpu
        assert decoding is not None

        def decode(i: int, box: NDArray[np.int64], report: Callable[[str], None]) -> Array:
            y0, x0, y1, x1 = box.tolist()
            encoded, header = work.encoded.row(i), work.headers[i]
            return decoding.decode(encoded, (y0, x0, y1, x1), header, batch.empty, report)

        def decode_box(i: int) -> DecodedOnCpu:
            blemishes: list[str] = []
            try:
                pixels = decode(i, work.boxes[i], blemishes.append)
            except DecodeError:
                if self._whole.shorter or not work.is_whole[i]:
                    raise
            else:
                for blemish in blemishes:
                    self._report_blemish(blemish)
                return DecodedOnCpu(pixels, bool(work.is_whole[i]), is_sound=not blemishes)
            window = decode(i, work.windows[i], self._report_blemish)  # it may be intact
            return DecodedOnCpu(window, is_whole=False, is_sound=False)

        return self._fallback.start(chosen.tolist(), decode_box)

    def _upload(self, batch: BatchContext, calls: CpuCalls, work: MixedBatch) -> None:
        out = work.out.pointers() if calls else work.targets
        for i, decoded in self._fallback.finish(batch, calls):
            work.is_whole[i] = decoded.is_whole
            work.is_kept[i] &= decoded.is_sound
            to = work.targets[i] if decoded.is_whole else out[i]
            batch.device.copy_in(int(to), decoded.pixels)
        self._fallback.count(len(calls))
