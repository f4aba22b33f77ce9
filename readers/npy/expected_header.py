"""Files that are all like the last one: one call a file reads both header and elements.

The files of a data set commonly begin with the same bytes and have the same size. So the elements
are read straight into the batch, and the header is compared afterwards.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...formats.npy import NpyHeader
from ..storage.local_reads import OPEN_FLAGS
from ..storage.read_team import READ_TEAM


@dataclass(frozen=True)
class ExpectedHeaderTuning:
    """Which files are read by one call each.

    Attributes:
        nbytes: of a file at most: two threads read the elements of larger files faster.
        two_threads: bytes of a batch that two threads read faster than one.
    """

    nbytes: int = 1 << 20
    two_threads: int = 2 << 20


TUNING = ExpectedHeaderTuning()


def may_be_read_at_once(nbytes: int) -> bool:
    """Return whether so many bytes of elements are best read by one call, with their header."""
    return 0 < nbytes <= TUNING.nbytes


@dataclass(frozen=True)
class ExpectedHeader:
    """The header that files are expected to have: its bytes, and the same parsed."""

    beginning: bytes
    header: NpyHeader

    def read(self, paths: Sequence[str], result: NDArray[Any]) -> bool:
        """Read the elements of local files; return whether all are alike and were in memory.

        Args:
            paths: of the files.
            result: memory for them, (files, *shape), native and C-contiguous.
        """
        offset, nbytes = self.header.offset, self.header.nbytes
        rows = result.reshape(len(paths), -1).view(np.uint8)
        heads = np.empty((len(paths), offset), np.uint8)

        def read(row: int) -> None:
            fd = os.open(paths[row], OPEN_FLAGS)
            try:
                if os.fstat(fd).st_size != offset + nbytes:
                    raise OSError("another size")
                buffers = heads[row].data, rows[row].data
                if os.preadv(fd, buffers, 0, os.RWF_NOWAIT) != offset + nbytes:
                    raise OSError("not all in memory")
            finally:
                os.close(fd)

        threads = 2 if len(paths) * nbytes >= TUNING.two_threads else 1
        try:
            READ_TEAM.run_jobs(read, range(len(paths)), threads)
        except OSError:
            return False  # the caller reads the files again, and raises the error
        return bool((heads == np.frombuffer(self.beginning, np.uint8)).all())
