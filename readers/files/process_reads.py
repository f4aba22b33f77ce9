"""Whole local files, read by reading processes."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from ...engine.tensors.packed_rows import PackedRows
from ..process.part_reads import PartReads, ReadParts
from ..process.reading_process import ReadingProcess
from ..source import Allocate, Column
from ..storage.local_reads import read_local


class ProcessReads:
    """Lets processes read files into an arena; this process reads the rest. Thread-safe."""

    def __init__(self, process: ReadingProcess) -> None:
        """Take the processes that read."""
        self._reads = PartReads(process)

    def read(self, paths: list[bytes], allocate: Allocate) -> Column:
        """Return the files' bytes: see `FileSource.read`."""
        begun = self._reads.begin("files", paths, allocate)
        found = begun and begun.wait()
        if found:
            return _rows(found)
        started = perf_counter()
        contents = read_local(paths, allocate)
        seconds = perf_counter() - started
        self._reads.count(seconds, sum(each.nbytes for each in contents), len(contents))
        return contents

    @property
    def path_used(self) -> str:
        """Whether processes read the files, or why they do not; "" before they are started."""
        return self._reads.path_used

    def close(self) -> None:
        """End the process, and so what is waited for; reading goes on without it."""
        self._reads.close()


def _rows(found: ReadParts) -> PackedRows:
    """Return the files that processes have read."""
    sizes, metadata = zip(*found.answers, strict=True)
    begins = [first + np.cumsum(s) - s for first, s in zip(found.firsts, sizes, strict=True)]
    joined = {name: np.concatenate([each[name] for each in metadata]) for name in metadata[0]}
    shapes = np.concatenate(sizes)[:, np.newaxis]
    return PackedRows(found.slab, np.concatenate(begins), shapes, np.uint8, joined)
