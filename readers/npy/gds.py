"""Arrays read from files straight into GPU memory, where GPUDirect Storage serves them.

This way serves samples whose bytes lie in local files in the order of the batch. All other samples
are read through host memory. So is a whole batch after any error: that read raises the error.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ...engine.order.selection import Selection
from ...engine.pending import Later, Pending
from ...engine.tensors import TensorListGPU
from ..reading.carriers import Carrier, CountedMemory, ReadColumns
from .form_groups import BatchMemory, LocatedSamples
from .gds_support import first_line, hindrance
from .opening import OpenArray
from .region_reads import DirectRange, byte_ranges_of
from .source import NumpySource

if TYPE_CHECKING:
    from ...engine.gpu.device import DeviceAccess

KVIKIO_THREADS = 8
"""Number of KvikIO's threads; KvikIO's default is one."""

MAX_OPEN_FILES = 256
"""Number of files that stay open."""

MIN_SAMPLE_BYTES = 1 << 20
"""Smallest sample in bytes. Smaller samples come faster through the page cache and one copy of the
batch."""


STRAIGHT = "reads straight into GPU memory (GPUDirect Storage)"
THROUGH_HOST = "reads through pinned host memory"


class DirectReads(Carrier):
    """Reads batches into GPU memory, or through host memory.

    Args:
        source: the arrays.
        stage: access to the device.

    Attributes:
        path_used: the way of the last batch, and the reason.
    """

    path_used: str = ""

    def __init__(self, source: NumpySource, stage: DeviceAccess) -> None:
        self._source = source
        self._stage = stage
        self._verdicts: dict[int, str] = {}
        self._opened = lru_cache(MAX_OPEN_FILES)(self._open)

    def verdict(self, path: str) -> str:
        """Return why the file system of `path` does not serve, or ""; each is probed once."""
        system = os.stat(path).st_dev
        if system not in self._verdicts:
            obstacle = hindrance(path)
            self._verdicts[system] = obstacle[0] if obstacle else ""
        return self._verdicts[system]

    def start(self, selection: Selection, memory: CountedMemory) -> Pending[ReadColumns]:
        return Later(partial(self._read_or_copy, selection, memory))

    def _read_or_copy(self, selection: Selection, memory: CountedMemory) -> ReadColumns:
        located = self._source.locate(selection.index, selection.arguments)
        on_gpu = self.read(located)
        if on_gpu is None:
            return (self._source.read_located(located, memory.empty),)
        memory.device_nbytes += on_gpu.dense().nbytes
        return (on_gpu,)

    def read(self, located: LocatedSamples) -> TensorListGPU | None:
        """Return a complete batch; None if the batch has to be read through host memory."""
        batch = None
        try:
            why = _obstacle(located) or self._refusal(located.arrays)
            if not why:
                batch = self._read(located)
                why = "a file ended too early"
        except (RuntimeError, OSError) as error:  # KvikIO raises both
            why = first_line(error)
        self.path_used = STRAIGHT if batch is not None else f"{THROUGH_HOST}: {why}"
        return batch

    def close(self) -> None:
        """Drop the files; each is closed once no thread reads it."""
        self._opened.cache_clear()

    def _refusal(self, arrays: Sequence[OpenArray]) -> str:
        for array in arrays:
            if why := self._opened(str(array.storage.path), array.storage.stamp)[1]:
                return why
        return ""

    def _open(self, path: str, _stamp: str) -> tuple[Any, str]:
        why = self.verdict(path)
        return (None, why) if why else (import_module("kvikio").CuFile(path), "")

    def _read(self, located: LocatedSamples) -> TensorListGPU | None:
        (group,) = located.groups
        shapes = group.regions.shape[:, group.regions.kept]
        with self._stage.aside() as device:
            data = device.empty(shapes, group.header.native)
            device.synchronize()  # cuFile knows no streams: work on the memory must have ended
            memory = BatchMemory([group], len(shapes), lambda *_: data.dense())
            work = byte_ranges_of(located.region_reads(memory, 0.0))
            ranges = [piece for piece in work if isinstance(piece, DirectRange)]  # all of them
            sizes, futures = [], []
            try:
                for storage, offset, buffer in ranges:
                    file, _ = self._opened(str(storage.path), storage.stamp)
                    sizes.append(buffer.size)
                    futures.append(file.pread(buffer, buffer.size, offset))
            finally:
                counts = _results(futures)
        return data if counts == sizes else None


def direct_reads(source: NumpySource, stage: DeviceAccess) -> tuple[DirectReads | None, str]:
    """Return the carrier that reads arrays into GPU memory, or None; and the way of reading.

    Args:
        source: the arrays.
        stage: access to the device.
    """
    path = source.plain_file()
    if path is None:
        return None, f"{THROUGH_HOST}: its arrays are deflated, or not in local files"
    try:
        defaults = import_module("kvikio.defaults")
    except ImportError as error:
        how = "is not installed" if error.name == "kvikio" else f"cannot be loaded ({error})"
        return None, f"{THROUGH_HOST}: KvikIO {how}; see `penstock doctor`"
    reads = DirectReads(source, stage)
    # A later read raises the error of a missing file.
    if os.path.isfile(path) and (why := reads.verdict(path)):
        return None, f"{THROUGH_HOST}: {why}"
    if defaults.get("num_threads") < KVIKIO_THREADS:
        defaults.set("num_threads", KVIKIO_THREADS)
    return reads, STRAIGHT


def _obstacle(located: LocatedSamples) -> str:
    """Return why samples cannot be read straight into GPU memory, or ""."""
    if any(array.storage.identity is None for array in located.arrays):
        return "not all files are local"
    if len(located.groups) > 1:
        return "the arrays of a batch differ in shape or type"
    (group,) = located.groups
    if group.header.native.kind not in "iuf":
        return f"elements of type {group.header.dtype} are converted on the host"
    if not group.in_runs(located.arrays):
        return "the samples' bytes do not lie side by side, or lie in another order"
    if int(group.regions.shape[0].prod()) * group.header.dtype.itemsize < MIN_SAMPLE_BYTES:
        return f"samples of less than {MIN_SAMPLE_BYTES >> 20} MiB come faster this way"
    return ""


def _results(futures: Sequence[Any]) -> list[int]:
    """Wait for all reads, which must not outlive their memory; then raise the first error."""
    counts, errors = [], []
    for future in futures:
        try:
            counts.append(int(future.get()))
        except Exception as error:
            errors.append(error)
    if errors:
        raise errors[0]
    return counts
