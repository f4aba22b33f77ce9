"""The data of a field, cut by cut: pairs of a data file and its manifest in tar archives."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import numpy as np

from ...engine.arrays import Int64s
from ...engine.errors import SourceError
from ..archives.tar_index import ArchiveIndex, index_archive
from ..source import Allocate, Column
from ..storage.damage import STRICT, Damages
from ..storage.records import RecordFiles
from ..storage.storage import Storage
from .folder import SharShard, check_pairs

NO_DATA, NO_META, META, LILCOM = "nodata", "nometa", "json", "llc"
_NONE, _LOST = -1, -2  # in place of records: a cut without the field, and one behind a damage


class FieldData:
    """The data files of one field, for each cut of a data set.

    Attributes:
        name: of the field.
        extensions: of each cut's data file; "" where there is none.
    """

    def __init__(
        self,
        name: str,
        shards: Sequence[SharShard],
        ids: Sequence[Sequence[str]],
        options: Mapping[str, object] | None = None,
        damages: Damages = STRICT,
    ) -> None:
        """Open the archives of all shards.

        Args:
            name: of the field.
            shards: of the data set.
            ids: of the cuts of each shard.
            options: `Reader.storage_options`, for URLs.
            damages: takes what is wrong with the archives.

        Raises:
            SourceError: pairs and cuts differ, the field is compressed by lilcom, or an archive
                holds something else than pairs.
        """
        self.name = name
        self.extensions: list[str] = []
        self._damage: dict[int, str] = {}  # by the first cut that is lost
        paths = [shard.fields[name] for shard in shards]
        opened = damages.open(paths, options)
        extents: list[tuple[Int64s, Int64s]] = []
        storages: list[Storage] = []
        records: list[int] = []
        first = 0
        for number, own in enumerate(ids):
            storage = opened.get(number)
            known = len(damages.found)
            index = None if storage is None else index_archive(storage, "last", damages)
            whole = index is not None and len(damages.found) == known
            kept, placed = [_LOST] * len(own), ["" for _ in own]
            if storage is not None and index is not None:
                pairs = _pairs(storage.name, index)
                found = [os.fsdecode(key) for key in index.keys]
                counted = own if whole else own[: len(found)]
                check_pairs(storage.name, found, shards[number].cuts, counted)
                for row, (component, extension) in enumerate(pairs):
                    kept[row] = _NONE if component < 0 else first + component
                    placed[row] = extension
                storages.append(storage)
                extents.append((index.offsets, index.sizes))
                first += len(index.offsets)
            if not whole:
                self._damage[len(records)] = damages.found[-1].reason
            records += kept
            self.extensions += placed
        self._records: Int64s = np.array(records, np.int64)
        self._files = RecordFiles(storages, extents) if storages else None

    def has(self, index: int) -> bool:
        """Return whether a cut has the field."""
        return bool(self._records[index] >= 0)

    def read(self, indices: Int64s, allocate: Allocate) -> Column:
        """Return the data files of cuts that have the field, uint8 (size,) each.

        Raises:
            SourceError: a cut has no data, or they are lost.
        """
        records = self._records[indices]
        for index in indices[records < 0].tolist():
            raise SourceError(self._missing(index))
        assert self._files is not None
        return self._files.read(records, allocate).views()

    def _missing(self, index: int) -> str:
        if self._records[index] == _NONE:
            return f"cut {index} has no data of the field {self.name!r} (.{NO_DATA})"
        starts = [start for start in self._damage if start <= index]
        return f"cut {index}: {self._damage[max(starts)]}"

    def is_lost(self, index: int) -> bool:
        """Return whether the data of a cut lie behind a damage."""
        return bool(self._records[index] == _LOST)

    def where(self, index: int) -> str:
        """Return where the data of a cut lie."""
        if not self.has(index) or self._files is None:
            return self._missing(index)
        return self._files.where(int(self._records[index]))

    def close(self) -> None:
        """Release the files."""
        if self._files is not None:
            self._files.close()


def _pairs(name: str, index: ArchiveIndex) -> list[tuple[int, str]]:
    """Return the data file of each cut, or -1, and its extension."""
    pairs = []
    for row in range(len(index)):
        extensions = index.extensions_of(row)
        if len(extensions) != 2 or extensions[1] not in (META, NO_META):
            raise SourceError(
                f"{name}, sample {row} {os.fsdecode(index.keys[row])!r}: expected a data file and "
                f"its .{META}, as Shar has them, but found {', '.join(extensions)}"
            )
        extension = extensions[0]
        if extension == LILCOM:
            raise SourceError(
                f"{name}: features are compressed by lilcom (.{LILCOM}), which is not read; write "
                "them by lhotse with fields={'features': 'numpy'}"
            )
        is_there = extension != NO_DATA
        pairs.append((int(index.firsts[row]), extension) if is_there else (-1, ""))
    return pairs
