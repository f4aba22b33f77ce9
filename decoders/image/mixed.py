"""The image decoders on the GPU: from encoded files in host memory to pixels in device memory.

Four decoders work on a batch:

- the hardware engine decodes plain JPEG (baseline, three components) in one call a batch, on GPUs
  that have an engine;
- CUDA cores decode plain JPEG, too: gray files, and others where the engine limits the pipeline or
  is missing;
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

from collections.abc import Callable, Collection
from contextlib import suppress
from copy import copy
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.gpu.kernels import Kernel, c_type
from ...engine.gpu.launch import launch_elements
from ...engine.gpu.tables import Pointers, struct_table
from ...engine.threads import Team, TeamCall
from . import color, orientation
from .cpu_decoding import CpuDecoding
from .engines.nvimgcodec import JpegDecoder
from .mixed_batch import MixedBatch
from .plain_jpeg import PlainJpeg
from .table import FORMATS, read_decodable_header

if TYPE_CHECKING:
    from ...engine.gpu.device import Device
    from ...engine.graph.context import BatchContext
    from ...engine.tensors import TensorListCPU, TensorListGPU

Array = NDArray[Any]

_FINISH = Path(__file__).parent / "finish.cu"


Windows = Callable[["BatchContext", NDArray[np.int64]], NDArray[np.int64]]
"""A function from the upright sizes of a batch, (batch, 2), to the boxes to decode, (batch, 4): y0,
x0, y1 and x1. For a row without a box the function enters an error in the batch."""


OnCpu = dict[int, TeamCall[Array]]
"""The files that threads decode on the CPU, by their rows."""


class Begun(NamedTuple):
    """A batch that is sorted, and whose decoding has begun on the CPU.

    Attributes:
        work: the batch, with the boxes to decode.
        others: rows for nvImageCodec.
        pending: the files that threads decode.
    """

    work: MixedBatch
    others: NDArray[np.intp]
    pending: OnCpu


class MixedDecoding:
    """The decoding of one operator; several threads may use it for different batches.

    Args:
        output, dtype, use_exif, report_blemish: as for `decode`.
        load: the part of the plain JPEG files for the hardware engine, the others being for CUDA
            cores; 0 for no engine, None to adapt to the engine's rate.
    """

    def __init__(
        self,
        output: str,
        dtype: np.dtype[Any],
        use_exif: bool,
        load: float | None,
        report_blemish: Callable[[str], None],
    ) -> None:
        self._output = output
        self._dtype = dtype
        self._use_exif = use_exif
        self._plain = PlainJpeg(self._channels, load, self._finish)
        self._report_blemish = report_blemish
        # Known once a batch has run: whether CUDA decodes more than plain files; and what decodes
        # on the CPU.
        self._wants_gpu = False
        self._cpu: tuple[Team, CpuDecoding] | None = None
        self._lock = Lock()
        macros = {
            "Out": c_type(dtype),
            "SCALE": f"float({color.largest(dtype) / 255!r})",
            "WHOLE": str(int(dtype.kind != "f")),
            "CHANNELS": str(self._channels),
            "YCBCR": str(int(output == "YCbCr")),
            "BGR": str(int(output == "BGR")),
        }
        self._kernel = Kernel(_FINISH, "finish", tuple(sorted(macros.items())))

    def begin(
        self, batch: BatchContext, encoded: TensorListCPU, windows: Windows
    ) -> TeamCall[Begun | None] | None:
        """Have threads sort a batch, and decode the files for the CPU; `run` does the rest.

        A large file that the GPU cannot decode takes longer than all others of its batch. So its
        decoding starts while the batch waits for a lane.
        """
        if self._cpu is None:
            return None
        team, _ = self._cpu
        return team.submit(self._try_begin, batch, encoded, windows)

    def run(self, batch: BatchContext, encoded: TensorListCPU, windows: Windows) -> TensorListGPU:
        """Decode a batch; enter rows that fail in `batch.errors`."""
        engine = self._plain.engine(batch)
        with self._lock:
            if self._cpu is None:
                # Beside an engine, threads decode what it cannot, while it decodes the others.
                self._wants_gpu = engine is None
                self._cpu = self._open_cpu(batch)
        begun, batch.begun = batch.begun and batch.begun.result(), None
        work, others, pending = begun or self._begin(batch, encoded, windows)
        work.out = batch.device.empty(self._shapes(batch, work), self._dtype)
        plain = _without(batch.errors, np.flatnonzero(work.is_plain))
        left, damaged = self._plain.decode(batch, work, plain)
        refused = self._by_nvimgcodec(batch, np.concatenate([left, others]), work)
        pending |= self._start_on_cpu(np.concatenate([refused, damaged]), work)
        self._upload(batch, pending, work.out)
        return work.out

    def rehearse(
        self, device: Device, sizes: NDArray[np.int64], boxes: NDArray[np.int64]
    ) -> TensorListGPU:
        """Launch the kernels for these boxes of plain JPEG files; return the results."""
        pixels = self._plain.rehearse(device, sizes, boxes)
        extents = boxes[:, 2:] - boxes[:, :2]
        channels = np.full((len(boxes), 1), self._channels)
        out = device.empty(np.hstack([extents, channels]), self._dtype)
        turns, widths = np.ones(len(boxes), np.int64), extents[:, 1]
        self._launch_finish(device, extents, turns, out.pointers(), pixels.pointers(), widths)
        return out

    def _try_begin(
        self, batch: BatchContext, encoded: TensorListCPU, windows: Windows
    ) -> Begun | None:
        """Begin a batch whose files are sound; the errors of any other are left to `run`."""
        apart = copy(batch)
        apart.errors = {}
        with suppress(Exception):
            begun = self._begin(apart, encoded, windows)
            if not apart.errors:
                return begun
            for call in begun.pending.values():
                call.cancel()
        return None

    def _begin(self, batch: BatchContext, encoded: TensorListCPU, windows: Windows) -> Begun:
        gray_is_plain = self._output != "ANY_DATA"  # else the result has the channels of the file
        work = MixedBatch(encoded, self._use_exif, gray_is_plain=gray_is_plain)
        others, on_cpu = self._sort(batch, work)
        work.boxes = windows(batch, work.upright())
        others, on_cpu = (_without(batch.errors, rows) for rows in (others, on_cpu))
        return Begun(work, others, self._start_on_cpu(on_cpu, work))

    @property
    def path_used(self) -> str:
        """What decodes on the CPU: see `Operator.remark`."""
        return "" if self._cpu is None else self._cpu[1].path_used

    def close(self) -> None:
        """End the threads and the process that decode; idempotent."""
        if self._cpu is not None:
            for each in self._cpu:
                each.close()

    def _sort(
        self, batch: BatchContext, work: MixedBatch
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Read the headers of files that are not plain JPEG; return the rows for nvImageCodec, and
        those for the CPU."""
        others: list[int] = []
        on_cpu: list[int] = []
        channels = (3,) if self._output == "ANY_DATA" else (1, 3)
        for i in np.flatnonzero(~work.is_plain).tolist():
            row = work.encoded.row(i)
            try:
                header = work.headers[i] = read_decodable_header(row)
            except Exception as error:
                batch.errors[i] = error
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
        shapes[:, :2] = work.boxes[:, 2:] - work.boxes[:, :2]
        shapes[:, 2] = 1 if self._output == "GRAY" else 3
        if self._output == "ANY_DATA":
            for i, header in enumerate(work.headers):
                if header is not None:
                    shapes[i, 2] = color.channels_of(header.space_of(self._output))
        if batch.errors:
            shapes[list(batch.errors)] = 1
        return shapes

    # nvImageCodec

    def _by_nvimgcodec(
        self, batch: BatchContext, chosen: NDArray[np.intp], work: MixedBatch
    ) -> NDArray[np.intp]:
        """Decode the chosen rows; return the rows that the library refused."""
        if not len(chosen):
            return chosen
        key = (self, JpegDecoder)
        if key not in batch.device.own:
            batch.device.own[key] = JpegDecoder(batch.device, self._channels == 1)
        decoder: JpegDecoder = batch.device.own[key]
        boxes = work.stored_boxes[chosen]
        addresses = decoder.decode([work.encoded.row(i) for i in chosen.tolist()], boxes.tolist())
        pointers = np.array(addresses, np.uint64)
        done = pointers != 0
        widths = boxes[:, 3] - boxes[:, 1]
        self._finish(batch, work, chosen[done], pointers[done], widths[done])
        decoder.read_until(batch.device.event())
        refused: NDArray[np.intp] = chosen[~done]
        return refused

    # Common to both

    @property
    def _channels(self) -> int:
        return 1 if self._output == "GRAY" else 3

    def _finish(
        self,
        batch: BatchContext,
        work: MixedBatch,
        chosen: NDArray[np.intp],
        source: NDArray[np.uint64],
        strides: NDArray[np.int64],
    ) -> None:
        """Turn and convert pixels at `source`, in lines of `strides` pixels, into the result."""
        if not len(chosen):
            return
        extents = work.boxes[chosen, 2:] - work.boxes[chosen, :2]
        out = work.out.pointers()[chosen]
        self._launch_finish(batch.device, extents, work.turns[chosen], out, source, strides)

    def _launch_finish(
        self,
        device: Device,
        extents: NDArray[np.int64],
        turns: NDArray[np.int64],
        out: NDArray[np.uint64],
        source: NDArray[np.uint64],
        strides: NDArray[np.int64],
    ) -> None:
        height, width = extents.T.astype(np.int32)
        flip_rows, flip_columns, exchange = _STEPS[turns].T
        table = struct_table(
            "Sample",
            len(extents),
            source=Pointers(source, "const unsigned char*"),
            out=Pointers(out, "Out*"),
            height=height,
            width=width,
            stride=strides.astype(np.int32),
            flip_rows=flip_rows,
            flip_columns=flip_columns,
            exchange=exchange,
        )
        launch_elements(device, self._kernel, table, extents[:, 0] * extents[:, 1])

    # The CPU's decoder

    def _open_cpu(self, batch: BatchContext) -> tuple[Team, CpuDecoding]:
        threads = batch.device.num_threads
        given = self._output, self._dtype, self._use_exif, self._report_blemish
        return Team("penstock-decoder", threads), CpuDecoding(batch.pool, *given, threads)

    def _start_on_cpu(self, chosen: NDArray[np.intp], work: MixedBatch) -> OnCpu:
        assert self._cpu is not None
        team, decoding = self._cpu
        boxes = work.boxes[chosen].tolist()
        return {
            i: team.submit(decoding.decode, work.encoded.row(i), tuple(box), work.headers[i])
            for i, box in zip(chosen.tolist(), boxes, strict=True)
        }

    def _upload(self, batch: BatchContext, pending: OnCpu, out: TensorListGPU) -> None:
        pointers: Any = out.pointers() if pending else ()
        for i, call in pending.items():
            try:
                with batch.device.waiting("threads"):
                    image = call.result()
            except Exception as error:
                batch.errors[i] = error
                continue
            batch.device.copy_in(int(pointers[i]), image)


_STEPS = np.array([(0, 0, 0), *(orientation.STEPS[turn] for turn in range(1, 9))], np.int32)


def _without(rows: Collection[int], chosen: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the chosen rows but for some."""
    return np.array([i for i in chosen.tolist() if i not in rows], np.intp) if rows else chosen
