"""Archives that are opened when one of their samples is first needed.

The order of an epoch follows from the number of samples of each archive. So those numbers are
enough to start: an archive without an index is walked when its turn comes, and compared with the
number that was told.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Int64s
from ...engine.errors import PenstockError, SourceError
from ..archives.tar_index import index_archive
from ..source import Allocate, Column, checked_indices, scattered
from ..storage.damage import STRICT, Damages, is_of_data
from ..storage.kept import KeptObject
from ..storage.storage import Storage
from .opener import ArchiveOpener, Front
from .shards import UNKNOWN, Shards, check_count
from .source import ComponentSource, kept_objects

_SPARE = 8
"""A front that is fetched alone has this part of its samples more."""


class WalkedSource:
    """Samples of archives of which the numbers of samples are known, and nothing else."""

    def __init__(
        self,
        objects: Sequence[KeptObject],
        counts: Sequence[int],
        open_one: ArchiveOpener,
        told_by: str,
    ) -> None:
        """Take the archives, the samples of each, what opens one, and who told the numbers."""
        self._objects = tuple(objects)
        self.counts: Int64s = np.array(counts, np.int64)
        self._firsts: Int64s = np.cumsum([0, *counts], dtype=np.int64)
        self._open_one = open_one
        self._told_by = told_by
        self._reset()

    def _reset(self) -> None:
        self._sources: list[ComponentSource | None] = [None] * len(self._objects)
        self._fronts: dict[int, Front] = {}
        self._turn = threading.Lock()
        self._has_read = False
        self._errors: dict[int, Exception] = {}
        self._attempts = [0] * len(self._objects)
        self._locks = [threading.Lock() for _ in self._objects]
        self._joined: ComponentSource | None = None
        self._followed: deque[set[int]] = deque()
        self._read = np.zeros(len(self._objects), np.int64)

    def __len__(self) -> int:
        return int(self._firsts[-1])

    def read(self, indices: NDArray[np.int64], allocate: Allocate) -> tuple[Column, ...]:
        """See `ComponentSource.read`; the archives of the samples are opened before.

        Raises:
            SourceError: an archive has another number of samples than was told; both are named.
        """
        indices = checked_indices(indices, len(self))
        if not self._has_read:
            with self._turn:  # no request of others shares the connection with the first batch's
                if not self._has_read:
                    columns = self._read_all(indices, allocate)
                    self._has_read = True
                    return columns
        return self._read_all(indices, allocate)

    def _read_all(self, indices: Int64s, allocate: Allocate) -> tuple[Column, ...]:
        if not len(indices):
            return self._opened(0).read(indices, allocate)
        shards = self._shards_of(indices)
        wanted = sorted(set(shards.tolist()))
        needed = {s: int(indices[shards == s].max() - self._firsts[s]) + 1 for s in wanted}
        for shard, samples in needed.items():
            self._begin(shard, samples if not self._has_read else None)
        if self._joined is not None and len(wanted) > 1:
            columns = self._joined.read(indices, allocate)
            for shard in wanted:
                self._count(shard, int((shards == shard).sum()))
            return columns
        parts: list[tuple[Int64s, tuple[Column, ...]]] = []
        for shard in wanted:
            (rows,) = (shards == shard).nonzero()
            source = self._front(shard, needed[shard]) or self._opened(shard)
            inside = indices[rows] - self._firsts[shard]
            self._check(shard, source, inside)
            parts.append((rows, source.read(inside, allocate)))
            self._count(shard, len(inside))
        if len(parts) == 1:
            return parts[0][1]
        return tuple(
            scattered([(rows, columns[i]) for rows, columns in parts], len(indices), np.empty)
            for i in range(len(parts[0][1]))
        )

    def follow(self, shards: Sequence[int], batches: int) -> None:
        """Take the archives whose samples come next, the first ones first: they are fetched ahead.

        Nothing is fetched before the first batch is there, which comes sooner so. Archives that so
        many batches have not named may give their memory back.
        """
        self._followed.append({*shards})
        while len(self._followed) > batches:
            for shard in self._followed.popleft().difference(*self._followed):
                self._objects[shard].have_read()
        for shard in shards if self._has_read else ():
            self._begin(shard)

    def _begin(self, shard: int, samples: int | None = None) -> None:
        """Start to fetch an archive, or about so many samples of its front."""
        if self._sources[shard] is None:
            kept, count = self._objects[shard], int(self.counts[shard])
            if samples is not None:  # some more, because samples differ in size
                samples += 1 + samples // _SPARE
            kept.begin_walk(None if samples is None else kept.size * samples // count)

    def _front(self, shard: int, samples: int) -> ComponentSource | None:
        """Return the first samples of an archive, so many at least, while others are to come."""
        if self._sources[shard] is not None or not self._objects[shard].is_coming:
            return None
        with self._locks[shard]:
            if shard not in self._fronts:
                self._fronts[shard] = Front(self._open_one, shard, self._objects[shard])
            try:
                return self._fronts[shard].first(samples)
            except (PenstockError, OSError):  # opening the archive tells
                del self._fronts[shard]
        return None

    def _shards_of(self, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        shards: NDArray[np.int64] = np.searchsorted(self._firsts, indices, "right") - 1
        return shards

    def _opened(self, shard: int) -> ComponentSource:
        """Return the samples of an archive; the first call walks the archive."""
        attempts = self._attempts[shard]
        with self._locks[shard]:
            source = self._sources[shard]
            if source is not None:
                return source
            # A fault that may pass counts for all who waited, and each later call tries again.
            if shard in self._errors and (
                is_of_data(self._errors[shard]) or attempts != self._attempts[shard]
            ):
                raise self._errors[shard]
            try:
                self._begin(shard)
                source = self._open(shard, self._fronts.pop(shard, None))
            except (OSError, PenstockError) as error:
                self._errors[shard] = error
                self._attempts[shard] += 1
                self._objects[shard].drop()
                raise
            if not self._is_damaged(shard, source):
                self._errors.pop(shard, None)
            self._sources[shard] = source
        self._join()
        return source

    def _is_damaged(self, shard: int, source: ComponentSource) -> bool:
        return len(source) < int(self.counts[shard])

    def _open(self, shard: int, front: Front | None) -> ComponentSource:
        kept, damages = self._objects[shard], Damages(leaves_out=True)
        source = self._open_one(shard, kept, damages, front)
        told, found = int(self.counts[shard]), len(source)
        if damages.found and found < told:
            self._errors[shard] = SourceError(damages.found[0].reason)
        else:
            check_count(kept.name, told, found, self._told_by)
        return source

    def _count(self, shard: int, rows: int) -> None:
        """Count what is read of an archive, which may give its memory back in the end."""
        with self._locks[shard]:
            self._read[shard] += rows
            is_read = self._read[shard] >= self.counts[shard]
        if is_read:
            self._opened(shard)  # its index is kept
            self._objects[shard].have_read()

    def _check(self, shard: int, source: ComponentSource, inside: NDArray[np.int64]) -> None:
        """Raise the error of a damaged archive for samples that lie behind the damage."""
        if len(inside) and inside.max() >= len(source):
            raise self._errors[shard]

    def _join(self) -> None:
        """Read all archives together once all are open and whole: then requests are joined."""
        sources = [source for source in self._sources if source is not None]
        if len(sources) == len(self._sources) and not self._errors:
            self._joined = ComponentSource.joined(sources)

    def where(self, index: int) -> str:
        """See `ComponentSource.where`; of an archive that is not open, without key and offset."""
        shard, inside, source = self._located(index)
        if source is None:
            return f"{self._objects[shard].name}, sample {inside}"
        return source.where(inside)

    def source_info(self, index: int, output: int = 0) -> str:
        """See `ComponentSource.source_info`; "" for an archive that is not open."""
        _, inside, source = self._located(index)
        return "" if source is None else source.source_info(inside, output)

    def _located(self, index: int) -> tuple[int, int, ComponentSource | None]:
        checked_indices(np.array([index]), len(self))
        (shard,) = self._shards_of(np.array([index])).tolist()
        inside, source = index - int(self._firsts[shard]), self._sources[shard]
        if source is None and (front := self._fronts.get(shard)) is not None:
            source = front.source
        return shard, inside, None if source is None or inside >= len(source) else source

    def names(self) -> list[str]:
        """Return the names of the archives, with the number of samples of each."""
        pairs = zip(self._objects, self.counts.tolist(), strict=True)
        return [f"{kept.name.rpartition('/')[2]}: {count}" for kept, count in pairs]

    def close(self) -> None:
        """Release the archives; a later `read` opens them again."""
        for kept in self._objects:
            kept.close()

    def __getstate__(self) -> tuple[Sequence[KeptObject], list[int], ArchiveOpener, str]:
        return self._objects, self.counts.tolist(), self._open_one, self._told_by

    def __setstate__(
        self, state: tuple[Sequence[KeptObject], list[int], ArchiveOpener, str]
    ) -> None:
        objects, counts, open_one, told_by = state
        type(self).__init__(self, objects, counts, open_one, told_by)


def open_walked(
    shards: Shards,
    archives: Mapping[int, Storage],
    opener: ArchiveOpener,
    damages: Damages = STRICT,
) -> WalkedSource:
    """Return the samples of archives behind URLs of which the numbers of samples are known.

    If the last number is unknown, that archive is walked at once.

    Raises:
        OSError: an archive cannot be read. SourceError if the last one is larger than it may be.
    """
    objects = kept_objects(archives, until_read=True)
    opened = {number: kept for number, kept in objects.items() if isinstance(kept, KeptObject)}
    counts = {number: _left(shards, number) for number in opened}
    last = len(shards.paths) - 1
    if last in opened and shards.counts[last] == UNKNOWN:
        found = len(index_archive(opened[last], opener.extension_dot, damages))
        check_count(opened[last].name, UNKNOWN, found, shards.told_by, shards.largest)
        counts[last] = found
    excluded = tuple(shards.excluded[number] for number in opened)
    opener = replace(opener, excluded=excluded)
    damages.require(sum(counts.values()))
    return WalkedSource([*opened.values()], [*counts.values()], opener, shards.told_by)


def _left(shards: Shards, number: int) -> int:
    return max(0, shards.counts[number] - len(shards.excluded[number]))
