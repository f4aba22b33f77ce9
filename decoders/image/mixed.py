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
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, DType
from ...engine.errors import DecodeError
from ...engine.graph.context import EarlyRows, RowsContext
from ...engine.threads import TeamCall
from ..on_cpu import CpuFallback
from . import color
from .cpu_decoding import CpuDecoding
from .engines.nvimgcodec import JpegDecoder
from .finish import Finish
from .mixed_batch import (
    ChosenImages,
    DecodedImages,
    DecodedPixels,
    PlacedImages,
    SortedFiles,
    Waiting,
    sort_files,
)
from .plain_jpeg import PlainJpeg
from .shrink import shrunk_sizes
from .whole_images import WholeImages, without

if TYPE_CHECKING:
    from ...engine.gpu.device import Device
    from ...engine.graph.context import BatchContext
    from ...engine.tensors import TensorListCPU, TensorListGPU
    from ..cache.cache import Rows
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
        chosen: what is decoded.
        on_cpu: the files that threads decode.
        errors: errors of rows that nothing decodes.
    """

    chosen: ChosenImages
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
        dtype: DType,
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
        for row, error in begun.errors.items():
            batch.fail_row(row, error)
        out = batch.device.empty(_shapes(batch, begun.chosen), self._dtype, "HWC")
        placed = self._whole.place(batch.device, begun.chosen, out)
        decoded = self._decoded(batch, placed, begun.on_cpu)
        self._whole.finish(batch, decoded, self._fallback)
        return out

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
        find = partial(self._whole.find, batch, self._fallback)
        given = self._output, self._use_exif, find, rows
        by_form = sort_files(encoded, *given, wants_gpu=self._wants_gpu)
        sizes = shrunk_sizes(by_form.files.upright(), self._whole.shorter)
        boxes = windows(rows, sizes)
        shapes = np.column_stack([sizes, self._channels(by_form)])
        chosen = self._whole.choose(rows.errors, by_form, boxes, shapes)
        on_cpu = self._start_on_cpu(batch, without(rows.errors, by_form.on_cpu), chosen)
        return Begun(chosen, on_cpu, rows.errors)

    def _decoded(self, batch: BatchContext, placed: PlacedImages, calls: CpuCalls) -> DecodedImages:
        """Decode a batch, for which the CPU has begun already.

        Args:
            batch: gets the errors.
            placed: where the pixels go.
            calls: the files that threads decode.
        """
        by_form, waiting = placed.chosen.by_form, Waiting()
        plain = without(batch.errors, by_form.plain)
        left, damaged = self._plain.decode(batch, placed, plain, waiting)
        others = np.concatenate([left, without(batch.errors, by_form.others)])
        refused = self._by_nvimgcodec(batch, others, placed, waiting)
        self._finish.run(batch.device, placed, waiting)
        late = self._start_on_cpu(batch, np.concatenate([refused, damaged]), placed.chosen)
        return self._uploaded(batch, calls | late, placed)

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

    def _channels(self, by_form: SortedFiles) -> NDArray[np.int64]:
        channels = np.full(len(by_form.files.headers), self._finish.channels)
        if self._output == "ANY_DATA":
            for i, header in enumerate(by_form.files.headers):
                if header is not None:
                    channels[i] = color.channels_of(header.space_of(self._output))
            if by_form.hits is not None:
                channels[by_form.hits.rows] = by_form.hits.shapes[:, 2]
        return channels

    # nvImageCodec

    def _by_nvimgcodec(
        self, batch: BatchContext, chosen: Rows, placed: PlacedImages, waiting: Waiting
    ) -> Rows:
        """Decode the chosen rows; return the rows that the library refused."""
        if not len(chosen):
            return chosen
        decoder = batch.device.own(
            (self, JpegDecoder), lambda: JpegDecoder(batch.device, self._output == "GRAY")
        )
        boxes, encoded = placed.chosen.stored_boxes[chosen], placed.chosen.files.encoded
        addresses = decoder.decode([encoded.row(i) for i in chosen.tolist()], boxes.tolist())
        pointers = np.array(addresses, np.uint64)
        done = pointers != 0
        widths = boxes[:, 3] - boxes[:, 1]
        waiting.append(DecodedPixels(chosen[done], pointers[done], widths[done], decoder))
        self._finish.run(batch.device, placed, waiting)
        decoder.read_until(batch.device.event())
        refused: Rows = chosen[~done]
        return refused

    # The CPU's decoder

    def _open_cpu(self, batch: BatchContext) -> CpuDecoding:
        self._fallback.open(batch.device)
        given = self._output, self._dtype, self._use_exif
        return CpuDecoding(batch.memory.pool.arena, *given, batch.device.num_threads)

    def _start_on_cpu(self, batch: BatchContext, rows: Rows, chosen: ChosenImages) -> CpuCalls:
        decoding, files = self._on_cpu, chosen.files
        assert decoding is not None

        def decode(i: int, box: NDArray[np.int64], report: Callable[[str], None]) -> Array:
            y0, x0, y1, x1 = box.tolist()
            encoded, header = files.encoded.row(i), files.headers[i]
            return decoding.decode(encoded, (y0, x0, y1, x1), header, batch.empty, report)

        def decode_box(i: int) -> DecodedOnCpu:
            blemishes: list[str] = []
            try:
                pixels = decode(i, chosen.boxes[i], blemishes.append)
            except DecodeError:
                if self._whole.shorter or not chosen.is_whole[i]:
                    raise
            else:
                for blemish in blemishes:
                    self._report_blemish(blemish)
                return DecodedOnCpu(pixels, bool(chosen.is_whole[i]), is_sound=not blemishes)
            window = decode(i, chosen.windows[i], self._report_blemish)  # it may be intact
            return DecodedOnCpu(window, is_whole=False, is_sound=False)

        return self._fallback.start(rows.tolist(), decode_box)

    def _uploaded(
        self, batch: BatchContext, calls: CpuCalls, placed: PlacedImages
    ) -> DecodedImages:
        is_whole = placed.chosen.is_whole
        is_sound = np.ones_like(is_whole)
        if not calls:
            return DecodedImages(placed, is_whole, is_sound)
        is_whole, out = is_whole.copy(), placed.out.pointers()
        for i, decoded in self._fallback.finish(batch, calls):
            is_whole[i], is_sound[i] = decoded.is_whole, decoded.is_sound
            to = placed.targets[i] if decoded.is_whole else out[i]
            batch.device.copy_in(int(to), decoded.pixels)
        self._fallback.count(len(calls))
        return DecodedImages(placed, is_whole, is_sound)


def _shapes(batch: BatchContext, chosen: ChosenImages) -> NDArray[np.int64]:
    """Return the shapes of the results: (batch, 3)."""
    shapes = chosen.shapes.copy()
    shapes[:, :2] = chosen.windows[:, 2:] - chosen.windows[:, :2]
    if batch.errors:
        shapes[list(batch.errors)] = 1
    return shapes
