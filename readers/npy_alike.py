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

from ..engine.npy import NpyHeader
from .local_reads import OPEN_FLAGS
from .storage import Bytes
from .two_threads import in_two_threads

MOST_BYTES = 1 << 20
"""Of a file: the elements of larger ones are better read by two threads."""

_WORTH_TWO_THREADS = 2 << 20
"""Bytes of a batch. Opening files takes as long as copying them: 20,000 a second with one thread,
38,000 with two, at 48 KiB each."""


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

        others: list[int] = []  # files that are not alike, or not in memory

        def read(row: int) -> None:
            if not others and not self._read_one(paths[row], heads[row], rows[row]):
                others.append(row)

        if len(paths) * nbytes >= _WORTH_TWO_THREADS:
            in_two_threads(read, range(len(paths)))
        else:
            for row in range(len(paths)):
                read(row)
        return not others and bool((heads == np.frombuffer(self.beginning, np.uint8)).all())

    def _read_one(self, path: str, head: Bytes, row: Bytes) -> bool:
        try:
            fd = os.open(path, OPEN_FLAGS)
        except OSError:
            return False  # whoever reads it again says why
        try:
            size = head.size + row.size
            if os.fstat(fd).st_size != size:
                return False
            return os.preadv(fd, (head.data, row.data), 0, os.RWF_NOWAIT) == size
        except OSError:
            return False
        finally:
            os.close(fd)
