"""Fuzzing of what reads LMDB files.

    pip install atheris lmdb
    python tests/fuzz/fuzz_lmdb.py -max_total_time=600 corpus/

needs the folder that holds `penstock` on PYTHONPATH. `test_fuzz_lmdb.py` runs the same checks
over random damage without atheris. An input changes a small valid file: its first byte says
which one, the second how much is cut off, and each three bytes after that give a place and a
value. A file is read whole, or a SourceError that names it comes out.
"""

from __future__ import annotations

import atexit
import os
import random
import shutil
import sys
import tempfile
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path
from typing import Any

import lmdb
import numpy as np

if __name__ == "__main__":
    import atheris

    watched: AbstractContextManager[Any] = atheris.instrument_imports(include=["penstock.readers"])
else:
    watched = nullcontext()

with watched:
    from penstock.engine.errors import SourceError
    from penstock.readers.lmdb.files import LMDBFiles
    from penstock.readers.storage.opening import open_storage

PAGE = 4096
STRIDES = (1, PAGE)
"""Places count all bytes of the file, or only the first 64 of each page: its structure."""


@cache
def valid_file(kind: int) -> bytes:
    """Return a file of one of four kinds: LMDB 0.9 or 1.0, with a named database or without."""
    draw = random.Random(kind)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "file")
        with lmdb.open(
            path, subdir=False, lib_version=kind % 2, max_dbs=1, map_size=1 << 24, sync=False
        ) as environment:
            database = environment.open_db(b"named" if kind & 2 else None)
            with environment.begin(db=database, write=True) as transaction:
                for _ in range(24):
                    key, size = draw.randbytes(draw.randint(1, 40)), draw.choice((0, 9, 800, 4100))
                    transaction.put(key, draw.randbytes(size))
        return Path(path).read_bytes()


def changed(data: bytes) -> bytes:
    """Return the file that an input stands for."""
    content = bytearray(valid_file(data[0] % 4))
    stride = STRIDES[data[0] >> 2 & 1]
    for begin in range(2, len(data) - 2, 3):
        number = int.from_bytes(data[begin : begin + 2], "little")
        place = number if stride == 1 else number // 64 * PAGE + number % 64
        content[place % len(content)] = data[begin + 2]
    return bytes(content[: len(content) - data[1] * 171])


def check(data: bytes) -> None:
    """Read a changed file."""
    if len(data) < 2:
        return
    content = changed(data)
    PATH.write_bytes(content)
    database = "named" if data[0] & 2 else None
    try:
        files = LMDBFiles([str(PATH)], database)
        views = files.read(np.arange(len(files)), np.empty).views()
    except SourceError as error:
        if str(PATH) not in str(error):
            raise
        return
    finally:
        open_storage(PATH).close()
    assert sum(map(len, views)) <= len(content)
    keys = [key.tobytes() for key in files.keys(np.arange(len(files)), np.empty)]
    assert len(set(keys)) == len(keys)


PATH = Path(tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)) / "file"
atexit.register(shutil.rmtree, PATH.parent)

if __name__ == "__main__":
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()
