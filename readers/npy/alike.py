"""Files that are all like the one before: header and elements read by one call a file.

The files of a data set commonly begin with the same bytes and have the same size. If a file
does, its elements have gone straight into the batch by the time that its header was compared.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.npy import NpyHeader
from ..storage.local_reads import OPEN_FLAGS
from ..storage.sharing import share

MOST_BYTES = 1 << 20
"""Of a file: the elements of larger ones are better read by two threads."""

_WORTH_TWO_THREADS = 2 << 20


@dataclass(frozen=True)
class Likeness:
    """What files are expected to be: the bytes that they begin with, and what these say."""

    beginning: bytes
    header: NpyHeader

    def read(self, paths: Sequence[str], result: NDArray[Any]) -> bool:
        """Read the elements of local files, and say whether all are alike and were in memory.

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

        threads = 2 if len(paths) * nbytes >= _WORTH_TWO_THREADS else 1
        try:
            share(read, range(len(paths)), threads)
        except OSError:
            return False  # the one who reads the files again says why
        return bool((heads == np.frombuffer(self.beginning, np.uint8)).all())
