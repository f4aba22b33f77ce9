"""Fuzzing of zip archives of arrays: their index, members, headers and elements.

    pip install atheris
    python tests/fuzz/fuzz_zip.py -max_total_time=600 corpus/

needs the folder that holds `penstock` on PYTHONPATH. `test_fuzz_records.py` runs the same
checks over random damage without atheris. Only errors of ours may come out, and members must lie
inside the archive.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import Any

import numpy as np

if __name__ == "__main__":
    import atheris

    watched: Any = atheris.instrument_imports(include=["penstock.readers", "penstock.formats.npy"])
else:
    watched = nullcontext()

with watched:
    from penstock.engine.errors import DecodeError, SourceError
    from penstock.formats.npy import array_of_npy
    from penstock.readers.archives.inflated_member import InflatedMember
    from penstock.readers.archives.zip_index import DEFLATED, zip_members

    if __name__ == "__main__":  # as a script, this is in no package
        from memory import MemoryFile
    else:
        from .memory import MemoryFile


def check(data: bytes) -> None:
    """Index an archive, and read the arrays in it."""
    content = np.frombuffer(data, np.uint8)
    try:
        found = zip_members(MemoryFile(data))
    except SourceError:
        return
    ends = found.offsets + found.sizes
    assert (found.offsets >= 0).all()
    assert (ends <= len(data)).all()
    for i in range(len(found.names)):
        packed = content[found.offsets[i] : ends[i]]
        try:
            if found.methods[i] == DEFLATED:
                size, checksum = int(found.contents[i]), int(found.checksums[i])
                packed = InflatedMember("member", packed, size, checksum).read(
                    np.zeros(1, np.int64), np.array([size]), np.empty
                )[0]
            assert array_of_npy(packed).nbytes <= packed.size
        except DecodeError:
            continue


if __name__ == "__main__":
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()
