"""The places of arrays in `.npy` format: in files of their own, or in `.npz`, zip and tar files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...engine.arrays import Array, Int64s
from ...engine.errors import PenstockError, SourceError
from ..archives.tar_index import index_archive
from ..listing.globs import name_filter
from ..listing.listing import FileList
from ..storage.damage import STRICT, Damages
from ..storage.index_cache import are_bounds, cached_index, have_dtypes, lie_inside
from ..storage.storage import Storage
from ..storage.strings import StringTable
from ..storage.urls import shown

_ZIP, _TAR = (b".npz", b".zip"), (b".tar",)


_MEMBER = np.dtype(
    [
        ("file", np.int64),  # number of the file that holds it
        ("offset", np.int64),  # of its bytes as they are stored
        ("size", np.int64),  # of those; -1 for a file of its own, which is no member
        ("content", np.int64),  # bytes that they are once they are inflated
        ("checksum", np.uint32),  # CRC-32 of the content, if the archive has one
        ("has_checksum", np.bool_),
        ("deflated", np.bool_),
    ]
)


@dataclass(frozen=True)
class ArrayMembers:
    """Members of archives, one after the other.

    Attributes:
        table: rows of `_MEMBER`.
        names: in their archives.
        stamps: stamp of each archive, when it was indexed: see `Storage.stamp`.
    """

    table: Array
    names: StringTable
    stamps: Mapping[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.table)


@dataclass(frozen=True)
class ArrayList:
    """All arrays of a data set.

    Attributes:
        files: the files.
        members: members of the files; None where every file is one array.
    """

    files: FileList
    members: ArrayMembers | None = None

    def __len__(self) -> int:
        return len(self.files if self.members is None else self.members)

    def files_of(self, arrays: Int64s) -> Int64s:
        """Return the number of the file that holds each array."""
        return arrays if self.members is None else self.members.table["file"][arrays]

    def paths(self, files: Int64s) -> list[str]:
        """Return the absolute paths, or URLs, of files."""
        return [os.fsdecode(path) for path in self.files.paths(files)]

    def where(self, array: int) -> str:
        """Return the path of an array's file and, in archives, the member's name."""
        (path,) = self.paths(self.files_of(np.array([array])))
        return self._with_member(shown(path), array)

    def name(self, array: int) -> str:
        """Return the file of an array as it is named and, in archives, the member's name."""
        (file,) = self.files_of(np.array([array])).tolist()
        return self._with_member(self.files.name(file), array)

    def only(self, rows: Int64s) -> ArrayList:
        """Return some of the arrays, which are members of archives."""
        assert self.members is not None
        names = StringTable.of(self.members.names.take(rows))
        members = ArrayMembers(self.members.table[rows], names, self.members.stamps)
        return ArrayList(self.files, members)

    def is_still_in(self, file: int, storage: Storage) -> bool:
        """Return whether the members of an archive lie where they lay when it was indexed."""
        assert self.members is not None
        own = np.flatnonzero(self.members.table["file"] == file)
        now = _members(storage, os.fsencode(self.files.name(file)))
        rows = {name: row for row, name in enumerate(now.names)}
        chosen = [rows.get(name, -1) for name in self.members.names.take(own)]
        if -1 in chosen:
            return False
        table = now.table[chosen]
        table["file"] = file
        return bool((table == self.members.table[own]).all())

    def _with_member(self, file: str, array: int) -> str:
        if self.members is None or self.members.table["size"][array] < 0:
            return file
        return f"{file}, member {os.fsdecode(self.members.names[array])!r}"


