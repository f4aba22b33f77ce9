"""WebDataset: the components of a sample are files of a tar archive."""

from __future__ import annotations

import os
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...readers.storage.opening import open_storages
from ...readers.storage.read_plan import Int64s
from ...readers.storage.records import RecordFiles
from ...readers.webdataset.index import index_archive
from ..component_files import components_of, unquoted_key
from ..sample import Sample
from .base import Location, StoredSamples, grouped_rows, joined


class WebDatasetSamples(StoredSamples):
    """The samples of tar archives."""

    def __init__(self, location: Location) -> None:
        self._location = location
        files = [path for path in location.files if path.endswith(".tar")] or location.files
        self._used = files
        storages = open_storages(files, location.options)
        self._indexes = [index_archive(storage) for storage in storages]
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

    def __len__(self) -> int:
        return int(self._samples[-1])

    def read(self, indices: NDArray[np.int64]) -> list[Sample]:
        """See `StoredSamples.read`."""
        rows = joined(grouped_rows(self._firsts, indices))
        contents = iter(self._members.read(rows, np.empty).views())
        samples = []
        for index in indices.tolist():
            key, suffixes = self._names(index)
            components = components_of(suffixes, contents, partial(self.where, index))
            samples.append(Sample(key, components))
        return samples

    def _names(self, index: int) -> tuple[str, list[str]]:
        number = int(np.searchsorted(self._samples, index, "right")) - 1
        archive, row = self._indexes[number], index - int(self._samples[number])
        key = os.fsdecode(archive.keys[row])
        is_quoted = self._location.manifest is not None
        return unquoted_key(key) if is_quoted else key, archive.extensions_of(row)

    def where(self, index: int) -> str:
        """Return archive, number of the first component's file, and offset."""
        return self._members.where(int(self._firsts[index]))

    @property
    def left_out(self) -> dict[str, int]:
        """See `StoredSamples.left_out`."""
        others = len(self._location.files) - len(self._used)
        return {"other files": others} if others else {}

    def files(self) -> list[str]:
        """See `StoredSamples.files`."""
        return list(self._location.files)

    def close(self) -> None:
        """See `StoredSamples.close`."""
        self._members.close()
