"""Arrays in NumPy's formats: stacks, whose slices are samples, and `.npz` archives of samples.

A conversion writes for each shard and component a stack `<shard>.<component>.npy`, and the keys of
the samples, one a line, as `<shard>.keys.txt`. An archive has members `<key>.<component>.npy`; a
member without dimensions is a number. If a name of an archive has no dot, each name is a key.

Without a manifest, one file is a stack. A few files, or members, with one extent along axis 0 and
different shapes behind it are the components of the same samples. Else each one is a sample.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from ....engine.errors import DecodeError, SourceError
from ....formats.npy import NoNumbersError, NpyHeader, numbers_of
from ....readers.archives.tar_index import split_name
from ....readers.listing.listing import list_plain_files
from ....readers.npy.array_list import ArrayList, list_arrays
from ....readers.npy.source import NumpySource
from ....readers.storage.opening import read_whole
from ....readers.storage.strings import StringTable
from ...component_files import ARRAY_NAME, unquoted_key
from ...reading import COSTLY
from ...sample import Sample, Value
from ...schema import ARRAY, FLOAT, INT, ComponentType, Schema, schema_of_types
from ..base import (
    Location,
    ReaderCall,
    SourceSamples,
    StoredSamples,
    grouped_rows,
    joined,
    numbered_key,
)

KEYS_SUFFIX = ".keys.txt"
_NPY = ".npy"

MAX_COMPONENTS = 8
"""More files than this are samples."""

MAX_LOOKED_AT = 256
"""Members of archives whose headers are read, before any sample is, to leave out texts."""


class StackSamples(StoredSamples):
    """Slices of stacks along axis 0."""

    def __init__(self, location: Location, parts: Mapping[str, tuple[list[str], str]]) -> None:
        """Take files and members of each component's stack."""
        super().__init__(location)
        self._parts = dict(parts)
        self._stacks = {
            name: NumpySource(
                _arrays_in(location, files, member), sample_axis=0, options=location.options
            )
            for name, (files, member) in parts.items()
        }
        lengths = {name: len(source) for name, source in self._stacks.items()}
        if len(set(lengths.values())) != 1:
            raise SourceError(f"{location.root}: the stacks have different lengths: {lengths}")
        self._length = next(iter(lengths.values()))
        self._keys = _stored_keys(location)
        if self._keys is not None and len(self._keys) != self._length:
            raise SourceError(
                f"{location.root}: {len(self._keys)} keys are listed for {self._length} samples"
            )
        if any(stack.inflates for stack in self._stacks.values()):
            self.reading = COSTLY
        self.learn(location.manifest)

    def schema_of_some(self, _: NDArray[np.int64]) -> Schema:
        """Return the schema that the headers of all files tell."""
        return schema_of_types(
            ("", name, _element_type(header, slices=True))
            for name, stack in self._stacks.items()
            for header in stack.headers(np.arange(stack.array_count))
        )

    def __len__(self) -> int:
        return self._length

    def read(self, indices: NDArray[np.int64]) -> list[Sample]:
        columns = {name: stack.read(indices, np.empty)[0] for name, stack in self._stacks.items()}
        return [
            Sample(self._key(index), {n: _value(column[row]) for n, column in columns.items()})
            for row, index in enumerate(indices.tolist())
        ]

    def _key(self, index: int) -> str:
        if self._keys is not None:
            return self._keys[index].decode()
        return numbered_key(str(self.location.root), index)

    def where(self, index: int) -> str:
        """Return the file of the first component, and the index along axis 0."""
        return next(iter(self._stacks.values())).where(index)

    def reader_calls(self) -> Sequence[ReaderCall]:
        return [  # of one order, because all have the same seed
            ReaderCall(
                "numpy", {"files": files, "member_filter": member, "sample_axis": 0}, is_own=True
            )
            for files, member in self._parts.values()
        ]

    def close(self) -> None:
        for stack in self._stacks.values():
            stack.close()


class ArraySamples(SourceSamples[NumpySource]):
    """Arrays of their own: files, or members of archives."""

    def __init__(self, location: Location, arrays: ArrayList) -> None:
        super().__init__(location)
        self._source = NumpySource(arrays, options=location.options)
        names = arrays.members.names if arrays.members is not None else arrays.files.names
        self._names = StringTable.of(_name(name, arrays.members is None) for name in names)
        all_have_dots = all(b"." in name.rpartition(b"/")[2] for name in self._names)
        self._is_archive = arrays.members is not None
        self._is_split = self._is_archive and all_have_dots
        rows = range(len(self._names))
        if self._is_split:
            firsts = [next(group) for _, group in groupby(rows, lambda row: self._split(row)[0])]
        else:
            firsts = list(rows)
        self._firsts = np.array([*firsts, len(self._names)], np.int64)
        self.learn(location.manifest)

    def schema_of_some(self, indices: NDArray[np.int64]) -> Schema:
        """Return the schema that the headers of some samples tell."""
        rows = joined(grouped_rows(self._firsts, indices))
        named = map(self._split, rows.tolist())
        headers = self._source.headers(rows)
        return schema_of_types(
            (key, name, _element_type(header))
            for (key, name), header in zip(named, headers, strict=True)
        )

    def _split(self, row: int) -> tuple[str, str]:
        """Return key and component of an array."""
        if not self._is_split:
            return os.fsdecode(self._names[row]), ARRAY_NAME
        key, component = split_name(self._names[row], "first")
        return unquoted_key(os.fsdecode(key)), unquote(os.fsdecode(component))

    def __len__(self) -> int:
        return len(self._firsts) - 1

    def read(self, indices: NDArray[np.int64]) -> list[Sample]:
        groups = grouped_rows(self._firsts, indices)
        arrays = iter(self._source.read(joined(groups), np.empty)[0])
        samples = []
        for index, group in zip(indices.tolist(), groups, strict=True):
            named = [self._split(row) for row in group.tolist()]
            components = {name: _value(next(arrays)) for _, name in named}
            if len(components) < len(named):
                raise DecodeError(
                    f"{self.where(index)}: several members of the sample {named[0][0]!r} are one "
                    f"component; there are {', '.join(name for _, name in named)}"
                )
            samples.append(Sample(named[0][0], components))
        return samples

    def where(self, index: int) -> str:
        """Return file and member of a sample's first array."""
        return self._source.where(int(self._firsts[index]))

    def reader_calls(self) -> Sequence[ReaderCall]:
        if len(self.schema) > 1:  # a sample is several members of an archive
            return []
        return [ReaderCall("numpy", {"files": self.files()}, is_own=self._is_archive)]


