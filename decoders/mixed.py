"""The image decoders on the GPU: from encoded files in host memory to pixels in device memory.

Who decodes a file:

- plain JPEG (baseline, three components): the hardware engine, the whole batch in one call, where
  the GPU has one;
- other JPEG: nvImageCodec, by CUDA kernels and processor threads;
- all else (other formats, CMYK, RGB in JPEG, JPEG without an end, strips of a few pixels, what the
  others refuse): the CPU's decoder, in threads, at the same time.

What comes out is the CPU operator's: shape, type, orientation, channels and errors. Pixels of JPEG
differ by rounding and, from the hardware engine, by plainer enlargement of colours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..engine.kernels import Kernel, c_type, descriptors, launch_elements
from . import colour, orientation
from .formats import jpeg as jpeg_format
from .formats import jpeg_batch
from .image import MAX_PIXELS, Box, checked_header, target_space
from .nvimgcodec import JpegDecoder
from .nvjpeg import HardwareDecoder

if TYPE_CHECKING:
    from ..engine.batch import Batch
    from ..engine.tensors import TensorListCPU, TensorListGPU
    from .header import Header

_FINISH = Path(__file__).parent / "kernels" / "finish.cu"
_END = b"\xff\xd9"
_LEAST_EXTENT = 8  # of images for nvImageCodec, which smooths the colours of strips wrongly
_PART_BYTES = 1 << 30  # of whole images that wait for their parts to be cut out

Windows = Callable[["Batch", NDArray[np.int64]], NDArray[np.int64]]
"""From the upright sizes of a batch, (batch, 2), to the boxes to decode, (batch, 4): y0, x0, y1
and x1. Where there is none, it enters an error for the row."""


class _Work:
    """One batch: what is known of each row.

    Attributes:
        encoded: the files.
        found: what `jpeg_batch` found in them.
        headers: of those that are not plain JPEG; None for the others.
        is_plain: (batch,) bool.
        stored: height and width as stored: (batch, 2).
        turns: EXIF orientations to undo: (batch,).
        boxes: what to decode, of the upright images: (batch, 4).
        out: the result.
    """

    def __init__(self, encoded: TensorListCPU, use_exif: bool) -> None:
        self.encoded = encoded
        self.found = found = jpeg_batch.scan(encoded)
        heights, widths = found.sizes.T
        self.is_plain = found.is_plain & (heights * widths <= MAX_PIXELS)
        self.is_plain &= (heights >= _LEAST_EXTENT) & (widths >= _LEAST_EXTENT)
        self.stored = found.sizes
        self.turns = found.orientation if use_exif else np.ones_like(found.orientation)
        self.headers: list[Header | None] = [None] * len(encoded)
        self.boxes: NDArray[np.int64]
        self.out: TensorListGPU

    def upright(self) -> NDArray[np.int64]:
        """Return height and width after turning: (batch, 2)."""
        if (self.turns == 1).all():
            return self.stored
        return np.where(self.turns[:, np.newaxis] >= 5, self.stored[:, ::-1], self.stored)

    def stored_boxes(self) -> NDArray[np.int64]:
        """Return the boxes in the stored images: (batch, 4)."""
        turned = np.flatnonzero(self.turns != 1)
        if not len(turned):
            return self.boxes
        boxes = self.boxes.copy()
        for i in turned.tolist():
            y0, x0, y1, x1 = self.boxes[i].tolist()
            height, width = self.stored[i].tolist()
            boxes[i] = orientation.to_stored((y0, x0, y1, x1), (height, width), int(self.turns[i]))
        return boxes


class MixedDecoding:
    """One operator's decoding; several threads may use it for different batches.

    Args:
        output, dtype, use_exif: as for `decode`.
        hardware: whether to use the hardware engine.
        decode_on_cpu: `decode` with these arguments bound.
    """

    def __init__(
        self,
        output: str,
        dtype: np.dtype[Any],
        use_exif: bool,
        hardware: bool,
        decode_on_cpu: Callable[..., NDArray[Any]],
    ) -> None:
        self._output = output
        self._dtype = dtype
        self._use_exif = use_exif
        self._hardware = hardware
        self._decode_on_cpu = decode_on_cpu
        self._threads: ThreadPoolExecutor | None = None
        macros = {
            "Out": c_type(dtype),
            "SCALE": f"float({colour.largest(dtype) / 255!r})",
            "WHOLE": str(int(dtype.kind != "f")),
            "HALF": str(int(dtype == np.float16)),
            "CHANNELS": str(self._channels),
            "YCBCR": str(int(output == "YCbCr")),
            "BGR": str(int(output == "BGR")),
        }
        self._kernel = Kernel(_FINISH, "finish", tuple(sorted(macros.items())))

    def run(self, batch: Batch, encoded: TensorListCPU, windows: Windows) -> TensorListGPU:
        """Decode a batch; failed rows are entered in `batch.errors`."""
        work = _Work(encoded, self._use_exif)
        others, on_cpu = self._sort(batch, work)
        work.boxes = windows(batch, work.upright())
        shapes = self._shapes(batch, work)
        work.out = batch.device.empty(shapes, self._dtype)
        plain = np.flatnonzero(work.is_plain)
        if batch.errors:
            good = np.array([i not in batch.errors for i in range(len(encoded))])
            plain, others, on_cpu = (which[good[which]] for which in (plain, others, on_cpu))
        pending = self._begin_on_cpu(batch, on_cpu, work)
        others = np.concatenate([self._by_hardware(batch, plain, work), others])
        pending |= self._begin_on_cpu(batch, self._by_nvimgcodec(batch, others, work), work)
        self._upload(batch, pending, work.out)
        return work.out

    def close(self) -> None:
        """End the threads."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)

    def _sort(self, batch: Batch, work: _Work) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Read the headers of what is not plain JPEG; return who is for nvImageCodec, and for the
        CPU."""
        others: list[int] = []
        on_cpu: list[int] = []
        channels = (3,) if self._output == "ANY_DATA" else (1, 3)
        for i in np.flatnonzero(~work.is_plain).tolist():
            row = work.encoded.row(i)
            try:
                header = work.headers[i] = checked_header(row)
            except Exception as error:
                batch.errors[i] = error
                work.stored[i] = 1
                continue
            work.stored[i] = header.height, header.width
            work.turns[i] = header.orientation if self._use_exif else 1
            is_jpeg = header.format == jpeg_format.NAME and header.channels in channels
            (others if is_jpeg and _suits_nvimgcodec(row, header) else on_cpu).append(i)
        return np.array(others, np.intp), np.array(on_cpu, np.intp)

    def _shapes(self, batch: Batch, work: _Work) -> NDArray[np.int64]:
        shapes = np.empty((len(work.encoded), 3), np.int64)
        shapes[:, :2] = work.boxes[:, 2:] - work.boxes[:, :2]
        shapes[:, 2] = 1 if self._output == "GRAY" else 3
        if self._output == "ANY_DATA":
            for i, header in enumerate(work.headers):
                if header is not None:
                    shapes[i, 2] = colour.CHANNELS[target_space(header, self._output)]
        if batch.errors:
            shapes[list(batch.errors)] = 1
        return shapes

    # The hardware engine

    def _by_hardware(self, batch: Batch, chosen: NDArray[np.intp], work: _Work) -> NDArray[np.intp]:
        """Decode the chosen rows; return those that are left to others."""
        if not len(chosen) or not self._hardware:
            return chosen
        key = (self, HardwareDecoder)
        if key not in batch.device.own:
            batch.device.own[key] = HardwareDecoder.open(batch.device)
        decoder: HardwareDecoder | None = batch.device.own[key]
        if decoder is None:
            return chosen
        heights, widths = work.stored[chosen].T
        sizes = heights * widths * self._channels
        left, cuts = chosen[:0], []
        if sizes.sum() > _PART_BYTES:
            cuts = (np.flatnonzero(np.diff(np.cumsum(sizes) // _PART_BYTES)) + 1).tolist()
        for begin, end in pairwise([0, *cuts, len(chosen)]):
            rows = chosen[begin:end]
            if not self._decode_part(batch, decoder, rows, sizes[begin:end], work):
                left = np.concatenate([left, rows])
        return left

    def _decode_part(
        self,
        batch: Batch,
        decoder: HardwareDecoder,
        chosen: NDArray[np.intp],
        sizes: NDArray[np.int64],
        work: _Work,
    ) -> bool:
        whole = batch.device.empty(sizes[:, np.newaxis], np.uint8)
        pointers, widths = whole.pointers(), work.stored[chosen, 1]
        encoded, lengths = work.found.addresses[chosen], work.found.lengths[chosen]
        space = "GRAY" if self._channels == 1 else "RGB"
        if not decoder.decode(encoded, lengths, pointers, widths, space):
            return False
        boxes = work.stored_boxes()[chosen]
        offsets = (boxes[:, 0] * widths + boxes[:, 1]) * self._channels
        self._finish(batch, work, chosen, pointers + offsets.astype(np.uint64), widths)
        return True

    # nvImageCodec

    def _by_nvimgcodec(
        self, batch: Batch, chosen: NDArray[np.intp], work: _Work
    ) -> NDArray[np.intp]:
        """Decode the chosen rows; return those that the library did not."""
        if not len(chosen):
            return chosen
        key = (self, JpegDecoder)
        if key not in batch.device.own:
            batch.device.own[key] = JpegDecoder(batch.device, self._channels == 1)
        decoder: JpegDecoder = batch.device.own[key]
        boxes = work.stored_boxes()[chosen]
        found = decoder.decode([work.encoded.row(i) for i in chosen.tolist()], boxes.tolist())
        pointers = np.array(found, np.uint64)
        done = pointers != 0
        widths = boxes[:, 3] - boxes[:, 1]
        self._finish(batch, work, chosen[done], pointers[done], widths[done])
        decoder.read_until(batch.device.event())
        refused: NDArray[np.intp] = chosen[~done]
        return refused

    # What they have in common

    @property
    def _channels(self) -> int:
        return 1 if self._output == "GRAY" else 3

    def _finish(
        self,
        batch: Batch,
        work: _Work,
        chosen: NDArray[np.intp],
        source: NDArray[np.uint64],
        strides: NDArray[np.int64],
    ) -> None:
        """Turn and convert what lies at `source`, rows of `strides` pixels, into the result."""
        if not len(chosen):
            return
        extents = work.boxes[chosen, 2:] - work.boxes[chosen, :2]
        table = descriptors(
            len(chosen),
            source=source,
            out=work.out.pointers()[chosen],
            extents=extents.astype(np.int32),
            stride=strides.astype(np.int32),
            steps=_STEPS[work.turns[chosen]],
        )
        launch_elements(batch, self._kernel, table, extents[:, 0] * extents[:, 1])

    # The CPU's decoder

    def _begin_on_cpu(
        self, batch: Batch, chosen: NDArray[np.intp], work: _Work
    ) -> dict[int, Future[NDArray[Any]]]:
        if not len(chosen):
            return {}
        if self._threads is None:
            self._threads = ThreadPoolExecutor(batch.device.num_threads, "penstock-decoder")
        submit = self._threads.submit
        return {
            i: submit(self._decode_on_cpu, work.encoded.row(i), roi=tuple(work.boxes[i].tolist()))
            for i in chosen.tolist()
        }

    def _upload(
        self, batch: Batch, pending: dict[int, Future[NDArray[Any]]], out: TensorListGPU
    ) -> None:
        pointers: Any = out.pointers() if pending else ()
        for i, future in pending.items():
            try:
                image = np.ascontiguousarray(future.result())
            except Exception as error:
                batch.errors[i] = error
                continue
            batch.held.append(image)
            batch.device.copy_in(int(pointers[i]), image)


_STEPS = np.array([(0, 0, 0), *(orientation.STEPS[turn] for turn in range(1, 9))], np.int32)


def whole(_: Batch, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the boxes of whole images."""
    return np.concatenate([np.zeros_like(sizes), sizes], axis=1)


def _suits_nvimgcodec(row: NDArray[np.uint8], header: Header) -> bool:
    """Whether a JPEG is none of those that nvImageCodec decodes wrongly without a word."""
    is_whole = row[-2:].tobytes() == _END
    return (
        is_whole
        and min(header.height, header.width) >= _LEAST_EXTENT
        and not (header.channels == 3 and jpeg_format.holds_rgb(row.data))
    )


def each(
    box: Callable[..., Box],
    inputs: Sequence[TensorListCPU],
    arguments: Callable[[int], dict[str, Any]],
) -> Windows:
    """Return the windows that `box(height, width, *inputs, **arguments)` gives by sample."""

    def windows(batch: Batch, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        boxes = whole(batch, sizes)
        for i, (height, width) in enumerate(sizes.tolist()):
            try:
                boxes[i] = box(height, width, *(data.row(i) for data in inputs), **arguments(i))
            except Exception as error:
                batch.errors.setdefault(i, error)
        return boxes

    return windows
