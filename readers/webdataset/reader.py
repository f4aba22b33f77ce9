"""Samples in tar archives: `fn.readers.webdataset` and its storage."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError, SourceError
from ...engine.graph.operator import Array, register
from ...engine.graph.params import BOOL, DTYPES, REQUIRED, STR, STRS, param
from ...engine.suggestions import unknown
from ...engine.tensors.dtypes import to_numpy_type
from ..archives.tar import BLOCK, header_fits, headers_fit
from ..listing.path_patterns import expand_paths
from ..record_reader import RecordReader
from ..source import Allocate, Column, checked_indices
from ..storage.opening import open_storages
from ..storage.read_plan import Int64s
from ..storage.records import RecordFiles, Records, windows
from ..storage.storage import Storage, cut
from .index import ArchiveIndex, check_ends, index_archive, read_dali_index

_ALIGNMENT = 64
"""Components start at multiples of 64 bytes in memory, so arrays of any dtype can be views."""

_MISSING = ("empty", "skip", "error")


@dataclass(frozen=True)
class Archive:
    """A tar file, its index, and the components that are read.

    Attributes:
        chosen: for each sample that is read and each output, the component, or -1:
            int64 (samples, outputs).
        numbers: number in the index of each sample that is read.
    """

    storage: Storage
    index: ArchiveIndex
    chosen: Int64s
    numbers: Int64s


class WebDatasetSource:
    """Samples of tar archives; a sample has one array for each output."""

    def __init__(
        self, archives: Sequence[Archive], dtypes: Sequence[np.dtype[Any]], *, doubtful: bool
    ) -> None:
        """Take the archives and the outputs' types.

        Args:
            archives: at least one.
            dtypes: of each output, whose elements its bytes are.
            doubtful: whether to compare an archive with its index when components are read.
        """
        self._dtypes = tuple(dtypes)
        self._doubtful = doubtful
        self._lead = BLOCK if doubtful else 0
        self._archives = tuple(archives)
        counts = [len(archive.numbers) for archive in archives]
        self._firsts: Int64s = np.cumsum([0, *counts], dtype=np.int64)
        placed = [_extents(archive, self._lead) for archive in archives]
        self._files = RecordFiles([a.storage for a in archives], [extents for extents, _ in placed])
        self._sizes: Int64s = np.concatenate([sizes for _, sizes in placed])
        self._compared = np.zeros(len(self._sizes), np.bool_)

    def __len__(self) -> int:
        return int(self._firsts[-1])

    def read(self, indices: NDArray[np.int64], allocate: Allocate) -> tuple[Column, ...]:
        """Return one column an output: arrays (size,) of its type, empty where one is missing.

        Raises:
            IndexError: an index is negative or not below `len(self)`.
            OSError: an archive cannot be read. SourceError if a component's size is no
                multiple of its type's, or an index does not fit its archive.
        """
        outputs = len(self._dtypes)
        samples = checked_indices(indices, len(self))[:, np.newaxis]
        rows = (samples * outputs + np.arange(outputs)).reshape(-1)
        records = self._files.read(rows, allocate)
        sizes = self._sizes[rows]
        if self._doubtful:
            self._compare(records, sizes, rows)
        starts = records.starts + self._lead
        columns: list[Column] = []
        for output, dtype in enumerate(self._dtypes):
            own = slice(output, None, outputs)
            views: list[NDArray[Any]] = list(cut(records.block, starts[own], sizes[own]))
            if dtype != np.uint8:
                self._check_sizes(sizes[own], dtype, rows[own])
                views = [view.view(dtype) for view in views]
            columns.append(views)
        return tuple(columns)

    def _compare(self, records: Records, sizes: Int64s, rows: Int64s) -> None:
        """Raise SourceError unless each component is preceded by its header, the first time."""
        present = np.flatnonzero((records.lengths > 0) & ~self._compared[rows])
        if not len(present):
            return
        starts = records.starts[present]
        headers = windows(records.block, f"V{BLOCK}")[starts].view(np.uint8).reshape(-1, BLOCK)
        for i in np.flatnonzero(~headers_fit(headers, sizes[present])).tolist():
            if not header_fits(headers[i].tobytes(), int(sizes[present[i]])):
                raise SourceError(
                    f"{self._where_component(int(rows[present[i]]))}: no file of "
                    f"{sizes[present[i]]} bytes is there; the index file belongs to another "
                    "archive, or to an archive with PAX headers, which wds2idx places wrongly. "
                    "Without index_paths, an index is made"
                )
        self._compared[rows[present]] = True

    def _check_sizes(self, sizes: Int64s, dtype: np.dtype[Any], rows: Int64s) -> None:
        for i in np.flatnonzero(sizes % dtype.itemsize).tolist():
            raise SourceError(
                f"{self._where_component(int(rows[i]))}: {sizes[i]} bytes are no multiple of "
                f"{dtype.itemsize}, as elements of {dtype.name} need"
            )

    def where(self, index: int) -> str:
        """Return archive, number of the sample in it (from 0), key, and offset."""
        checked_indices(np.array([index]), len(self))
        return self._where(index, slice(None))

    def _where_component(self, row: int) -> str:
        index, output = divmod(row, len(self._dtypes))
        return self._where(index, slice(output, output + 1))

    def _where(self, index: int, outputs: slice) -> str:
        number = int(np.searchsorted(self._firsts, index, "right")) - 1
        archive, row = self._archives[number], index - self._firsts[number]
        sample = int(archive.numbers[row])
        components = archive.chosen[row, outputs]
        offsets = archive.index.offsets[components[components >= 0]]
        offset = f", offset {offsets.min()}" if len(offsets) else ""
        key = os.fsdecode(archive.index.keys[sample])
        return f"{archive.storage.name}, sample {sample} {key!r}{offset}"

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
    case_sensitive: bool = True,
    extension_dot: str = "first",
    storage_options: Mapping[str, Any] | None = None,
) -> WebDatasetSource:
    """Open WebDataset archives; the arguments are those of `fn.readers.webdataset`.

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
    types = [to_numpy_type(dtype) for dtype in dtypes] or [np.dtype(np.uint8)] * len(ext)
    if len(types) != len(ext) or not ext:
        raise ArgumentError(
            f"fn.readers.webdataset: {len(types)} dtypes for {len(ext)} outputs; `ext` and "
            "`dtypes` must have an entry each for every output"
        )
    if np.dtype(np.bool_) in types:
        raise ArgumentError("fn.readers.webdataset: bytes cannot be taken for BOOL, but for UINT8")
    storages = open_storages(paths, storage_options)
    if index_paths:
        listed = open_storages(index_paths, storage_options)
        indexes = [read_dali_index(*pair) for pair in zip(listed, storages, strict=True)]
        check_ends(storages, indexes)
    else:
        indexes = [index_archive(storage, extension_dot) for storage in storages]
    groups = [_group(entry, case_sensitive) for entry in ext]
    archives = []
    for storage, index in zip(storages, indexes, strict=True):
        chosen = _choose(index, groups, case_sensitive)
        numbers = _samples(storage, index, chosen, ext, missing)
        archives.append(Archive(storage, index, chosen[numbers], numbers))
    _check_extensions(archives, ext)
    return WebDatasetSource(archives, types, doubtful=bool(index_paths))


