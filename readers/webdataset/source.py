"""Samples whose components are byte ranges of files: the storage of `fn.readers.webdataset`.

The same source reads the components in LMDB databases, whose keys are names of files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Bytes, Int64s
from ...engine.errors import ArgumentError, DecodeError, SourceError
from ..archives.tar import BLOCK, header_fits, headers_fit
from ..archives.tar_index import ArchiveIndex, index_archive
from ..source import Allocate, Column, checked_indices
from ..storage.damage import STRICT, Damages
from ..storage.index_cache import forget_index
from ..storage.kept import KeptObject, Room
from ..storage.opening import open_storage
from ..storage.records import RecordFiles, Records, windows
from ..storage.storage import Storage, cut
from .choosing import (
    Archive,
    ComponentOutput,
    chosen_archives,
    outputs_of,
    warn_of_missing,
    without,
)
from .dali_index import check_ends, read_dali_index
from .shards import UNKNOWN, check_count
from .text_numbers import parsed, parsed_one

_ALIGNMENT = 64
"""Components start at multiples of 64 bytes in memory, so arrays of any dtype can be views."""


_OF_ANOTHER = (
    "the index file belongs to another archive, or to an archive with PAX headers, which wds2idx "
    "places wrongly. Without index_paths, an index is made"
)
_CHANGED = (
    "the archive is damaged there, or was changed since it was indexed: make the pipeline anew, "
    "which makes the index anew"
)


class ComponentSource:
    """Samples of archives; a sample has one array for each output."""

    def __init__(
        self,
        archives: Sequence[Archive],
        outputs: Sequence[ComponentOutput],
        *,
        has_headers: bool = False,
        index_again: Callable[[Storage], ArchiveIndex] | None = None,
    ) -> None:
        """Take the archives and the outputs.

        Args:
            archives: archives to read; at least one.
            outputs: rule for each output's components, in the order of `Archive.chosen`.
            has_headers: whether the header of a tar archive is before each component; it is read
                and compared.
            index_again: makes the index of an archive that does not fit it; None for an index that
                was given.
        """
        self._outputs = tuple(outputs)
        self._index_again = index_again
        self._made_again: dict[str, ArchiveIndex] = {}
        self._lead = BLOCK if has_headers else 0
        self._archives = tuple(archives)
        counts = [len(archive.numbers) for archive in archives]
        self._firsts: Int64s = np.cumsum([0, *counts], dtype=np.int64)
        placed = [_extents(archive, self._lead) for archive in archives]
        self._files = RecordFiles([a.storage for a in archives], [extents for extents, _ in placed])
        self._sizes: Int64s = np.concatenate([sizes for _, sizes in placed])
        self._compared = np.zeros(len(self._sizes), np.bool_)

    @classmethod
    def joined(cls, sources: Sequence[ComponentSource]) -> ComponentSource:
        """Return the samples of several sources of the same outputs, end to end."""
        first = sources[0]
        return cls(
            [archive for source in sources for archive in source._archives],
            first._outputs,
            has_headers=bool(first._lead),
            index_again=first._index_again,
        )

    def __len__(self) -> int:
        return int(self._firsts[-1])

    def read(self, indices: NDArray[np.int64], allocate: Allocate) -> tuple[Column, ...]:
        """Return one column an output: arrays (size,) of its type, empty where one is missing.

        Raises:
            IndexError: an index is negative or not below `len(self)`.
            OSError: an archive cannot be read. SourceError if a component's size is no
                multiple of its type's, or an index does not fit its archive.
            DecodeError: a text that stands for a number is none.
        """
        outputs = len(self._outputs)
        samples = checked_indices(indices, len(self))[:, np.newaxis]
        rows = (samples * outputs + np.arange(outputs)).reshape(-1)
        records = self._files.read(rows, allocate)
        sizes = self._sizes[rows]
        if self._lead:
            self._compare(records, sizes, rows)
        starts = records.starts + self._lead
        parts = [slice(output, None, outputs) for output in range(outputs)]
        return tuple(
            self._column(output, records.block, starts[part], sizes[part], rows[part])
            for output, part in zip(self._outputs, parts, strict=True)
        )

    def _column(
        self, output: ComponentOutput, block: Bytes, starts: Int64s, sizes: Int64s, rows: Int64s
    ) -> Column:
        dtype = output.dtype
        if output.is_text:
            numbers = parsed(block, starts, sizes, dtype)
            if numbers is not None:
                return numbers
        views: list[NDArray[Any]] = list(cut(block, starts, sizes))
        if dtype == np.uint8:
            return views
        if not (output.is_text or (sizes % dtype.itemsize).any() or (starts % _ALIGNMENT).any()):
            return [view.view(dtype) for view in views]
        return [
            self._elements(output, view, row)
            for view, row in zip(views, rows.tolist(), strict=True)
        ]

    def _elements(self, output: ComponentOutput, content: Bytes, row: int) -> NDArray[Any]:
        """Return the elements of a component, or the number that is written there."""
        if output.is_text and (content.size or self._holds(row)):
            try:
                value = parsed_one(content, output.dtype)
            except DecodeError as error:
                raise DecodeError(f"{self._where_component(row)}: {error}") from None
            if value is not None:
                return value
        if content.size % output.dtype.itemsize:
            raise SourceError(
                f"{self._where_component(row)}: {content.size} bytes are no multiple of "
                f"{output.dtype.itemsize}, as elements of {output.dtype.name} need"
            )
        elements = content.view(output.dtype)
        return elements if elements.flags.aligned else elements.copy()

    def _holds(self, row: int) -> bool:
        """Return whether a sample has a component, which may be empty."""
        index, output = divmod(row, len(self._outputs))
        archive, sample = self._located(index)
        return bool(archive.chosen[sample, output] >= 0)

    def _compare(self, records: Records, sizes: Int64s, rows: Int64s) -> None:
        """Raise SourceError unless each component is preceded by its header, the first time."""
        present = np.flatnonzero((records.lengths > 0) & ~self._compared[rows])
        if not len(present):
            return
        starts = records.starts[present]
        headers = windows(records.block, f"V{BLOCK}")[starts].view(np.uint8).reshape(-1, BLOCK)
        for i in np.flatnonzero(~headers_fit(headers, sizes[present])).tolist():
            row = int(rows[present[i]])
            fits = header_fits(headers[i].tobytes(), int(sizes[present[i]]))
            if not fits and not self._is_there(row):
                raise SourceError(
                    f"{self._where_component(row)}: no file of {sizes[present[i]]} bytes is there; "
                    + (_OF_ANOTHER if self._index_again is None else _CHANGED)
                )
        self._compared[rows[present]] = True

    def _is_there(self, row: int) -> bool:
        """Return whether a component is where its index says, by an index that is made anew.

        The header of a component may tell another size than a PAX header before it.
        """
        if self._index_again is None:
            return False
        sample, output = divmod(row, len(self._outputs))
        archive, number = self._located(sample)
        again = self._made_again.get(archive.storage.name)
        if again is None:
            forget_index(archive.storage)
            again = self._made_again[archive.storage.name] = self._index_again(archive.storage)
        component = int(archive.chosen[number, output])
        offset, size = archive.index.offsets[component], archive.index.sizes[component]
        return bool(((again.offsets == offset) & (again.sizes == size)).any())

    @property
    def counts(self) -> Int64s:
        """Samples of each archive: int64 (archives,)."""
        return np.diff(self._firsts)

    def warn_of_missing(self, ext: Sequence[str]) -> None:
        """Warn of samples that lack a component of `ext` which others have."""
        warn_of_missing(self._archives, ext)

    def where(self, index: int) -> str:
        """Return archive, number of the sample in it (from 0), key, and offset."""
        checked_indices(np.array([index]), len(self))
        return self._where(index, slice(None))

    def source_info(self, index: int, output: int = 0) -> str:
        """Return where an output's component is, as DALI does: "ARCHIVE:OFFSET:MEMBER".

        A component that a sample lacks has no name.
        """
        checked_indices(np.array([index]), len(self))
        archive, row = self._located(index)
        component = int(archive.chosen[row, output])
        if component < 0:
            return ""
        extension = archive.index.extensions[int(archive.index.extension_numbers[component])]
        key = archive.index.keys[int(archive.numbers[row])]
        member = os.fsdecode(b".".join((key, extension)) if key else b"")
        return f"{archive.storage.name}:{archive.index.offsets[component]}:{member}"

    def _where_component(self, row: int) -> str:
        index, output = divmod(row, len(self._outputs))
        return self._where(index, slice(output, output + 1))

    def _where(self, index: int, outputs: slice) -> str:
        archive, row = self._located(index)
        sample = int(archive.numbers[row])
        components = archive.chosen[row, outputs]
        offsets = archive.index.offsets[components[components >= 0]]
        offset = f", offset {offsets.min()}" if len(offsets) else ""
        key = os.fsdecode(archive.index.keys[sample])
        return f"{archive.storage.name}, sample {sample} {key!r}{offset}"

    def key(self, index: int) -> bytes:
        """Return the key of sample `index`."""
        archive, row = self._located(index)
        return archive.index.keys[int(archive.numbers[row])]

    def archives_of(self, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of the archive of each sample."""
        archives: NDArray[np.int64] = np.searchsorted(self._firsts, indices, "right") - 1
        return archives

    def _located(self, index: int) -> tuple[Archive, int]:
        (archive,) = self.archives_of(np.array([index])).tolist()
        return self._archives[archive], index - int(self._firsts[archive])

    def close(self) -> None:
        """Release the files; a later `read` opens them again."""
        self._files.close()


