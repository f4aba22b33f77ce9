"""Fuzzing of everything that parses tar archives and DALI's index files.

    pip install atheris
    python tests/fuzz/fuzz_tar.py -max_total_time=600 corpus/

needs the folder that holds `penstock` on PYTHONPATH. `test_fuzz_records.py` runs the same
checks over random damage without atheris. The first byte of an input is a set of switches,
the second says how many of the others are an index file; the rest is the archive. Only errors
of ours may come out, and components must lie inside the archive.
"""

from __future__ import annotations

import sys
import warnings
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
    from penstock.readers.archives.tar import BLOCK, members
    from penstock.readers.archives.tar_index import ArchiveIndex, group
    from penstock.readers.storage.storage import Storage
    from penstock.readers.webdataset.choosing import Archive, ComponentOutput
    from penstock.readers.webdataset.dali_index import parse_dali_index
    from penstock.readers.webdataset.source import ComponentSource

    if __name__ == "__main__":  # as a script, this is in no package
        from memory import MemoryFile
    else:
        from .memory import MemoryFile

REPAIR, LAST_DOT = 1, 2
MOST = 20  # components that are read one by one


def check(data: bytes) -> None:
    """Index an archive by a scan and by a file, and read all of it."""
    data = data.ljust(2, b"\0")
    switches, cut = data[0], data[1]
    content = data[2 + cut :]
    storage = MemoryFile(repaired(content) if switches & REPAIR else content)
    dot = "last" if switches & LAST_DOT else "first"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            index = group(members(storage), dot)
    except SourceError as error:
        assert str(error).startswith("file, offset")  # noqa: PT017  (errors are optional here)
    else:
        check_index(storage, index, has_headers=False)
        check_index(storage, index, has_headers=True, again=lambda _: index)
    try:
        index = parse_dali_index(data[2 : 2 + cut], "index", storage)
    except SourceError as error:
        assert str(error).startswith("index")  # noqa: PT017
    else:
        check_index(storage, index, has_headers=True)


def repaired(content: bytes) -> bytes:
    """Return an archive with right checksums, which fuzzers do not find."""
    blocks = bytearray(content)
    for begin in range(0, len(content) - BLOCK + 1, BLOCK):
        if blocks[begin]:
            blocks[begin + 148 : begin + 156] = b" " * 8
            blocks[begin + 148 : begin + 155] = b"%06o\0" % sum(blocks[begin : begin + BLOCK])
    return bytes(blocks)


def check_index(
    storage: Storage, index: ArchiveIndex, *, has_headers: bool, again: Any = None
) -> None:
    """What an index says lies inside the archive, and can be read."""
    assert (index.offsets >= 0).all()
    assert (index.sizes >= 0).all()
    assert (index.offsets + index.sizes <= storage.size).all()
    assert index.firsts[-1] == len(index.offsets) == len(index.extension_numbers)
    assert len(index.keys) == len(index)
    components = np.arange(len(index.offsets))[:, np.newaxis]
    archive = Archive(storage, index, components, np.zeros(len(components), np.int64))
    output = ComponentOutput(np.dtype(np.uint8), is_text=False)
    source = ComponentSource([archive], [output], has_headers=has_headers, index_again=again)
    for number, size in enumerate(index.sizes[:MOST].tolist()):
        try:
            (column,) = source.read(np.array([number]), np.empty)
        except SourceError as error:
            assert has_headers
            assert again is None
            assert "file, sample" in str(error)  # noqa: PT017
        else:
            assert [len(array) for array in column] == [size]


if __name__ == "__main__":
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()
