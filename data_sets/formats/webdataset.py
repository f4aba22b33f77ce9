"""WebDataset: the components of a sample are files of a tar archive."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Int64s
from ...engine.errors import ArgumentError
from ...readers.archives.tar import BLOCK, TarError, parse_header
from ...readers.archives.tar_headers import CLOSING, header_of, padding
from ...readers.archives.tar_index import ArchiveIndex, index_archive
from ...readers.storage.opening import open_storage
from ...readers.storage.records import RecordFiles
from ...readers.storage.storage import Storage
from ...readers.webdataset.dali_index import write_dali_index
from ..component_files import (
    components_of,
    dtypes_of,
    files_of,
    quoted_key,
    readable_extensions,
    unquoted_key,
)
from ..manifest import ShardInfo
from ..sample import Sample
from .base import Location, ReaderCall, StoredSamples, grouped_rows, joined
from .dataset_format import DatasetFormat
from .one_file import OneFileWriter


class WebDatasetSamples(StoredSamples):
    """The samples of tar archives."""

    def __init__(self, location: Location) -> None:
        super().__init__(location)
        damages = location.damages
        opened = damages.open(location.files, location.options)
        storages, self._indexes = damages.each(
            [*opened.values()], lambda storage: index_archive(storage, damages=damages)
        )
        damages.require(sum(map(len, self._indexes)))
        number_of = {id(storage): number for number, storage in opened.items()}
        kept = [
            self.kept(number_of[id(storage)], storage, index)
            for storage, index in zip(storages, self._indexes, strict=True)
        ]
        self._kept: Int64s = np.flatnonzero(np.concatenate(kept))
        extents = [(index.offsets, index.sizes) for index in self._indexes]
        self._members = RecordFiles(storages, extents)
        self._samples: Int64s = np.cumsum([0, *map(len, self._indexes)], dtype=np.int64)
        counts = [len(index.offsets) for index in self._indexes]
        bases = np.cumsum([0, *counts[:-1]], dtype=np.int64)
        joined = [
            index.firsts[:-1] + base for index, base in zip(self._indexes, bases, strict=True)
        ]
        self._firsts: Int64s = np.concatenate([*joined, np.array([sum(counts)])]).astype(np.int64)
        self.learn(location.manifest)

    def kept(self, number: int, storage: Storage, index: ArchiveIndex) -> NDArray[np.bool_]:
        """Return which samples of an archive belong to the data set: (samples,).

        Args:
            number: of the archive among `location.files`.
            storage, index: the archive, as far as it is sound.
        """
        return np.ones(len(index), np.bool_)

    def __len__(self) -> int:
        return len(self._kept)

    def read(self, indices: NDArray[np.int64]) -> list[Sample]:
        indices = self._kept[indices]
        rows = joined(grouped_rows(self._firsts, indices))
        contents = iter(self._members.read(rows, np.empty).views())
        samples = []
        for index in indices.tolist():
            key, suffixes = self._names(index)
            components = components_of(suffixes, contents, partial(self._where, index))
            samples.append(Sample(key, components))
        return samples

    def _names(self, index: int) -> tuple[str, list[str]]:
        number = int(np.searchsorted(self._samples, index, "right")) - 1
        archive, row = self._indexes[number], index - int(self._samples[number])
        key = os.fsdecode(archive.keys[row])
        is_quoted = self.location.manifest is not None
        return unquoted_key(key) if is_quoted else key, archive.extensions_of(row)

    def where(self, index: int) -> str:
        """Return archive, number of the first component's file, and offset."""
        return self._where(int(self._kept[index]))

    def _where(self, index: int) -> str:
        return self._members.where(int(self._firsts[index]))

    def reader_calls(self) -> Sequence[ReaderCall]:
        present = readable_extensions(self.schema)
        if not present:
            raise ArgumentError(
                f"{self.location.root}: no images, sound, text or labels in the archives"
            )
        dtypes = partial(dtypes_of, present)
        arguments = {"paths": self.files(), "ext": present, "dtypes": dtypes}
        return [ReaderCall("webdataset", arguments, index=("index_paths", write_dali_index))]

    def close(self) -> None:
        self._members.close()


class WebDatasetWriter(OneFileWriter):
    """Writes `.tar` files; `component_files` describes the names of their members.

    Attributes:
        offsets: of the first header of each sample of the shard.
        size: bytes of its samples so far.
    """

    suffix = ".tar"

    def start(self, path: Path) -> None:
        super().start(path)
        self.offsets: list[int] = []
        self.size = 0

    def write(self, sample: Sample) -> None:
        key = quoted_key(sample.key)
        self.offsets.append(self.size)
        for suffix, content in files_of(sample.components):
            header = header_of(f"{key}.{suffix}".encode(), len(content))
            pieces = [header, content, padding(len(content))]
            self.file.write(pieces)
            self.size += sum(map(len, pieces))
        self.samples += 1

    def finish(self) -> ShardInfo:
        self.file.write([CLOSING])
        return super().finish()


def _is_tar(head: bytes, _: Storage) -> bool:
    try:
        return len(head) >= BLOCK and any(head[:BLOCK]) and bool(parse_header(head[:BLOCK]).name)
    except TarError:
        return False


def _indexed(file: str) -> tuple[Storage, Callable[[], int]]:
    storage = open_storage(file)
    return storage, lambda: len(index_archive(storage))


ROW = DatasetFormat(
    "webdataset",
    "WebDataset archives",
    WebDatasetSamples,
    WebDatasetWriter,
    recognize=_is_tar,
    companions=(".idx",),
    endings=(".tar",),
    index=_indexed,
)