def _group(entry: str, case_sensitive: bool) -> frozenset[bytes]:
    names = os.fsencode(entry).split(b";")
    return frozenset(names if case_sensitive else map(bytes.lower, names))


def _choose(
    index: ArchiveIndex, groups: Sequence[frozenset[bytes]], case_sensitive: bool
) -> Int64s:
    """Return the component for each sample and output: the first that matches, or -1."""
    extensions: Iterable[bytes] = index.extensions
    if not case_sensitive:
        extensions = [extension.lower() for extension in extensions]
    extensions = list(extensions)
    sample_of = np.repeat(np.arange(len(index)), np.diff(index.firsts))
    chosen = np.full((len(index), len(groups)), -1, np.int64)
    for output, group in enumerate(groups):
        wanted = np.array([extension in group for extension in extensions], np.bool_)
        found = np.flatnonzero(wanted[index.extension_numbers])[::-1]
        chosen[sample_of[found], output] = found  # the last assignment stays: the first file
    return chosen


def _samples(
    storage: Storage, index: ArchiveIndex, chosen: Int64s, ext: Sequence[str], missing: str
) -> Int64s:
    """Return the numbers of the samples to read."""
    lacking = chosen < 0
    if missing == "empty":
        return np.arange(len(index))
    if missing == "error" and lacking.any():
        sample, output = np.argwhere(lacking)[0].tolist()
        stored = ", ".join(index.extensions_of(sample)) or "none"
        raise SourceError(
            f"{storage.name}, sample {sample} {os.fsdecode(index.keys[sample])!r} has no component "
            f"{ext[output]!r}; it has {stored}. "
            "missing_component_behavior='skip' leaves out such samples, 'empty' gives empty arrays"
        )
    return np.flatnonzero(~lacking.any(axis=1))


