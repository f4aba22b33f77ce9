"""Samples of LMDB databases whose keys are names of files: `cat.cls` and `cat.jpg` are one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..archives.tar import Member
from ..archives.tar_index import ArchiveIndex, group
from ..source import Allocate, Column
from ..storage.damage import STRICT, Damages
from ..storage.index_cache import Arrays
from ..storage.strings import StringTable
from ..webdataset.choosing import Archive, ComponentOutput, chosen_archives
from ..webdataset.source import ComponentSource
from .files import open_databases, refuse_change
from .format import Snapshot


class LMDBComponentSource(ComponentSource):
    """The components of samples; a database that is written to meanwhile is refused."""

    def __init__(
        self,
        archives: Sequence[Archive],
        outputs: Sequence[ComponentOutput],
        snapshots: Sequence[Snapshot],
        *,
        keys: bool,
    ) -> None:
        """Take the databases with their states; `keys` adds the samples' keys as a column."""
        super().__init__(archives, outputs)
        self._snapshots = tuple(snapshots)
        self._with_keys = keys

    def read(self, indices: NDArray[np.int64], allocate: Allocate) -> tuple[Column, ...]:
        """See `ComponentSource.read`. SourceError if a database has been changed."""
        columns = super().read(indices, allocate)
        for number in np.unique(self.archives_of(indices)).tolist():
            refuse_change(self._archives[number].storage, self._snapshots[number])
        if self._with_keys:
            keys = [np.frombuffer(self.key(index), np.uint8) for index in indices.tolist()]
            columns += (keys,)
        return columns


def open_components(
    paths: Sequence[str],
    ext: Sequence[str],
    outputs: Sequence[ComponentOutput],
    *,
    database: str | None = None,
    missing: str = "empty",
    keys: bool = False,
    options: Mapping[str, object] | None = None,
    damages: Damages = STRICT,
) -> LMDBComponentSource:
    """Open databases; the arguments are those of `fn.readers.lmdb`, and what takes the damages.

    Raises:
        SourceError: see `LMDBFiles`; or a sample lacks a component although `missing` is "error",
            or there is no sample.
        OSError: a file cannot be read.
    """
    storages, snapshots, indexes = open_databases(paths, database, options, damages, grouped=True)
    grouped = [_grouped(index) for index in indexes]
    archives = chosen_archives(storages, grouped, ext, missing)
    return LMDBComponentSource(archives, outputs, snapshots, keys=keys)


def _grouped(index: Arrays) -> ArchiveIndex:
    offsets, lengths, keys, bounds = index
    names = StringTable.from_arrays(keys, bounds)
    extents = zip(names, offsets.tolist(), lengths.tolist(), strict=True)
    return group((Member(*extent) for extent in extents), "first")
