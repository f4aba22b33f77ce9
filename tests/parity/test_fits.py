"""FITS images against CFITSIO, as DALI has it: its reader itself needs a GPU, also on the CPU."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from penstock import fn, pipeline_def

from ..fits_files import hdu

_dali = pytest.importorskip("nvidia.dali")
_LIBRARIES = sorted(Path(_dali.__file__).parent.glob(".libs/libcfitsio*"))

# CFITSIO's codes of types in headers, and in memory.
_IMAGE_TYPES = {10: "i1", 8: "u1", 16: "i2", 20: "u2", 32: "i4", 40: "u4", 64: "i8"}
_IMAGE_TYPES |= {-32: "f4", -64: "f8"}
_MEMORY_TYPES = {"i1": 12, "u1": 11, "i2": 21, "u2": 20, "i4": 31, "u4": 30, "i8": 81}
_MEMORY_TYPES |= {"f4": 42, "f8": 82}

CASES = [
    *[(dtype, None, None) for dtype in ("u1", "i2", "i4", "i8", "f4", "f8")],
    *[("u1", scale, 0) for scale in (2, -1, 0.5, 257, 16909060)],
    *[("u1", 1, zero) for zero in (-128, 1, 32768, 2147483648)],
    *[("i2", 1, zero) for zero in (32768, 1, 2147483648, 3000000000)],
    *[("i2", *each) for each in ((2, 0), (2, 0.5), (1e6, 0), (-1, -1), (2, 65536))],
    *[("i4", *each) for each in ((1, 2147483648), (2, 0), (1, 0.5), (1, 5), (4e9, 0))],
    *[(dtype, 2, 1) for dtype in ("f4", "f8")],
]


def cfitsio(path):
    """Return the image of the second HDU."""
    library = ctypes.CDLL(str(_LIBRARIES[0]))
    file, status, found = ctypes.c_void_p(), ctypes.c_int(0), ctypes.c_int()

    def call(name, *arguments):
        getattr(library, name)(*arguments, ctypes.byref(status))
        assert status.value == 0, (name, status.value)

    call("ffopen", ctypes.byref(file), str(path).encode(), 0)
    call("ffmahd", file, 2, None)
    call("ffgiet", file, ctypes.byref(found))
    extents = (ctypes.c_long * 3)()
    call("ffgisz", file, 3, extents)
    dtype = _IMAGE_TYPES[found.value]
    image = np.empty(tuple(extents)[::-1], dtype)
    address = image.ctypes.data_as(ctypes.c_void_p)
    count = ctypes.c_longlong(image.size)
    first = ctypes.c_longlong(1)
    call("ffgpv", file, _MEMORY_TYPES[dtype], first, count, None, address, ctypes.byref(found))
    call("ffclos", file)
    return image


@pytest.mark.skipif(not _LIBRARIES, reason="this DALI has no CFITSIO of its own")
@pytest.mark.parametrize(("dtype", "scale", "zero"), CASES)
def test_images(tmp_path, dtype, scale, zero):
    stored = (np.random.default_rng(1).random((3, 4, 5)) * 100).astype(dtype)
    cards = [] if scale is None else [("BSCALE", float(scale)), ("BZERO", zero)]
    path = tmp_path / "image.fits"
    path.write_bytes(hdu(None, primary=True) + hdu(stored, *cards))

    @pipeline_def(batch_size=1, num_threads=1)
    def reading():
        return fn.experimental.readers.fits(files=str(path))

    with reading() as pipe:
        (found,) = pipe.run()
    np.testing.assert_array_equal(found.as_array()[0], cfitsio(path), strict=True)
