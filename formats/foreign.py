"""Files of other software, told by their first bytes or their endings, with what can be done."""

from __future__ import annotations

from typing import NamedTuple

HEAD = 1024
"""The first bytes of a file that tell, at most."""

SMALLEST_POINTER, LARGEST_POINTER = 60, 1024
"""Bytes of a pointer of Git LFS, by its specification."""

_POINTER = b"version https://git-lfs.github.com/spec/v1\n"

LFS = (
    "a pointer of Git LFS in place of the file itself; fetch the files by `git lfs pull`, or "
    "download them again"
)
"""What a pointer is, and what to do."""

_ARRAYS = "write its arrays to .npy files by the package {}, for fn.readers.numpy"
_HDF5 = f"an HDF5 file; {_ARRAYS.format('h5py')}"
_NETCDF = f"a NetCDF file; {_ARRAYS.format('netCDF4')}"
_NIFTI = f"a NIfTI file; {_ARRAYS.format('nibabel')}"
_DICOM = f"a DICOM file; {_ARRAYS.format('pydicom')}"
_TABLE = "write its rows to Parquet files by the package {}, for fn.readers.parquet"
_VORTEX = f"a Vortex file; {_TABLE.format('vortex-data')}"
_RECORDS = "write its records to TFRecord files by the package {}, for fn.readers.tfrecord"
_LOADER = "write its samples as tar files or Parquet by the package {}"


class _Magic(NamedTuple):
    """Bytes at an offset that tell a format."""

    offset: int
    text: bytes
    title: str


_MAGICS = (
    _Magic(0, _POINTER, LFS),
    _Magic(0, b"\x89HDF\r\n\x1a\n", _HDF5),
    _Magic(512, b"\x89HDF\r\n\x1a\n", _HDF5),  # of MATLAB
    _Magic(0, b"CDF\x01", _NETCDF),
    _Magic(0, b"CDF\x02", _NETCDF),
    _Magic(0, b"CDF\x05", _NETCDF),
    _Magic(344, b"n+1\0", _NIFTI),
    _Magic(344, b"ni1\0", _NIFTI),
    _Magic(4, b"n+2\0\r\n\x1a\n", _NIFTI),
    _Magic(128, b"DICM", _DICOM),
    _Magic(0, b"VTXF", _VORTEX),
    _Magic(0, b"ORC", f"an ORC file; {_TABLE.format('pyarrow')}"),
    _Magic(0, b"Obj\x01", f"an Avro file; {_TABLE.format('fastavro')}"),
    _Magic(0, b"SQLite format 3\0", f"a database of SQLite; {_TABLE.format('pandas')}"),
)
_ENDINGS = {
    ".nii.gz": _NIFTI,
    ".nii": _NIFTI,
    ".dcm": _DICOM,
    ".nc": _NETCDF,
    ".h5": _HDF5,
    ".hdf5": _HDF5,
    ".mat": f"a file of MATLAB; {_ARRAYS.format('scipy')}",
    ".beton": f"a file of FFCV; {_LOADER.format('ffcv')}",
    ".mds": f"a shard of MosaicML's streaming; {_LOADER.format('mosaicml-streaming')}",
    ".array_record": f"an ArrayRecord file; {_RECORDS.format('array_record')}",
    ".riegeli": f"a Riegeli file; {_RECORDS.format('riegeli')}",
    ".vortex": _VORTEX,
    ".lance": f"a file of Lance; {_TABLE.format('pylance')}",
    ".ark": "an archive of Kaldi; write .npy files by the package kaldiio, for fn.readers.numpy",
    ".pt": f"a file of PyTorch; {_ARRAYS.format('torch')}",
    ".pth": f"a file of PyTorch; {_ARRAYS.format('torch')}",
    ".pkl": "a pickle, which may run any program; write its samples by the program that made it",
    ".safetensors": f"a file of tensors; {_ARRAYS.format('safetensors')}",
    ".zarr.zip": f"a Zarr store; {_ARRAYS.format('zarr')}",
}


def is_pointer(content: bytes | memoryview) -> bool:
    """Return whether the content of a file is a pointer of Git LFS, as clones without it have.

    >>> is_pointer(b"version https://git-lfs.github.com/spec/v1" + bytes([10]) + b"oid sha256:0")
    True
    """
    return len(content) <= LARGEST_POINTER and bytes(content[: len(_POINTER)]) == _POINTER


def foreign_file(name: str, head: bytes) -> str:
    """Return what a file of other software is, and what to do; "" for other files.

    Args:
        name: its name or path.
        head: its first `HEAD` bytes, or fewer; b"" if they are not known.

    >>> foreign_file("scan.nii.gz", b"")[:12], foreign_file("a.jpg", b"")
    ('a NIfTI file', '')
    """
    for offset, text, title in _MAGICS:
        if head[offset : offset + len(text)] == text:
            return title
    lowered = name.lower()
    return next((title for end, title in _ENDINGS.items() if lowered.endswith(end)), "")
