"""Fuzzing of the decoding of `.npy` files.

    pip install atheris
    python tests/fuzz/fuzz_npy.py -max_total_time=600 corpus/

needs the folder that holds `penstock` on PYTHONPATH. `test_fuzz_records.py` runs the same
checks over random damage without atheris. Only errors of ours may come out, and where NumPy
reads an array, too, it must be the same one.
"""

from __future__ import annotations

import io
import sys
import warnings
from contextlib import nullcontext
from typing import Any

import numpy as np

if __name__ == "__main__":
    import atheris

    watched: Any = atheris.instrument_imports(include=["penstock.formats.npy"])
else:
    watched = nullcontext()

with watched:
    from penstock.engine.errors import DecodeError
    from penstock.formats.npy import parse_file


def check(data: bytes) -> None:
    """Decode an array, and compare it with what NumPy makes of the bytes."""
    try:
        header, elements = parse_file(np.frombuffer(data, np.uint8))
    except DecodeError:
        return
    assert elements.shape == header.shape
    assert elements.nbytes == header.nbytes == len(data) - header.offset
    expected = by_numpy(data)
    if expected is not None:
        assert expected.dtype == elements.dtype
        assert expected.shape == elements.shape
        assert expected.tobytes() == elements.tobytes()


def by_numpy(data: bytes) -> Any:
    """Return the array that NumPy reads, or None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.load(io.BytesIO(data), allow_pickle=False)
    except Exception:  # NumPy evaluates the header, so that may raise anything
        return None


if __name__ == "__main__":
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()