def open_arrays(location: Location) -> StoredSamples:
    """Open stacks, or arrays of their own."""
    arrays, texts = _with_numbers(location, _arrays_in(location, location.files))
    parts = _components(location, arrays)
    samples = StackSamples(location, parts) if parts else ArraySamples(location, arrays)
    samples.unread_fields = texts
    return samples


def _with_numbers(location: Location, arrays: ArrayList) -> tuple[ArrayList, tuple[str, ...]]:
    """Return the arrays without members that hold texts or objects, and the names of those.

    They are few in archives of few members, such as names of classes. Of many, each is a sample.
    """
    if location.manifest is not None or arrays.members is None or len(arrays) > MAX_LOOKED_AT:
        return arrays, ()
    source = NumpySource(arrays, options=location.options)
    others = []
    for row in range(len(arrays)):
        try:
            source.headers(np.array([row]))
        except NoNumbersError:
            others.append(row)
        except DecodeError:  # damaged: an error of its sample
            pass
    if not 0 < len(others) < len(arrays):
        return arrays, ()
    names = tuple(os.fsdecode(arrays.members.names[row]).removesuffix(_NPY) for row in others)
    return arrays.only(np.delete(np.arange(len(arrays)), others)), names


def _components(location: Location, arrays: ArrayList) -> dict[str, tuple[list[str], str]]:
    """Return files and member of each component's stack; nothing if there are no stacks."""
    if location.manifest is not None:
        if location.manifest.format != "npy":
            return {}
        return {
            name: ([f for f in location.files if _component_of(f) == name], "*.npy")
            for name in location.manifest.schema
        }
    if len(location.files) == 1 and location.files[0].endswith(_NPY):
        return {ARRAY_NAME: (list(location.files), "*.npy")}
    return _alike(location, arrays)


def _alike(location: Location, arrays: ArrayList) -> dict[str, tuple[list[str], str]]:
    """Return the stacks of a data set without a manifest, if its arrays are components."""
    if len(arrays) > MAX_COMPONENTS:
        return {}
    source = NumpySource(arrays, options=location.options)
    shapes = [header.shape for header in source.headers(np.arange(len(arrays)))]
    lengths = {shape[:1] for shape in shapes}
    if len(lengths) != 1 or lengths == {()} or (len(shapes) > 1 and len(set(shapes)) == 1):
        return {}
    if arrays.members is None:
        pairs = [(Path(path).stem, ([path], "*.npy")) for path in location.files]
    else:
        names = [os.fsdecode(name) for name in arrays.members.names]
        pairs = [(name.removesuffix(_NPY), (list(location.files), name)) for name in names]
    return dict(pairs) if len(dict(pairs)) == len(pairs) else {}


def _arrays_in(location: Location, files: Sequence[str], members: str = "*.npy") -> ArrayList:
    """Return the arrays in files of a data set; `members` is the pattern of archives' members."""
    options = location.options
    listing = list_plain_files("fn.readers.numpy", files=files, storage_options=options)
    return list_arrays(listing, members, options, location.damages)


def _element_type(header: NpyHeader, *, slices: bool = False) -> ComponentType:
    """Return the type of an array, or of its slices along axis 0."""
    dtype, more = numbers_of(header.dtype)
    shape = (*header.shape[slices:], *more)
    if shape:
        return ComponentType(ARRAY, dtype=dtype.name, shape=shape)
    return ComponentType(FLOAT if dtype.kind == "f" else INT)


def _component_of(path: str) -> str:
    return unquote(os.path.basename(path).partition(".")[2].removesuffix(_NPY))


def _stored_keys(location: Location) -> StringTable | None:
    if location.manifest is None:
        return None
    paths = [location.root / name for name in location.manifest.files(KEYS_SUFFIX)]
    contents = (read_whole(path, location.options) for path in paths)
    return StringTable.of(line for content in contents for line in content.splitlines())


def _name(name: bytes, is_path: bool) -> bytes:
    return (os.path.basename(name) if is_path else name).removesuffix(b".npy")


def _value(element: object) -> Value:
    array = np.asarray(element)
    number: Value = array if array.ndim else array.item()
    return number
