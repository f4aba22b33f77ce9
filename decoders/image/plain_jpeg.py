"""Plain JPEG files of a batch: the hardware engine decodes them, with the help of CUDA cores."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...engine.control.engine_share import EngineReading
from ...engine.gpu.driver import has_few_connections
from ...engine.tensors import TensorListCPU
from .engine_share import EngineShare
from .engines.cuda_jpeg import MOST_BYTES, DecodedWindows, JpegFiles, decode_windows
from .engines.nvjpeg import Decoded, HardwareDecoder, look_for_marks
from .finish import Finish
from .formats.jpeg_batch_headers import GRAY, SCALED_GRAY
from .mixed_batch import ChosenImages, DecodedPixels, PlacedImages, Waiting

if TYPE_CHECKING:
    from ...engine.gpu.device import Device
    from ...engine.graph.context import BatchContext

Rows = NDArray[np.intp]

CUDA_PART_BYTES = 640 << 20
"""Size of the intermediate results of the files that CUDA cores decode together, give or take one
file: 290 photographs of 233,000 pixels, so that a batch of 256 is not divided."""

ENGINE_PART_BYTES = 112 << 20
"""Size of the whole images that the engine decodes together, give or take one: 167 such
photographs, so that a batch of 256 has two parts. Beside a network that trains on an H200, batches
of 512 take 2.0 GB of the GPU's memory in parts, and 2.9 GB whole."""


