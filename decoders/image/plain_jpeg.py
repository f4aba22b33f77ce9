"""Plain JPEG files of a batch: the hardware engine decodes them, with the help of CPU threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.threads import Team, TeamCall
from .engine_share import EngineShare
from .engines import turbojpeg
from .engines.nvjpeg import HardwareDecoder
from .mixed_batch import MixedBatch

if TYPE_CHECKING:
    from ...engine.graph.context import BatchContext

Rows = NDArray[np.intp]

Finish = Callable[["BatchContext", MixedBatch, Rows, NDArray[np.uint64], NDArray[np.int64]], None]
"""Turns and converts decoded pixels into the result: `MixedDecoding._finish`."""


class PlainJpegTuning(NamedTuple):
    """How the hardware engine is used.

    Attributes:
        whole_bytes: largest size of the whole images that wait until their windows are cut out.
        pinned_bytes: largest size of the images that threads decode for a batch.
    """

    whole_bytes: int = 1 << 30
    pinned_bytes: int = 256 << 20


TUNING = PlainJpegTuning()


class ThreadedFiles(NamedTuple):
    """Files of a batch that threads decode into pinned memory.

    Attributes:
        rows: of the files.
        boxes: the pixels to decode, of the stored images: (files, 4).
        widths: of the images, in pixels.
        work: what the files cost threads.
        first: index of each image in `pixels`.
        pixels: the images, line by line down to the ends of their boxes.
        refused: rows that libjpeg-turbo complained of.
        calls: of the threads; each returns the seconds that it took.
    """

    rows: Rows
    boxes: NDArray[np.int64]
    widths: NDArray[np.int64]
    work: float
    first: NDArray[np.int64]
    pixels: NDArray[np.uint8]
    refused: list[int]
    calls: list[TeamCall[float]]


class PlainJpeg:
    """Decodes the plain JPEG files of batches; several threads may use it for different batches.

    Args:
        channels: of the result: 3 for RGB, 1 for gray.
        load: the part of the files for the engine; None to adapt to the engine's rate.
        finish: turns and converts decoded pixels.
    """

    def __init__(self, channels: int, load: float | None, finish: Finish) -> None:
        self._channels = channels
        self._space = "GRAY" if channels == 1 else "RGB"
        self._share = EngineShare(load)
        self._finish = finish

    def engine(self, batch: BatchContext) -> HardwareDecoder | None:
        """Return the engine of the batch's device; None if there is none."""
        key = (self, HardwareDecoder)
        if key not in batch.device.own:
            batch.device.own[key] = HardwareDecoder.open(batch.device)
        decoder: HardwareDecoder | None = batch.device.own[key]
        return decoder

    def decode(
        self,
        batch: BatchContext,
        work: MixedBatch,
        decoder: HardwareDecoder,
        chosen: Rows,
        team: Team,
        besides: int,
    ) -> tuple[Rows, Rows]:
        """Decode the chosen rows; return those that the engine, and that threads did not decode.

        Args:
            batch: the batch.
            work: the same batch, with the boxes to decode.
            decoder: the engine.
            chosen: rows of plain files.
            team: threads.
            besides: bytes of the files that the threads decode besides.
        """
        if not len(chosen):
            return chosen, chosen
        boxes, (heights, widths) = work.stored_boxes()[chosen], work.stored[chosen].T
        pixels = (heights * widths).astype(np.float64)
        cost = work.files.lengths[chosen] * (boxes[:, 2] / heights)
        threads = batch.device.num_threads
        by_engine, by_threads = self._share.split(pixels, cost, threads, besides)
        fits = np.cumsum(pixels[by_threads]) * self._channels <= TUNING.pinned_bytes
        by_engine = np.sort(np.concatenate([by_engine, by_threads[~fits]]))
        by_threads = by_threads[fits]
        files = None
        if len(by_threads):
            rows, total = chosen[by_threads], float(cost[by_threads].sum())
            files = self._start_threads(batch, work, rows, boxes[by_threads], total, team)
        left = self._by_engine(batch, decoder, chosen[by_engine], boxes[by_engine], work)
        return left, chosen[:0] if files is None else self._end_threads(batch, work, files)

    # The engine

    def _by_engine(
        self,
        batch: BatchContext,
        decoder: HardwareDecoder,
        chosen: Rows,
        boxes: NDArray[np.int64],
        work: MixedBatch,
    ) -> Rows:
        # nvJPEG hands out files to several engines in their order, and files that begin together
        # wait for one another. In the order of sizes, 23,000 files a second are decoded, in any
        # other order 14,700 (natural sizes, 256 in a batch, H200).
        sizes = work.stored[chosen].prod(axis=1) * self._channels
        order = np.argsort(-sizes, kind="stable")
        chosen, boxes, sizes = chosen[order], boxes[order], sizes[order]
        left, cuts = chosen[:0], []
        if sizes.sum() > TUNING.whole_bytes:
            cuts = (np.flatnonzero(np.diff(np.cumsum(sizes) // TUNING.whole_bytes)) + 1).tolist()
        for start, end in pairwise([0, *cuts, len(chosen)]):
            part = slice(start, end)
            given = chosen[part], boxes[part], sizes[part], work
            if start < end and not self._decode_whole(batch, decoder, *given):
                left = np.concatenate([left, chosen[part]])
        return left

    def _decode_whole(
        self,
        batch: BatchContext,
        decoder: HardwareDecoder,
        chosen: Rows,
        boxes: NDArray[np.int64],
        sizes: NDArray[np.int64],
        work: MixedBatch,
    ) -> bool:
        whole = batch.device.empty(sizes[:, np.newaxis], np.uint8)
        pointers, widths = whole.pointers(), work.stored[chosen, 1]
        encoded, lengths = work.files.addresses[chosen], work.files.lengths[chosen]
        if not decoder.decode(encoded, lengths, pointers, widths, self._space):
            return False
        if decoder.busy:
            pixels = float(sizes.sum() // self._channels)
            self._share.note_engine(pixels, decoder.busy, decoder.idle)
        offsets = (boxes[:, 0] * widths + boxes[:, 1]) * self._channels
        self._finish(batch, work, chosen, pointers + offsets.astype(np.uint64), widths)
        return True

    # Threads of the CPU

    def _start_threads(
        self,
        batch: BatchContext,
        work: MixedBatch,
        rows: Rows,
        boxes: NDArray[np.int64],
        cost: float,
        team: Team,
    ) -> ThreadedFiles:
        heights, widths = work.stored[rows].T
        ends = np.cumsum(heights * widths * self._channels)
        first = np.concatenate([[0], ends[:-1]])
        pixels = batch.device.pinned(int(ends[-1]))
        batch.count_bytes(host=pixels.nbytes)
        files = ThreadedFiles(rows, boxes, widths, cost, first, pixels, [], [])
        encoded = [work.encoded.row(row) for row in rows.tolist()]
        sizes = zip(heights.tolist(), widths.tolist(), boxes[:, 2].tolist(), strict=True)
        jobs = deque(zip(rows.tolist(), encoded, first.tolist(), sizes, strict=True))
        for _ in range(min(batch.device.num_threads, len(rows))):
            files.calls.append(team.submit(self._work, jobs, files))
        return files

    def _work(self, jobs: deque[Any], files: ThreadedFiles) -> float:
        """Decode files until none is left; return the seconds that this took."""
        started = perf_counter()
        while True:
            try:
                row, data, first, (height, width, last) = jobs.popleft()
            except IndexError:
                return perf_counter() - started
            shape = height, width, self._channels
            out = files.pixels[first : first + height * width * self._channels].reshape(shape)
            try:
                turbojpeg.decode_lines(data, self._space, last, out)
            except ValueError:
                files.refused.append(row)

    def _end_threads(self, batch: BatchContext, work: MixedBatch, files: ThreadedFiles) -> Rows:
        """Wait for the threads, copy the images to the device; return the rows that are left."""
        self._share.note_threads(files.work, sum(call.result() for call in files.calls))
        good = ~np.isin(files.rows, files.refused)
        rows, widths, boxes = files.rows[good], files.widths[good], files.boxes[good]
        steps = widths * self._channels
        first = files.first[good] + boxes[:, 0] * steps
        sizes = (boxes[:, 2] - boxes[:, 0]) * steps
        images = batch.device.empty(sizes[:, np.newaxis], np.uint8)
        pointers = images.pointers()
        for to, start, size in zip(pointers.tolist(), first.tolist(), sizes.tolist(), strict=True):
            batch.device.copy_in(to, files.pixels[start : start + size])
        offsets = boxes[:, 1] * self._channels
        self._finish(batch, work, rows, pointers + offsets.astype(np.uint64), widths)
        return np.array(files.refused, np.intp)
