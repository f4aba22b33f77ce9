"""Files that the GPU does not decode: the CPU decodes them, in threads or in a process.

A decoder holds the GIL for a part of its work, beside the threads that launch work for the GPU. So
a process takes over if there are many such files: see `HelperProcesses`. The threads then send
requests and wait for the answers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, DType
from ...engine.machine import usable_cores
from ...engine.processes.helper_processes import HelperProcesses
from ...engine.tensors.arena import Arena
from .color import channels_of
from .decode import decode
from .formats.base import Box, Empty, ImageHeader, ignore_blemish

MIN_CORES = 4
"""Cores that this process may use. On two cores, whose time limits GPU training, the process made
it 6% slower (EPYC, without the GPU's time)."""


class CpuDecoding:
    """Decodes files into memory of batches. Thread-safe.

    Args:
        arena: arena of the batches' memory.
        output, dtype, use_exif: as for `decode`.
        threads: number of threads that decode at a time.
    """

    def __init__(
        self,
        arena: Arena,
        output: str,
        dtype: DType,
        use_exif: bool,
        threads: int,
    ) -> None:
        self._output = output
        self._dtype = dtype
        self._decode = partial(decode, output=output, dtype=dtype, use_exif=use_exif)
        self._process: HelperProcesses | None = None
        cores = usable_cores()
        if arena.descriptor >= 0 and cores >= MIN_CORES:
            self._process = HelperProcesses(
                "decodes",
                f"{__package__}.decoding_child",
                arena,
                self._decode,
                at_once=threads,
            )

    def decode(
        self,
        encoded: NDArray[np.uint8],
        roi: Box,
        header: ImageHeader | None,
        empty: Empty,
        report_blemish: Callable[[str], None] = ignore_blemish,
    ) -> Array:
        """Return the region `roi` of an image: HWC, contiguous; see `decode.decode`.

        Args:
            encoded: the file.
            roi: y0, x0, y1 and x1 in the upright image.
            header: header of the file, if it is known.
            empty: allocates memory in the arena for a shape and a dtype.
            report_blemish: as for `decode`.
        """
        if header is not None and self._process is not None and self._process.is_there:
            pixels = self._by_process(self._process, encoded, roi, header, empty, report_blemish)
            if pixels is not None:
                return pixels
        started = perf_counter()
        image = self._decode(encoded, roi=roi, header=header, report_blemish=report_blemish)
        pixels = empty(image.shape, image.dtype)
        np.copyto(pixels, image)
        if self._process is not None:
            self._process.count(perf_counter() - started)
        return pixels

    def _by_process(
        self,
        process: HelperProcesses,
        encoded: NDArray[np.uint8],
        roi: Box,
        header: ImageHeader,
        empty: Empty,
        report_blemish: Callable[[str], None],
    ) -> Array | None:
        """Let the process decode; None if it could not."""
        y0, x0, y1, x1 = roi
        channels = channels_of(header.space_of(self._output))
        pixels = empty((y1 - y0, x1 - x0, channels), self._dtype)
        slots = process.arena.slot_of(encoded), process.arena.slot_of(pixels)
        if None in slots:  # small arrays lie elsewhere
            return None
        blemishes = process.ask(slots[0], roi, slots[1])
        if blemishes is None:
            return None
        for blemish in blemishes:
            report_blemish(blemish)
        return pixels

    @property
    def path_used(self) -> str:
        """Whether a process decodes, or why it does not; "" before it is started."""
        if self._process is None:
            return ""
        if not self._process.is_there:
            return self._process.why
        return f"{self._process.path_used} what the GPU does not"

    def close(self) -> None:
        """End the process; idempotent."""
        if self._process is not None:
            self._process.close()