def _extents(archive: Archive, lead: int) -> tuple[tuple[Int64s, Int64s], Int64s]:
    """Return offsets and lengths to read, and the sizes of the components themselves."""
    wanted = archive.chosen.reshape(-1)
    there = wanted >= 0
    offsets, sizes = np.zeros((2, len(wanted)), np.int64)
    offsets[there] = archive.index.offsets[wanted[there]] - lead
    sizes[there] = archive.index.sizes[wanted[there]]
    lengths = np.where(there, (sizes + lead + _ALIGNMENT - 1) // _ALIGNMENT * _ALIGNMENT, 0)
    # A whole archive ends with whole blocks, but an index of DALI may tell of another one.
    return (offsets, np.minimum(lengths, archive.storage.size - offsets)), sizes


def open_archives(
    paths: Sequence[str],
    ext: Sequence[str],
    *,
    index_paths: Sequence[str] = (),
    missing: str = "empty",
    dtypes: Sequence[Any] = (),
    case_sensitive: bool | None = None,
    extension_dot: str = "first",
    storage_options: Mapping[str, Any] | None = None,
    damages: Damages = STRICT,
    counts: Sequence[int] = (),
    excluded: Sequence[frozenset[bytes]] = (),
    told_by: str = "",
    largest: int = UNKNOWN,
    opened: Mapping[int, Storage] | None = None,
) -> ComponentSource:
    """Open WebDataset archives; the arguments are those of `fn.readers.webdataset`.

    Args:
        paths, ext, index_paths, missing, dtypes, case_sensitive, extension_dot, storage_options:
            see there.
        damages: takes what is wrong with the archives.
        counts: samples of each archive as `told_by` says: see `Shards`; () for unknown ones.
        excluded: keys of the samples of each archive that are left out.
        told_by: who told the counts.
        largest: samples of the last archive at most.
        opened: the archives by number, if they are open.

    Raises:
        ArgumentError: the numbers of files or types do not fit, or a value is unknown.
        OSError: a file cannot be read. SourceError if it is damaged, a sample lacks a
            component although `missing` is "error", or there is no sample.
    """
    if not paths or (index_paths and len(index_paths) != len(paths)):
        raise ArgumentError(
            f"fn.readers.webdataset: {len(paths)} paths and {len(index_paths)} index_paths; there "
            "must be a path, and an index each or none at all"
        )
    outputs = outputs_of("fn.readers.webdataset", ext, dtypes)
    opened = damages.open(paths, storage_options) if opened is None else opened
    listed = {id(archive): index_paths[n] for n, archive in opened.items() if index_paths}

    def index_of(archive: Storage) -> ArchiveIndex:
        if not listed:
            return index_archive(archive, extension_dot, damages)
        stored = open_storage(listed[id(archive)], storage_options)
        index = damages.sound(
            archive.name, lambda: tuple(read_dali_index(stored, archive).to_arrays())
        )
        return ArchiveIndex.from_arrays(*index)

    if not listed:
        opened = kept_objects(opened, until_read=False)
        for archive in opened.values():
            if isinstance(archive, KeptObject):
                archive.begin_walk()
    storages, indexes = damages.each([*opened.values()], index_of)
    damages.require(sum(map(len, indexes)))
    if listed:
        check_ends(storages, indexes, damages)
    number_of = {id(archive): number for number, archive in opened.items()}
    numbers = [number_of[id(archive)] for archive in storages]
    if counts:
        damaged = {damage.name for damage in damages.found}
        for number, archive, index in zip(numbers, storages, indexes, strict=True):
            if archive.name not in damaged:
                most = largest if number == len(paths) - 1 else UNKNOWN
                check_count(archive.name, counts[number], len(index), told_by, most)
    archives = chosen_archives(storages, indexes, ext, missing, case_sensitive=case_sensitive)
    if any(excluded):
        archives = [
            without(archive, excluded[number])
            for number, archive in zip(numbers, archives, strict=True)
        ]
    again = None if listed else partial(sound_index, extension_dot)
    return ComponentSource(archives, outputs, has_headers=True, index_again=again)


def kept_objects(opened: Mapping[int, Storage], *, until_read: bool) -> dict[int, Storage]:
    """Return archives that keep the bytes of a walk, in place of those behind URLs."""
    room = Room(until_read=until_read)
    return {
        number: KeptObject(archive, room) if archive.path is None else archive
        for number, archive in opened.items()
    }


def sound_index(dot: str, archive: Storage) -> ArchiveIndex:
    """Return the index of the sound part of an archive."""
    return index_archive(archive, dot, Damages(leaves_out=True))
