"""The image decoders on the GPU: from encoded files in host memory to pixels in device memory.

JPEG is decoded by nvImageCodec: by the hardware engine, by CUDA kernels or by both sharing the
work with processor threads, as the library sees fit. All else (other formats, CMYK, files that do
not end as JPEG does, and whatever the library refuses) takes the CPU's decoder, in threads, at
the same time. So errors and the output's shape, type, orientation and channels are the CPU
operator's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..engine.kernels import Kernel, c_type, descriptors, launch_elements
from . import colour, orientation
from .formats import jpeg as jpeg_format
from .image import Box, checked_header, target_space
from .nvimgcodec import JpegDecoder

if TYPE_CHECKING:
    from ..engine.batch import Batch
    from ..engine.tensors import TensorListCPU, TensorListGPU
    from .header import Header

_FINISH = Path(__file__).parent / "kernels" / "finish.cu"
_END = b"\xff\xd9"

Windows = Callable[["Batch", NDArray[np.int64]], Sequence[Box | None]]
"""From the (upright) sizes of a batch, (batch, 2), to the parts to decode; None for the whole."""


class MixedDecoding:
    """One operator's decoding; several threads may use it for different batches.

    Args:
        output, dtype, use_exif: as for `decode`.
        hardware_share: see `JpegDecoder`.
        decode_on_cpu: `decode` with these arguments bound.
    """

    def __init__(
        self,
        output: str,
        dtype: np.dtype[Any],
        use_exif: bool,
        hardware_share: float | None,
        decode_on_cpu: Callable[..., NDArray[Any]],
    ) -> None:
        self._output = output
        self._dtype = dtype
        self._use_exif = use_exif
        self._hardware_share = hardware_share
        self._decode_on_cpu = decode_on_cpu
        self._threads: ThreadPoolExecutor | None = None

    def run(self, batch: Batch, encoded: TensorListCPU, windows: Windows) -> TensorListGPU:
        """Decode a batch; failed rows are entered in `batch.errors`."""
        rows = encoded.rows()
        headers = [self._header(batch, i, row) for i, row in enumerate(rows)]
        sizes = np.array(
            [(1, 1) if h is None else h.size(use_exif=self._use_exif) for h in headers], np.int64
        ).reshape(-1, 2)
        boxes = windows(batch, sizes)
        shapes = np.ones((len(rows), 3), np.int64)
        on_gpu: list[int] = []
        on_cpu: list[int] = []
        for i, (row, header, box) in enumerate(zip(rows, headers, boxes, strict=True)):
            if header is None or i in batch.errors:
                continue
            (on_gpu if self._takes(row, header) else on_cpu).append(i)
            y0, x0, y1, x1 = box or (0, 0, *sizes[i])
            channels = colour.CHANNELS[target_space(header, self._output)]
            shapes[i] = (y1 - y0, x1 - x0, channels)
        out = batch.device.empty(shapes, self._dtype)
        pending = self._begin_on_cpu(batch, on_cpu, rows, boxes)
        refused = self._decode_on_gpu(batch, on_gpu, rows, headers, boxes, shapes, out)
        pending |= self._begin_on_cpu(batch, refused, rows, boxes)
        self._upload(batch, pending, out)
        return out

    def close(self) -> None:
        """End the threads."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)

    @staticmethod
    def _header(batch: Batch, i: int, row: NDArray[np.uint8]) -> Header | None:
        try:
            return checked_header(row)
        except Exception as error:
            batch.errors[i] = error
            return None

    def _takes(self, row: NDArray[np.uint8], header: Header) -> bool:
        """Whether a file is for nvImageCodec, which overlooks that a JPEG's end is missing."""
        return (
            header.format == jpeg_format.NAME
            and header.channels in ((3,) if self._output == "ANY_DATA" else (1, 3))
            and row[-2:].tobytes() == _END
        )

    def _decode_on_gpu(
        self,
        batch: Batch,
        chosen: list[int],
        rows: list[NDArray[np.uint8]],
        headers: list[Header | None],
        boxes: Sequence[Box | None],
        shapes: NDArray[np.int64],
        out: TensorListGPU,
    ) -> list[int]:
        """Decode the chosen rows; return those that the library did not."""
        if not chosen:
            return []
        turns = [self._turn(headers[i]) for i in chosen]
        stored = [
            box
            if box is None or turn == 1
            else orientation.to_stored(box, _stored_size(headers[i]), turn)
            for i, turn, box in ((i, t, boxes[i]) for i, t in zip(chosen, turns, strict=True))
        ]
        decoder = self._decoder(batch)
        found = np.array(decoder.decode([rows[i] for i in chosen], stored), np.uint64)
        steps = np.array([orientation.STEPS[turn] for turn in turns], np.int32)
        places = np.array(chosen)[found != 0]
        steps = steps[found != 0]
        height, width = shapes[places, 0], shapes[places, 1]
        table = descriptors(
            len(places),
            source=found[found != 0],
            out=out.pointers()[places],
            height=height.astype(np.int32),
            width=width.astype(np.int32),
            in_width=np.where(steps[:, 2], height, width).astype(np.int32),
            steps=steps,
        )
        launch_elements(batch, self._finish(), table, height * width)
        decoder.read_until(batch.device.event())
        return [i for i, address in zip(chosen, found.tolist(), strict=True) if not address]

    def _decoder(self, batch: Batch) -> JpegDecoder:
        own = batch.device.own
        if self not in own:
            own[self] = JpegDecoder(batch.device, self._output == "GRAY", self._hardware_share)
        decoder: JpegDecoder = own[self]
        return decoder

    def _turn(self, header: Header | None) -> int:
        return header.orientation if header is not None and self._use_exif else 1

    def _finish(self) -> Kernel:
        space = self._output
        macros = {
            "Out": c_type(self._dtype),
            "SCALE": f"float({colour.largest(self._dtype) / 255!r})",
            "WHOLE": str(int(self._dtype.kind != "f")),
            "HALF": str(int(self._dtype == np.float16)),
            "CHANNELS": "1" if space == "GRAY" else "3",
            "YCBCR": str(int(space == "YCbCr")),
            "BGR": str(int(space == "BGR")),
        }
        return Kernel(_FINISH, "finish", tuple(sorted(macros.items())))

    def _begin_on_cpu(
        self,
        batch: Batch,
        chosen: list[int],
        rows: list[NDArray[np.uint8]],
        boxes: Sequence[Box | None],
    ) -> dict[int, Future[NDArray[Any]]]:
        if chosen and self._threads is None:
            self._threads = ThreadPoolExecutor(batch.device.num_threads, "penstock-decoder")
        return {
            i: self._threads.submit(self._decode_on_cpu, rows[i], roi=boxes[i])
            for i in chosen
            if self._threads is not None
        }

    def _upload(
        self, batch: Batch, pending: dict[int, Future[NDArray[Any]]], out: TensorListGPU
    ) -> None:
        pointers = out.pointers()
        for i, future in pending.items():
            try:
                image = np.ascontiguousarray(future.result())
            except Exception as error:
                batch.errors[i] = error
                continue
            batch.held.append(image)
            batch.device.copy_in(int(pointers[i]), image)


def _stored_size(header: Header | None) -> tuple[int, int]:
    assert header is not None
    return header.height, header.width
