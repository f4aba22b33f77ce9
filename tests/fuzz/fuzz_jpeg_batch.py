"""Fuzzing of JPEG headers that are read for a whole batch: what a hardware decoder is told.

    pip install atheris
    python tests/fuzz/fuzz_jpeg_batch.py -max_total_time=600 corpus/

needs the folder that holds `penstock` on PYTHONPATH. `test_fuzz_jpeg_batch.py` runs the same
checks over random damage without atheris. A header that is taken to be plain must mean the same
to the parser of single files, beside other files, too. Files lie where the pages before and behind
them must not be touched: reading there ends the process.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
from contextlib import nullcontext
from typing import Any

import numpy as np

if __name__ == "__main__":
    import atheris

    watched: Any = atheris.instrument_imports(include=["penstock.decoders.image.formats"])
else:
    watched = nullcontext()

with watched:
    from penstock.decoders.image.formats import jpeg
    from penstock.decoders.image.formats.jpeg_batch_headers import GRAY, read_headers
    from penstock.engine.errors import DecodeError
    from penstock.engine.tensors import TensorListCPU


ROOM = 64 * mmap.PAGESIZE


def guarded() -> np.ndarray:
    """Return memory between two pages that nobody may touch."""
    mapped = mmap.mmap(-1, ROOM + 2 * mmap.PAGESIZE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(mapped))
    for page in (address, address + mmap.PAGESIZE + ROOM):
        assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(page), mmap.PAGESIZE, 0) == 0
    return np.frombuffer(mapped, np.uint8)[mmap.PAGESIZE :][:ROOM]


MEMORY = guarded(), guarded()


def placed(files: list[bytes]) -> list[np.ndarray]:
    """Return the files, one right behind such a page and one right before."""
    begin, end = (np.frombuffer(file, np.uint8) for file in files)
    rows = [MEMORY[0][: begin.size], MEMORY[1][ROOM - end.size :]]
    for row, content in zip(rows, (begin, end), strict=True):
        row[:] = content
    return rows


def check(data: bytes) -> None:
    """Read the headers of two files: what is before a cut, and all."""
    data = data[:ROOM]
    cut = int.from_bytes(data[:2], "big") % (len(data) + 1)
    files = [data[2:cut], data[2:]]
    found = read_headers(TensorListCPU(placed(files)))
    for i in np.flatnonzero(found.is_plain):
        try:
            header = jpeg.parse_header(memoryview(files[i]))
        except DecodeError as error:
            raise AssertionError("refused by the parser of single files") from error
        assert (header.height, header.width) == tuple(found.sizes[i])
        assert header.orientation == found.orientation[i]
        assert header.channels == (1 if found.sampling[i] >= GRAY else 3)
        assert header.bits == 8
        assert header.channels == 1 or not jpeg.holds_rgb(memoryview(files[i]))


if __name__ == "__main__":
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()
