"""The records of several LMDB files as one sequence, for all readers of LMDB."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, Int64s
from ...engine.errors import SourceError
from ..archives.tar_index import split_name
from ..protobuf.columns import SLACK
from ..source import Allocate
from ..storage.damage import STRICT, DamagedFileError, Damages
from ..storage.index_cache import Arrays, are_bounds, cached_index, have_dtypes, lie_inside
from ..storage.records import RecordFiles, Records
from ..storage.storage import Storage
from ..storage.strings import StringTable, joined_bounds
from ..storage.urls import is_url
from .entries import Entries, chosen_entries
from .format import Database, Snapshot, is_unchanged, named_database, read_snapshot
from .tree import read_entries

_DATA = "data.mdb"  # in the folder that LMDB calls the environment

MIN_CACHED_LEAF_PAGES = 2048
"""A tree with as many takes longer to read than a cached index."""


class LMDBFiles:
    """The records of a database in each of several LMDB files, numbered through.

    The records of a file have the order of their keys. Files are read without LMDB's library and
    without its lock file, so read-only file systems, forks and other reading processes do not
    matter. No process may write to a file that is being read; if one does, `read` raises.
    """

    def __init__(
        self,
        paths: Sequence[str],
        database: str | None = None,
        options: Mapping[str, object] | None = None,
        damages: Damages = STRICT,
        *,
        are_files: bool = False,
    ) -> None:
        """Locate all records.

        Args:
            paths: environments: each a folder that holds `data.mdb`, or a file (made with
                `subdir=False`, MDB_NOSUBDIR). A folder of such folders, as `penstock convert`
                writes it, and a pattern stand for all of them, in the order of their names.
            database: name of the database in each; None for the unnamed one.
            options: `Reader.storage_options`, for URLs; that of a folder ends in a slash.
            damages: takes what is wrong with the files.
            are_files: whether keys are names of files, of which several may be a sample; of a
                damaged file, samples that may lack a value are left out.

        Raises:
            SourceError: a file is no LMDB file, is damaged, is being written to, or has no
                such database; or there is no record at all.
            OSError: a file cannot be read.
        """
        opened = open_databases(paths, database, options, damages, grouped=are_files)
        self._storages, self._snapshots, indexes = opened
        self._records = RecordFiles(self._storages, [(index[0], index[1]) for index in indexes])
        if not len(self._records):
            names = ", ".join(storage.name for storage in self._storages)
            raise SourceError(f"{names}: no records in {_described(database)}")
        self._keys = _key_table(indexes)
        counts = [len(index[0]) for index in indexes]
        self._firsts: Int64s = np.cumsum([0, *counts[:-1]], dtype=np.int64)

    def __len__(self) -> int:
        return len(self._records)

    def read(self, indices: NDArray[np.int64], allocate: Allocate) -> Records:
        """Read the values of the records `indices` into one block, with `SLACK` after them.

        Raises:
            IndexError: an index is negative or not below `len(self)`.
            OSError: a file cannot be read. SourceError if it has been changed.
        """
        records = self._records.read(indices, allocate, SLACK)
        # Checked afterwards: the next transaction writes only to pages that this one left free.
        for file in set((self._firsts.searchsorted(indices, "right") - 1).tolist()):
            refuse_change(self._storages[file], self._snapshots[file])
        return records

    def keys(self, indices: NDArray[np.int64], allocate: Allocate) -> list[NDArray[np.uint8]]:
        """Return the keys of records, uint8 (length,) each."""
        keys = self._keys.take(indices)
        bounds = np.cumsum([0, *map(len, keys)]).tolist()
        block = allocate((bounds[-1],), np.uint8)
        block[:] = np.frombuffer(b"".join(keys), np.uint8)
        return [block[start:end] for start, end in pairwise(bounds)]

    @property
    def key_table(self) -> StringTable:
        """The keys of all records."""
        return self._keys

    def where(self, index: int) -> str:
        """Return the file and the key of record `index`."""
        name, _, _ = self._records.position_of(index)
        return f"{name} at key {_text(self._keys[index])}"

    def source_info(self, index: int) -> str:
        """Return path and key of record `index`, as DALI does: "FOLDER at key KEY"."""
        name, _, _ = self._records.position_of(index)
        folder, _, file = name.rpartition("/")
        path = folder if folder and file == _DATA else name
        return f"{path} at key {_text(self._keys[index])}"

    def close(self) -> None:
        """Release the files; a later `read` opens them again."""
        self._records.close()


def first_value(storage: Storage) -> NDArray[np.uint8]:
    """Return the first value of a file's unnamed database.

    Raises:
        SourceError: see `LMDBFiles`.
    """
    read = partial(_index, storage, read_snapshot(storage), None)
    offsets, lengths, *_ = Damages(leaves_out=True).sound(storage.name, read)
    if not len(offsets):
        raise SourceError(f"{storage.name}: no records in {_described(None)}")
    records = RecordFiles([storage], [(offsets[:1], lengths[:1])])
    (value,) = records.read(np.zeros(1, np.int64), np.empty, SLACK).views()
    return value


def open_databases(
    paths: Sequence[str],
    database: str | None,
    options: Mapping[str, object] | None,
    damages: Damages = STRICT,
    *,
    grouped: bool = False,
) -> tuple[list[Storage], list[Snapshot], list[Arrays]]:
    """Open LMDB files; the arguments are those of `LMDBFiles`, whose `are_files` is `grouped`.

    Returns:
        the files, their states, and of each the offsets and lengths of its values, its keys end to
        end, and the bounds of the keys.
    """
    files = [file for path in paths for file in database_files(path)]

    def read(storage: Storage) -> tuple[Snapshot, Arrays]:
        snapshot = read_snapshot(storage)
        index = damages.sound(storage.name, partial(_index, storage, snapshot, database))
        return snapshot, _usable(index, grouped)

    storages, found = damages.each([*damages.open(files, options).values()], read)
    damages.require(sum(len(offsets) for _, (offsets, *_) in found))
    return storages, [snapshot for snapshot, _ in found], [index for _, index in found]


def _usable(index: Arrays, grouped: bool) -> Arrays:
    """Return offsets, lengths, keys and bounds of the samples that are sound."""
    offsets, lengths, keys, bounds, *whole = index
    if not whole or not grouped:
        return offsets, lengths, keys, bounds
    chosen = whole[0].astype(bool)
    return chosen_entries(Entries(offsets, lengths, chosen, keys, bounds), chosen).arrays()


def _index(storage: Storage, snapshot: Snapshot, name: str | None) -> Arrays:
    database = snapshot.main if name is None else _named(storage, snapshot, name)

    def build() -> Arrays:
        entries = read_entries(storage, snapshot, database)
        refuse_change(storage, snapshot)
        if entries.damage is not None:
            reason, offset = entries.damage
            lost = _lost(entries, database)
            if len(entries.offsets):
                entries = _records(entries, storage.name)
            whole = np.asarray(entries.whole, np.uint8)
            sound = (*entries.arrays(), whole)
            # Whether entries are samples is for the caller to say.
            raise DamagedFileError(reason, offset, sound, lost, -1 if len(entries.offsets) else 0)
        return _records(entries, storage.name).arrays()

    if database.leaf_pages < MIN_CACHED_LEAF_PAGES:
        return build()
    kind = f"lmdb 1 transaction {snapshot.transaction} root {database.root}"

    def fits(_: int, *arrays: Array) -> bool:
        offsets, lengths, keys, bounds, *whole = arrays
        return (
            lie_inside(storage, offsets, lengths)
            and all(len(mask) == len(offsets) for mask in whole)
            and len(bounds) == len(offsets) + 1
            and have_dtypes((keys, np.uint8))
            and are_bounds(bounds, len(keys))
        )

    return cached_index(storage, kind, build, fits)


def _lost(entries: Entries, database: Database) -> int:
    """Return how many samples are lost of a damaged database; -1 if samples are several values."""
    names = entries.key_list()[:1]
    is_known = bool(names) and not split_name(names[0], "first")[1]
    return max(0, database.entries - len(entries.offsets)) if is_known else -1


def refuse_change(storage: Storage, snapshot: Snapshot) -> None:
    """Raise SourceError if a local file was written to since its state was read."""
    if storage.path is None:
        return  # an object in remote storage does not change piece by piece
    if not is_unchanged(storage, snapshot):
        raise SourceError(
            f"{storage.name} was written to while it was being read, so values may have "
            "moved: make the reader anew when nobody writes, or read a copy"
        )


def _text(key: bytes) -> str:
    if key.isascii() and (text := key.decode()).isprintable():
        return text
    return repr(key)


def database_files(path: str) -> list[str]:
    """Return the files of the databases that a path stands for; see `LMDBFiles`.

    Raises:
        SourceError: nothing matches a pattern.
    """
    if is_url(path):
        return [path + _DATA if path.endswith("/") else path]
    if not os.path.exists(path) and glob.has_magic(path):
        matches = sorted(glob.glob(path))
        if not matches:
            raise SourceError(f"no file or folder matches the pattern {path!r}")
        return [file for match in matches for file in database_files(match)]
    if not os.path.isdir(path):
        return [path]
    data_file = os.path.join(path, _DATA)
    inside = sorted(glob.glob(os.path.join(glob.escape(path), "*", _DATA)))
    return inside if inside and not os.path.isfile(data_file) else [data_file]


def _described(database: str | None) -> str:
    return "the unnamed database" if database is None else f"the database {database!r}"


def _named(storage: Storage, snapshot: Snapshot, name: str) -> Database:
    """Return the database of that name, an entry of the unnamed database."""
    entries = read_entries(storage, snapshot, snapshot.main)
    if entries.damage is not None:
        raise SourceError(entries.damage[0])
    keys = entries.key_list()
    (numbers,) = np.nonzero(entries.databases)
    names = {_name(keys[record], snapshot): int(record) for record in numbers}
    record = names.get(name)
    if record is None:
        known = ", ".join(map(repr, names)) or "none"
        raise SourceError(f"{storage.name} has no database named {name!r}; it has {known}")
    entry = slice(record, record + 1)
    (content,) = storage.read(entries.offsets[entry], entries.lengths[entry], np.empty)
    return named_database(content.tobytes(), f"{storage.name}, database {name!r}")


def _name(key: bytes, snapshot: Snapshot) -> str:
    if snapshot.layout.padded_keys:  # LMDB 1.0 stores the closing NUL of names
        key = key.removesuffix(b"\0")
    return os.fsdecode(key)


def _records(entries: Entries, name: str) -> Entries:
    """Return the entries that are records, without the named databases."""
    chosen = ~entries.databases
    if chosen.all():
        return entries
    if not chosen.any():
        names = ", ".join(repr(os.fsdecode(key).rstrip("\0")) for key in entries.key_list())
        raise SourceError(
            f"{name} holds no records but the named databases {names}: say which one to read"
        )
    return chosen_entries(entries, chosen)


def _key_table(indexes: Sequence[Arrays]) -> StringTable:
    joined = b"".join(keys.tobytes() for _, _, keys, _ in indexes)
    return StringTable(joined, joined_bounds([bounds for *_, bounds in indexes]))