def _check_extensions(archives: Sequence[Archive], ext: Sequence[str]) -> None:
    """Raise SourceError if there is no sample; warn of outputs that no sample has."""
    stored = {os.fsdecode(name) for archive in archives for name in archive.index.extensions}
    name = f"{archives[0].storage.name}{' ...' * (len(archives) > 1)}"
    if not any(len(archive.numbers) for archive in archives):
        wanted = " and ".join(map(repr, ext))
        raise SourceError(
            f"{name}: no sample has the components {wanted}; the extensions are {_listed(stored)}"
        )
    for output, entry in enumerate(ext):
        if not any((archive.chosen[:, output] >= 0).any() for archive in archives):
            warnings.warn(
                f"{name}: all arrays of this output are empty, because no sample has a component "
                f"{unknown(entry, stored)} (the extensions are {_listed(stored)})",
                stacklevel=2,
            )


def _listed(extensions: set[str]) -> str:
    return ", ".join(sorted(extensions)[:20]) or "none"


@register
class WebDataset(RecordReader):
    """Reads samples from tar archives of the WebDataset format.

    Files that follow one another and agree in folder and name up to the first dot are the
    components of a sample; the rest of the name is the extension. Where several components of
    a sample match an output, the first one counts. Files whose names start with a dot are left
    out. v7, ustar, PAX and GNU archives are read, sparse files and compressed archives are not.

    On four cores and more, processes of the reader's own read local files after a fifth of a second
    of reading, unless the pipeline has `exec_processes=False`.

    Outputs:
        for each entry of `ext`, the component's bytes: of the type in `dtypes`, shape (size,).

    Raises:
        SourceError: an archive is damaged, or its index belongs to another one.
        OSError: an archive cannot be read (see `on_error` of the pipeline).
    """

    name = "readers.webdataset"
    aliases = ("webdataset_reader",)

    paths = param(
        STRS,
        REQUIRED,
        "Paths of the archives. Braces ('shard-{000..127}.tar'), globs and folders stand for the "
        "files that they name.",
    )
    ext = param(
        STRS,
        REQUIRED,
        "An entry for each output: extensions, separated by ';', such as 'jpg;jpeg;png'. They may "
        "hold dots.",
    )
    index_paths = param(
        STRS,
        None,
        "Index files of DALI (v1.1 or v1.2), one for each archive. Without them the archives are "
        "scanned, and the result is kept beside the file, or in the user's cache folder, for the "
        "next time.",
    )
    missing_component_behavior = param(
        STR,
        "empty",
        "What to do with a sample that has no component for an output: 'empty' gives an empty "
        "array, 'skip' leaves the sample out, 'error' raises.",
    )
    dtypes = param(
        DTYPES, None, "Types that the outputs' bytes are taken for, one each; by default UINT8."
    )
    case_sensitive_extensions = param(BOOL, True, "Whether `ext` distinguishes case (of ASCII).")
    extension_dot = param(
        STR,
        "first",
        "Which dot of a file's name the extension starts behind: the 'first' or the 'last'. Index "
        "files of DALI always mean the first.",
    )

    def prepare(self) -> None:
        super().prepare()
        self._missing = self.missing_component_behavior.lower() or "empty"
        if self._missing not in _MISSING:
            raise ArgumentError(
                "fn.readers.webdataset: missing_component_behavior must be one of "
                f"{', '.join(map(repr, _MISSING))}, but is {self.missing_component_behavior!r}"
            )

    def num_outputs(self) -> int:
        return len(self.ext)

    def open_source(self) -> WebDatasetSource:
        return open_archives(
            expand_paths(self.paths, "*.tar"),
            self.ext,
            index_paths=expand_paths(self.index_paths or (), "*.idx"),
            missing=self._missing,
            dtypes=self.dtypes or (),
            case_sensitive=self.case_sensitive_extensions,
            extension_dot=self.extension_dot,
            storage_options=self.storage_options,
        )

    def placeholder(self) -> tuple[Array, ...]:
        dtypes = self.dtypes or (np.uint8,) * len(self.ext)
        return tuple(np.empty(0, to_numpy_type(dtype)) for dtype in dtypes)
