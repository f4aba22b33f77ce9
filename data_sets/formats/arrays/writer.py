"""Writes arrays in NumPy's formats; see `stored.arrays`."""

from __future__ import annotations

import io
import os
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np

from ....engine.arrays import Array, DType
from ....engine.errors import ArgumentError
from ...component_files import npy_of, quoted, quoted_key
from ...manifest import ShardInfo
from ...sample import Sample, Value
from ...schema import ARRAY, ENCODED, TEXT, Schema
from ..hashed_file import hash_of, write_new
from ..writer import Target, Writer
from .reader import KEYS_SUFFIX

_HEADER_BYTES = 192
"""Room for the header of a stack, whose length is known at the end only."""

_ARRAYS = "arrays"
_DATE = (1980, 1, 1, 0, 0, 0)


def _refused(schema: Schema, format: str) -> str:
    for name, component in schema.items():
        if component.type in (ENCODED, TEXT):
            return f"{format} hold arrays and numbers, but the component {name!r} is {component}"
        if component.type == ARRAY and np.dtype(component.dtype).kind not in "biuf":
            return f"{format} hold real numbers, but the component {name!r} is {component}"
    return ""


def _array_of(name: str, value: Value) -> Array:
    """Return a component as an array of real numbers; raise ArgumentError for others."""
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise ArgumentError(
            f"the component {name!r} is {str(value)[:80]}, which no array of real numbers of at "
            "most 64 bits holds"
        )
    return array


def synced(file: IO[bytes]) -> None:
    """Write what is left to the disk, and close a file."""
    file.flush()
    os.fsync(file.fileno())
    file.close()


class StackWriter(Writer):
    """Writes one `.npy` file for each component and shard; axis 0 runs over the samples."""

    @classmethod
    def refusal(cls, schema: Schema) -> str:
        for name, component in schema.items():
            if None in component.shape:
                return f"stacks hold arrays of one shape, but the component {name!r} is {component}"
        return _refused(schema, "stacks")

    @classmethod
    def layout(cls, target: Target, first: Sample) -> dict[str, Any]:
        forms = {name: _array_of(name, value) for name, value in first.components.items()}
        return {_ARRAYS: {n: [a.dtype.str, list(a.shape)] for n, a in forms.items()}}

    def start(self, path: Path) -> None:
        self._path = path
        self._keys: list[bytes] = []
        self._forms = {
            name: (np.dtype(dtype), tuple(shape))
            for name, (dtype, shape) in self.target.layout[_ARRAYS].items()
        }
        self._files: dict[str, IO[bytes]] = {}
        for name in self._forms:
            self._files[name] = self._file_of(name).open("xb")
            self._files[name].write(bytes(_HEADER_BYTES))

    def _file_of(self, name: str) -> Path:
        return self._path.with_name(f"{self._path.name}.{quoted(name).replace('/', '%2F')}.npy")

    def write(self, sample: Sample) -> None:
        if sample.components.keys() != self._forms.keys():
            raise ArgumentError(
                f"the sample has the components {sorted(sample.components)}, but the first sample "
                f"{sorted(self._forms)}; stacks need the same ones in all samples"
            )
        for name, value in sample.components.items():
            self._files[name].write(self._elements(name, value))
        self._keys.append(sample.key.encode() + b"\n")

    def _elements(self, name: str, value: Value) -> bytes:
        array = _array_of(name, value)
        dtype, shape = self._forms[name]
        if (array.dtype, array.shape) != (dtype, shape):
            raise ArgumentError(
                f"the component {name!r} is {array.dtype} {array.shape}, but {dtype} {shape} in "
                "the first sample; stacks need one shape, so write an .npz archive instead"
            )
        return array.tobytes()

    def finish(self) -> ShardInfo:
        root, files = self._path.parent, []
        for name, file in self._files.items():
            dtype, shape = self._forms[name]
            file.seek(0)
            file.write(_padded_header(dtype, (len(self._keys), *shape)))
            synced(file)
            files.append(hash_of(self._file_of(name), root))
        keys = self._path.with_name(self._path.name + KEYS_SUFFIX)
        files.append(write_new(keys, b"".join(self._keys), root))
        return ShardInfo(tuple(files), len(self._keys))

    def abandon(self) -> None:
        for file in self._files.values():
            with suppress(OSError):  # the error before counts
                file.close()


def _padded_header(dtype: DType, shape: tuple[int, ...]) -> bytes:
    """Return the header of a `.npy` file, version 1.0, with `_HEADER_BYTES` bytes."""
    stream = io.BytesIO()
    form = {"descr": dtype.str, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, form)
    text = stream.getvalue()[10:].rstrip()
    length = _HEADER_BYTES - 10
    return b"\x93NUMPY\x01\x00" + length.to_bytes(2, "little") + text.ljust(length - 1) + b"\n"


class NpzWriter(Writer):
    """Writes `.npz` archives with a member for each component of each sample."""

    @classmethod
    def refusal(cls, schema: Schema) -> str:
        return _refused(schema, "npz archives")

    def start(self, path: Path) -> None:
        self._path = path.with_name(path.name + ".npz")
        self._samples = 0
        self._file = self._path.open("xb")
        self._archive = zipfile.ZipFile(self._file, "w", zipfile.ZIP_STORED)

    def write(self, sample: Sample) -> None:
        key = quoted_key(sample.key)
        for name, value in sample.components.items():
            member = f"{key}.{quoted(name)}.npy"
            self._archive.writestr(zipfile.ZipInfo(member, _DATE), npy_of(_array_of(name, value)))
        self._samples += 1

    def finish(self) -> ShardInfo:
        self._archive.close()
        synced(self._file)
        return ShardInfo((hash_of(self._path, self._path.parent),), self._samples)

    def abandon(self) -> None:
        self._archive.fp = None  # closing would write the directory of a part of the shard
        with suppress(OSError):
            self._file.close()
