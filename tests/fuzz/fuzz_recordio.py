"""Fuzzing of everything that parses RecordIO files and their indexes.

    pip install atheris
    python tests/fuzz/fuzz_recordio.py -max_total_time=600 corpus/

needs the folder that holds `penstock` on PYTHONPATH. `test_fuzz_records.py` runs the same
checks over random damage without atheris. The first byte of an input says how many of the
others are an index file; the rest is the data file. Only errors of ours may come out, and a
batch must hold what its records hold when they are read one by one.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import Any

import numpy as np

if __name__ == "__main__":
    import atheris

    watched: Any = atheris.instrument_imports(include=["penstock.readers"])
else:
    watched = nullcontext()

with watched:
    from penstock.engine.errors import SourceError
    from penstock.readers.recordio.extents import listed_extents, without_image
    from penstock.readers.recordio.framing import read_index, scan
    from penstock.readers.recordio.reader import MXNetSource
    from penstock.readers.storage.records import RecordFiles

    if __name__ == "__main__":  # as a script, this is in no package
        from memory import MemoryFile
    else:
        from .memory import MemoryFile


MOST = 20  # records that are read one by one


def check(data: bytes) -> None:
    """Read a file with the index that a scan makes, and with one that comes along."""
    cut = data[0] if data else 0
    storage = MemoryFile(data[1 + cut :])
    try:
        offsets = scan(storage)
    except SourceError as error:
        assert str(error).startswith("file")  # noqa: PT017  (errors are optional here)
    else:
        check_records(storage, offsets, np.diff(offsets, append=storage.size))
    try:
        listed, lengths = listed_extents(storage, read_index(data[1 : 1 + cut], "index"), "index")
    except SourceError as error:
        assert str(error).startswith("index")  # noqa: PT017
    else:
        check_records(storage, listed, lengths)


def check_records(storage: MemoryFile, offsets: Any, lengths: Any) -> None:
    """A batch holds the same as its records one by one, or raises if one of them does."""
    bare = without_image(storage, offsets, lengths)
    assert bare.shape == offsets.shape
    source = MXNetSource(RecordFiles([storage], [(offsets[:MOST], lengths[:MOST])]))
    singles = [read(source, [index]) for index in range(len(source))]
    together = read(source, list(range(len(source))))
    if any(single is None for single in singles):
        assert together is None
    else:
        assert together == [sample for single in singles if single for sample in single]
        assert sum(len(image) for image, _ in together or ()) <= storage.size


def read(source: MXNetSource, indices: list[int]) -> list[tuple[bytes, bytes]] | None:
    """Return the samples, or None where one is damaged."""
    try:
        images, labels = source.read(np.array(indices, np.int64), np.empty)
    except SourceError as error:
        assert "file, record" in str(error)  # noqa: PT017
        return None
    return [(a.tobytes(), b.tobytes()) for a, b in zip(images, labels, strict=True)]


if __name__ == "__main__":
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()
