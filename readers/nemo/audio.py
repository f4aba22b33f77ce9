"""The bytes of an entry's audio: whole files, or members of tar archives.

NeMo's tarred data sets name a member of an archive where other manifests name a file. An entry
`a-sub2.wav` that is no member is a further window of the member `a.wav`: NeMo's script packs a file
once, and numbers its windows so.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Int64s
from ...engine.errors import SourceError
from ...formats.nemo import NemoManifest
from ..archives.tar_index import ArchiveIndex, index_archive
from ..files.source import FileSource
from ..listing.list_file import check_remote_name
from ..listing.listing import FileList
from ..source import Allocate, Column
from ..storage.damage import STRICT, Damages
from ..storage.records import RecordFiles
from ..storage.strings import StringTable
from ..storage.urls import is_url
from .entries import NemoEntries

_SUB = re.compile(rb"-sub\d+(?=\.[^./]*$|$)")
_NUMBER = re.compile(r"(\d+)\.[^./]*$")


class AudioBytes(Protocol):
    """Random access to the encoded audio of entries."""

    def read(self, indices: Int64s, allocate: Allocate) -> Column:
        """Return the bytes of the entries, one uint8 array each."""

    def is_segment(self) -> NDArray[np.bool_]:
        """Return which entries are windows of local files that hold more: (entries,).

        `read` returns the path of such a file in place of its bytes, so that the decoder reads no
        more than the window. Of an entry with several files, `read` returns all paths, with zero
        bytes between them.
        """

    def close(self) -> None:
        """Release what is open."""


class AudioFiles:
    """Audio in files of its own."""

    def __init__(self, entries: NemoEntries, options: Mapping[str, object]) -> None:
        """Take the entries; `options` are `Reader.storage_options`, for URLs."""
        pairs = zip(entries.manifests, entries.folders, strict=True)
        paths = [path for manifest, folder in pairs for path in _resolved(manifest, folder)]
        firsts = np.cumsum([0, *(len(manifest.paths) for manifest in entries.manifests)])
        self._file: Int64s = firsts[entries.manifest] + entries.column("path_number")
        self._paths = StringTable.of(paths)
        labels = np.zeros(len(paths), np.int32)
        self._files = FileSource(FileList(b"", self._paths, labels), options)
        local = np.fromiter((not is_url(path) for path in paths), np.bool_, len(paths))
        several = np.fromiter((b"\0" in path for path in paths), np.bool_, len(paths))
        repeated = np.bincount(self._file, minlength=len(paths))[self._file] > 1
        inside = (entries.column("offset") > 0) | repeated | several[self._file]
        self._is_segment: NDArray[np.bool_] = local[self._file] & inside
        for index in np.flatnonzero(several[self._file] & ~self._is_segment)[:1].tolist():
            raise SourceError(
                f"{entries.where(index)}: a list of files must name local files; store their "
                "channels in one file"
            )

    def is_segment(self) -> NDArray[np.bool_]:
        return self._is_segment

    def paths(self, indices: Int64s) -> list[str]:
        """Return the paths or the URLs of the entries' files."""
        joined = self._paths.take(self._file[indices])
        return [os.fsdecode(path) for paths in joined for path in paths.split(b"\0")]

    def read(self, indices: Int64s, allocate: Allocate) -> Column:
        segments = self._is_segment[indices]
        whole, _ = self._files.read(self._file[indices[~segments]], allocate)
        if not segments.any():
            return whole
        contents = iter(whole)
        return [
            np.frombuffer(self._paths[int(self._file[index])], np.uint8)
            if segment
            else next(contents)
            for index, segment in zip(indices.tolist(), segments.tolist(), strict=True)
        ]

    def close(self) -> None:
        self._files.close()


def _resolved(manifest: NemoManifest, folder: str) -> list[bytes]:
    """Return the paths of a manifest: absolute, or relative to the folder of the manifest."""
    start = os.fsencode(folder) + b"/"
    _, entries = np.unique(manifest.path_number, return_index=True)
    paths = []
    for number, entry in enumerate(entries.tolist()):
        names = manifest.paths.encoded(number).split(b"\0")
        if is_url(folder):
            for name in names:
                check_remote_name(os.fsencode(manifest.name), int(manifest.line[entry]), name)
        resolved = (n if n.startswith(b"/") or is_url(n) else start + n for n in names)
        paths.append(b"\0".join(resolved))
    return paths


class AudioMembers:
    """Audio in tar archives."""

    def __init__(
        self,
        entries: NemoEntries,
        archives: Sequence[str],
        options: Mapping[str, object],
        damages: Damages = STRICT,
    ) -> None:
        """Take the entries, the paths of the archives, and what takes the archives' damages."""
        self._entries = entries
        self._shards = entries.column("shard")
        opened = damages.open(archives, options)
        storages, indexes = damages.each(
            [*opened.values()], lambda storage: index_archive(storage, "last", damages)
        )
        of_all = _archive_numbers(archives)  # also of those that are left out
        number_of = {id(storage): of_all[number] for number, storage in opened.items()}
        extents = [(index.offsets, index.sizes) for index in indexes]
        self._files = RecordFiles(storages, extents)
        numbers = [number_of[id(storage)] for storage in storages]
        members: dict[tuple[int, bytes], int] = {}
        record = 0
        for number, index in zip(numbers, indexes, strict=True):
            for name in _member_names(index):
                members.setdefault((number, name), record)
                members.setdefault((-1, name), record)
                record += 1
        self._record = np.array(
            [self._record_of(members, i) for i in range(len(entries))], np.int64
        )

    def _record_of(self, members: Mapping[tuple[int, bytes], int], index: int) -> int:
        shard = int(self._shards[index])
        name = os.fsencode(self._entries.path(index))
        record = members.get((shard, name))
        return members.get((shard, _SUB.sub(b"", name)), -1) if record is None else record

    def is_segment(self) -> NDArray[np.bool_]:
        return np.zeros(len(self._entries), np.bool_)

    def read(self, indices: Int64s, allocate: Allocate) -> Column:
        records = self._record[indices]
        for index in indices[records < 0].tolist():
            raise SourceError(
                f"{self._entries.where(index)}: no archive of `tarred_audio_filepaths` has this "
                "member, or the archive of its 'shard_id' has none of this name"
            )
        return self._files.read(records, allocate).views()

    def close(self) -> None:
        self._files.close()


def _archive_numbers(archives: Sequence[str]) -> list[int]:
    """Return the `shard_id` of each archive: the number at its name's end, or its position."""
    matches = [_NUMBER.search(archive) for archive in archives]
    numbers = [int(match[1]) for match in matches if match]
    unique = len(set(numbers)) == len(archives)
    return numbers if unique else list(range(len(archives)))


def _member_names(index: ArchiveIndex) -> list[bytes]:
    extensions = [b"." + extension for extension in index.extensions]
    keys = np.repeat(np.arange(len(index)), np.diff(index.firsts)).tolist()
    numbers = index.extension_numbers.tolist()
    return [index.keys[key] + extensions[number] for key, number in zip(keys, numbers, strict=True)]