def list_arrays(
    listing: FileList,
    member_filter: str = "*.npy",
    options: Mapping[str, object] | None = None,
    damages: Damages = STRICT,
) -> ArrayList:
    """Find the arrays in files. Plain files are not looked at; archives are, for their index.

    Args:
        listing: the files.
        member_filter: pattern of the names of members in archives.
        options: `Reader.storage_options`, for URLs.
        damages: takes what is wrong with archives.

    Raises:
        SourceError: an archive is damaged, or the files hold no array.
        OSError: there is no such archive.
    """
    archives = {
        number: path
        for number, path in enumerate(listing.names)
        if path.lower().endswith((*_ZIP, *_TAR))
    }
    if not archives:
        return ArrayList(listing)
    numbers = np.fromiter(archives, np.int64)
    paths = [os.fsdecode(path) for path in listing.paths(numbers)]
    storages = {int(numbers[n]): opened for n, opened in damages.open(paths, options).items()}
    matches = name_filter([member_filter], case_sensitive=True)
    parts = []
    for number in range(len(listing)):
        if number in archives:
            try:
                members = _members(storages[number], archives[number], damages)
            except KeyError:  # it cannot be opened
                continue
            except (OSError, PenstockError) as error:
                damages.take(storages[number].name, error)
                continue
            wanted = [matches(name.rpartition(b"/")[2]) for name in members.names]
            parts.append(_chosen(members, np.flatnonzero(wanted), number))
        else:
            parts.append(_plain_file(number))
    damages.require(sum(map(len, parts)))
    joined = _joined(parts, {number: storage.stamp for number, storage in storages.items()})
    if not len(joined):
        raise SourceError(
            f"{paths[0]}{' ...' * (len(paths) > 1)}: no member matches member_filter "
            f"{member_filter!r}"
        )
    return ArrayList(listing, joined)


def _members(storage: Storage, path: bytes, damages: Damages = STRICT) -> ArrayMembers:
    return _in_tar(storage, damages) if path.lower().endswith(_TAR) else _in_zip(storage)


def _plain_file(number: int) -> ArrayMembers:
    return ArrayMembers(
        np.array([(number, 0, -1, -1, 0, False, False)], _MEMBER), StringTable.of([b""])
    )


def _in_tar(storage: Storage, damages: Damages) -> ArrayMembers:
    """Return the members of a tar archive, by the index that WebDatasets have of it."""
    index = index_archive(storage, damages=damages)
    keys, extensions = list(index.keys), [b"." + name if name else b"" for name in index.extensions]
    samples = np.repeat(np.arange(len(index)), np.diff(index.firsts)).tolist()
    kinds = index.extension_numbers.tolist()
    names = (keys[sample] + extensions[kind] for sample, kind in zip(samples, kinds, strict=True))
    table = np.zeros(len(kinds), _MEMBER)
    table["offset"], table["size"], table["content"] = index.offsets, index.sizes, index.sizes
    storage.check(index.offsets, index.sizes)
    return ArrayMembers(table, StringTable.of(names))


def _in_zip(storage: Storage) -> ArrayMembers:
    """Return the members of a zip archive, from the cache if it holds them."""

    # Python's `zipfile` takes 4 ms
    from ..archives.zip_index import DEFLATED, STORED, may_inflate_to, zip_members

    def build() -> list[Array]:
        members = zip_members(storage)
        sizes = (members.offsets, members.sizes, members.contents)
        return [*members.names.to_arrays(), *sizes, members.checksums, members.methods]

    def fits(_: int, *arrays: Array) -> bool:
        names, bounds, offsets, sizes, contents, checksums, methods = arrays
        numbers = ((column, np.int64) for column in (contents, methods))
        if not have_dtypes((names, np.uint8), (checksums, np.uint32), *numbers):
            return False
        stored = methods == STORED
        return (
            lie_inside(storage, offsets, sizes)
            and are_bounds(bounds, len(names))
            and {len(bounds) - 1} == {len(column) for column in arrays[2:]}
            and bool((stored | (methods == DEFLATED)).all())
            and bool(np.where(stored, contents == sizes, may_inflate_to(sizes, contents)).all())
        )

    joined, bounds, *columns, methods = cached_index(storage, "zip-1", build, fits)
    table = np.zeros(len(methods), _MEMBER)
    for name, column in zip(("offset", "size", "content", "checksum"), columns, strict=True):
        table[name] = column
    table["has_checksum"] = True
    table["deflated"] = methods != STORED
    storage.check(table["offset"], table["size"])
    return ArrayMembers(table, StringTable.from_arrays(joined, bounds))


def _chosen(members: ArrayMembers, rows: Int64s, number: int) -> ArrayMembers:
    table = members.table[rows]
    table["file"] = number
    return ArrayMembers(table, StringTable.of(members.names.take(rows)))


def _joined(parts: Sequence[ArrayMembers], stamps: Mapping[int, str]) -> ArrayMembers:
    names = StringTable.of(name for part in parts for name in part.names)
    return ArrayMembers(np.concatenate([part.table for part in parts]), names, stamps)
