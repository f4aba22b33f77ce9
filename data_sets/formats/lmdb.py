"""LMDB databases: Caffe's, Caffe2's, and databases whose values are files.

In a database of files, a key is a sample's key, a dot, and the suffix of a component: see
`component_files`. In a database without a manifest, a value whose key has no known suffix is an
encoded file by itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Int64s
from ...engine.errors import ArgumentError, DecodeError, imported
from ...readers.archives.tar_index import split_name
from ...readers.lmdb.datum import Datum
from ...readers.lmdb.files import LMDBFiles, first_value
from ...readers.lmdb.tensor_protos import STRING, tensors
from ...readers.storage.storage import Storage
from ..component_files import (
    components_of,
    dtypes_of,
    files_of,
    quoted_key,
    readable_extensions,
    unquoted_key,
)
from ..manifest import ShardInfo
from ..media import extension_of
from ..sample import Sample
from .base import Location, ReaderCall, StoredSamples, grouped_rows, joined
from .dataset_format import DatasetFormat
from .hashed_file import hash_of
from .writer import Target, Writer


class LmdbSamples(StoredSamples):
    """Base of the samples of LMDB files.

    Attributes:
        are_files: whether keys are names of files, of which several may be a sample.
    """

    are_files = False

    def __init__(self, location: Location) -> None:
        super().__init__(location)
        self._files = LMDBFiles(
            location.files,
            options=location.options,
            damages=location.damages,
            are_files=self.are_files,
        )

    def __len__(self) -> int:
        return len(self._files)

    def where(self, index: int) -> str:
        """Return file and key of a record."""
        return self._files.where(index)

    def files(self) -> list[str]:
        return [
            os.path.join(path, DATA) if os.path.isdir(path) else path
            for path in self.location.files
        ]

    def close(self) -> None:
        self._files.close()


class LmdbFileSamples(LmdbSamples):
    """Databases whose values are files."""

    are_files = True

    def __init__(self, location: Location) -> None:
        super().__init__(location)
        self._firsts = self._grouped()
        self.learn(location.manifest)

    def _grouped(self) -> Int64s:
        """Return the number of each sample's first record, and last the number of records."""
        firsts: list[int] = []
        last = None
        for number, name in enumerate(self._files.key_table):
            key, _ = _split(name)
            if key != last:
                firsts.append(number)
                last = key
        return np.array([*firsts, len(self._files)], np.int64)

    def __len__(self) -> int:
        return len(self._firsts) - 1

    def read(self, indices: NDArray[np.int64]) -> list[Sample]:
        groups = grouped_rows(self._firsts, indices)
        contents = self._files.read(joined(groups), np.empty).views()
        samples, row = [], 0
        for index, group in zip(indices.tolist(), groups, strict=True):
            split = [_split(self._files.key_table[number]) for number in group.tolist()]
            stored = contents[row : row + len(group)]
            suffixes = [
                suffix or extension_of(content.data)
                for (_, suffix), content in zip(split, stored, strict=True)
            ]
            components = components_of(suffixes, iter(stored), partial(self.where, index))
            samples.append(Sample(self._key(split[0][0]), components))
            row += len(group)
        return samples

    def _key(self, key: bytes) -> str:
        text = os.fsdecode(key)
        return text if self.location.manifest is None else unquoted_key(text)

    def reader_calls(self) -> Sequence[ReaderCall]:
        """See `StoredSamples.reader_calls`; a sample of several components is several records."""
        if len(self.schema) == 1:
            return [ReaderCall("lmdb", {"path": self.files()}, is_own=True)]
        present = readable_extensions(self.schema)
        if not present:
            return ()
        dtypes = partial(dtypes_of, present)
        arguments = {"path": self.files(), "ext": present, "dtypes": dtypes}
        return [ReaderCall("lmdb", arguments, is_own=True)]

    def where(self, index: int) -> str:
        """Return file and key of a sample's first record."""
        return super().where(int(self._firsts[index]))


def _split(name: bytes) -> tuple[bytes, str]:
    key, suffix = split_name(name, "first")
    return key, os.fsdecode(suffix)


def value_format(content: NDArray[np.uint8]) -> str:
    """Return the format of a database with this value: "caffe", "caffe2" or "lmdb"."""
    try:
        datum = Datum(content.data)
        if datum.data is not None and datum.label is not None:
            return "caffe"
    except DecodeError:
        pass
    try:
        stored = tensors(content, 2)
        if stored and (stored[0].data_type == STRING or len(stored) == 2):
            return "caffe2"
    except DecodeError:
        pass
    return "lmdb"


DATA = "data.mdb"
"""The file in the folder that is a database."""

MAP_BYTES = 1 << 40
"""Addresses of a database; memory and disk are taken for the content alone."""

TRANSACTION_BYTES = 32 << 20
"""Bytes of values, after which they are written: a transaction is in memory."""

Entry = tuple[bytes, bytes | memoryview]


class LmdbFileWriter(Writer):
    """Writes databases whose values are files; `component_files` describes their names."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._library = imported("lmdb", "writing LMDB databases needs lmdb", "lmdb")
        self._environment: Any = None

    def start(self, path: Path) -> None:
        self._path = path
        self.samples = 0
        path.mkdir(parents=True)
        self._environment = self._library.open(
            str(path), map_size=MAP_BYTES, sync=False, metasync=False, lock=False
        )
        self._transaction = self._environment.begin(write=True)
        self._bytes = 0

    def write(self, sample: Sample) -> None:
        for key, content in self.entries(sample):
            self._put(key, content)
        self.samples += 1
        if self._bytes >= TRANSACTION_BYTES:
            self._transaction.commit()
            self._transaction = self._environment.begin(write=True)
            self._bytes = 0

    def entries(self, sample: Sample) -> Iterator[Entry]:
        """Yield the keys and values of a sample."""
        key = quoted_key(sample.key)
        for suffix, content in files_of(sample.components):
            yield f"{key}.{suffix}".encode(), content

    def _put(self, key: bytes, content: bytes | memoryview) -> None:
        longest = self._environment.max_key_size()
        if len(key) > longest:
            raise ArgumentError(f"LMDB holds keys of {longest} bytes at most, not {key!r}")
        try:
            stored = self._transaction.put(key, content, overwrite=False)
        except self._library.Error as error:
            raise OSError(f"{self._path}: LMDB cannot write: {error}") from error
        if not stored:
            raise ArgumentError(f"the key {key.decode()!r} occurs twice in a shard")
        self._bytes += len(content)

    def finish(self) -> ShardInfo:
        try:
            self._transaction.commit()
            self._environment.sync(True)
        except self._library.Error as error:
            raise OSError(f"{self._path}: LMDB cannot write: {error}") from error
        self._environment.close()
        return ShardInfo((hash_of(self._path / DATA, self._path.parent),), self.samples)

    def abandon(self) -> None:
        if self._environment is not None:
            self._transaction.abort()
            self._environment.close()


def holds(format: str, head: bytes, storage: Storage) -> bool:
    """Return whether a file is a database with values of a format: see `value_format`."""
    return b"\xde\xc0\xef\xbe" in head[:32] and value_format(first_value(storage)) == format


ROW = DatasetFormat(
    "lmdb",
    "LMDB databases of files",
    LmdbFileSamples,
    LmdbFileWriter,
    recognize=partial(holds, "lmdb"),
    companions=("-lock", "lock.mdb"),
)