class PlainJpeg:
    """Decodes the plain JPEG files of batches; several threads may use it for different batches.

    Without an engine, CUDA cores decode all files, and interpolate chroma as the CPU does. Beside
    an engine they repeat chroma as the engine does.

    Args:
        load: the part of the files for the engine, 0 for no engine; None to adapt to its rate, and
            for no engine where the process asks for few connections to the device.
        finish: turns and converts decoded pixels, and says how many channels there are.
    """

    def __init__(self, load: float | None, finish: Finish) -> None:
        self._space = "GRAY" if finish.channels == 1 else "RGB"
        self._wants_engine = load != 0 and not (load is None and has_few_connections())
        self._share = EngineShare(load)
        self._finish = finish

    def engine(self, batch: BatchContext) -> HardwareDecoder | None:
        """Return the engine of the batch's device; None if there is none."""
        return batch.device.own((self, HardwareDecoder), lambda: self._open_engine(batch.device))

    def _open_engine(self, device: Device) -> HardwareDecoder | None:
        return HardwareDecoder.open(device) if self._wants_engine else None

    def decode(
        self, batch: BatchContext, placed: PlacedImages, chosen: Rows, waiting: Waiting
    ) -> tuple[Rows, Rows]:
        """Decode the chosen rows; return those that nothing here decodes, and failed ones.

        Failed are damaged files, and files that the engine has left out: the CPU decodes them.

        Args:
            batch: the batch.
            placed: the same batch.
            chosen: rows of plain files.
            waiting: gets the pixels that still wait for the last step.
        """
        engine = self.engine(batch)
        jpeg = placed.chosen.files.jpeg
        lengths, sampling = jpeg.lengths[chosen], jpeg.sampling[chosen]
        for_cuda = (sampling != 0) & (lengths <= MOST_BYTES)
        for_engine = np.zeros_like(for_cuda)
        if engine is not None:
            suits_engine = sampling != SCALED_GRAY
            for_engine = suits_engine & ~for_cuda
            shared = np.flatnonzero(suits_engine & for_cuda)
            for_engine[shared[self._share.of_engine(lengths[shared])]] = True
            for_cuda &= ~for_engine
        # The engine is left to others as long as CUDA cores decode for this batch.
        damaged = self._by_cuda(batch, placed, chosen[for_cuda], waiting, smooth=engine is None)
        left = chosen[~for_cuda & ~for_engine]
        if engine is not None:
            given = chosen[for_engine], placed, waiting
            refused, unwritten = self._by_engine(batch, engine, *given)
            left = np.concatenate([left, refused])
            damaged = np.concatenate([damaged, unwritten])
        return left, damaged

    def rehearse(
        self, device: Device, sizes: NDArray[np.int64], boxes: NDArray[np.int64]
    ) -> DecodedWindows:
        """Launch the kernels of CUDA cores for files of these sizes; return their pixels."""
        count = len(sizes)
        encoded = TensorListCPU(np.zeros((count, 1), np.uint8))
        ones = np.ones(count, np.int64)
        files = JpegFiles(np.arange(count), ones, sizes, ones * GRAY, boxes)
        # Whether there is an engine, and chroma is repeated, is known later.
        for smooth in {True, not self._wants_engine}:
            made = decode_windows(device, encoded, files, self._finish.channels, smooth=smooth)
        if self._wants_engine:
            look_for_marks(device, made.addresses, sizes.prod(axis=1))
        return made

    # The engine

    def _by_engine(
        self,
        batch: BatchContext,
        decoder: HardwareDecoder,
        chosen: Rows,
        placed: PlacedImages,
        waiting: Waiting,
    ) -> tuple[Rows, Rows]:
        """Decode the chosen rows; return those that the engine refused, and those it left out."""
        # nvJPEG hands out files to several engines in their order, and files that begin together
        # wait for one another. In the order of sizes, 23,000 files a second are decoded, in any
        # other order 14,700 (natural sizes, 256 in a batch, H200).
        files = placed.chosen.files
        sizes = files.stored[chosen].prod(axis=1) * self._finish.channels
        order = np.argsort(-sizes, kind="stable")
        chosen, sizes = chosen[order], sizes[order]
        refused, unwritten, calls = [chosen[:0]], [chosen[:0]], []
        for part in _parts(sizes, ENGINE_PART_BYTES):
            if part.start:  # the memory of the part before is needed
                self._finish.run(batch.device, placed, waiting)
            rows = chosen[part]
            encoded, lengths = files.jpeg.addresses[rows], files.jpeg.lengths[rows]
            decoded = decoder.decode(encoded, lengths, files.stored[rows], self._space)
            if decoded is None:
                refused.append(rows)
                continue
            waiting.append(self._windows(placed.chosen, rows, decoded))
            unwritten.append(rows[~decoded.is_written])
            if decoder.busy:
                waits = decoder.starved, decoder.awaited
                calls.append((int(sizes[part].sum()), decoder.busy, decoder.idle, *waits))
        if calls:
            nbytes, busy, idle, starved, awaited = zip(*calls, strict=True)
            reading = EngineReading(sum(nbytes), sum(busy), sum(idle), starved[0], awaited[0])
            self._share.note(reading, batch.device.decisions)
        return np.concatenate(refused), np.concatenate(unwritten)

    def _windows(self, chosen: ChosenImages, rows: Rows, decoded: Decoded) -> DecodedPixels:
        """Return the windows of whole images that the engine has written."""
        rows, pointers = rows[decoded.is_written], decoded.pixels.pointers()[decoded.is_written]
        boxes, widths = chosen.stored_boxes[rows], chosen.files.stored[rows, 1]
        offsets = (boxes[:, 0] * widths + boxes[:, 1]) * self._finish.channels
        source = pointers + offsets.astype(np.uint64)
        return DecodedPixels(rows, source, widths, decoded.pixels)

    # CUDA cores

    def _by_cuda(
        self,
        batch: BatchContext,
        placed: PlacedImages,
        chosen: Rows,
        waiting: Waiting,
        *,
        smooth: bool,
    ) -> Rows:
        """Decode the chosen rows; return those that are damaged."""
        if not len(chosen):
            return chosen
        headers = placed.chosen.files
        lengths, sampling = headers.jpeg.lengths[chosen], headers.jpeg.sampling[chosen]
        boxes = placed.chosen.stored_boxes[chosen]
        files = JpegFiles(chosen, lengths, headers.stored[chosen], sampling, boxes)
        damaged = [chosen[:0]]
        for part in _parts(files.taken_bytes, CUDA_PART_BYTES):
            if part.start:  # the memory of the part before is needed
                self._finish.run(batch.device, placed, waiting)
            one = files if part.stop - part.start == len(chosen) else files.part(part)
            made = decode_windows(
                batch.device, headers.encoded, one, self._finish.channels, smooth=smooth
            )
            widths = one.boxes[:, 3] - one.boxes[:, 1]
            waiting.append(DecodedPixels(one.rows, made.addresses, widths, made.memory))
            with batch.device.waiting("gpu"):
                damaged.append(one.rows[made.damaged.get() != 0])
        return np.concatenate(damaged)


def _parts(sizes: NDArray[np.int64], most: int) -> Iterator[slice]:
    """Cut files into as few parts of about the same size as have `most` bytes or so."""
    if not len(sizes):
        return
    ends = np.cumsum(sizes)
    count = -(-int(ends[-1]) // most)
    parts = (ends - 1) * count // ends[-1]
    cuts = (parts[1:] != parts[:-1]).nonzero()[0] + 1
    yield from (slice(start, end) for start, end in pairwise([0, *cuts.tolist(), len(sizes)]))
