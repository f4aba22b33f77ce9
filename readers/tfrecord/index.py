"""The extents of the records of a TFRecord file: from an index file, the cache, or the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...engine.arrays import Int64s
from ...engine.errors import SourceError
from ...engine.pending import wait_all
from ..listing.folder_rule import describes_data
from ..listing.path_patterns import expand_paths
from ..storage.index_cache import are_bounds, cached_index, replace_file
from ..storage.opening import open_storages
from ..storage.storage import Storage
from .crc32c import masked_of_lengths
from .framing import FRAME, HEADER, RecordIndexer

_PROBES = 64  # records of an index that are compared with the data file when it is opened

Frames = tuple[Int64s, Int64s]
"""Offsets and lengths of the framed records of a file."""


def record_paths(paths: Sequence[str]) -> list[str]:
    """Return the files that paths with patterns stand for, without what describes them in folders.

    TFRecord files may have any ending: see `describes_data` for those that they do not have.
    """
    files = []
    for path in paths:
        expanded = expand_paths([path])
        files += [file for file in expanded if not describes_data(file)] or expanded
    return files


def open_records(paths: Sequence[str], options: Mapping[str, Any] | None = None) -> list[Storage]:
    """Return the storages of TFRecord files, unpacked where they are compressed.

    `options` are `Reader.storage_options`.
    """
    storages = open_storages(paths, options)
    starts = [np.empty(min(HEADER, storage.size), np.uint8) for storage in storages]
    pairs = list(zip(storages, starts, strict=True))
    wait_all(storage.start_read([0], [start]) for storage, start in pairs)
    return [_unpacked(storage, start.tobytes()) for storage, start in pairs]


def is_record_file(storage: Storage) -> bool:
    """Return whether a file starts with the frame of a record, or is compressed and does so.

    Raises:
        SourceError: the file is compressed and holds something else. OSError: it cannot be read.
    """
    start = np.empty(min(HEADER, storage.size), np.uint8)
    storage.fill([0], [start])
    content = start.tobytes()
    return _is_header(content) or _unpacked(storage, content) is not storage


def _unpacked(storage: Storage, start: bytes) -> Storage:
    if _is_header(start):
        return storage
    from .unpacked_file import is_compressed, unpacked  # most files need none of this

    if not is_compressed(start):
        return storage

    def check(content: bytes) -> None:
        if not _is_header(content[:HEADER]):
            raise SourceError(f"{storage.name}: a compressed file, but no TFRecord file inside")

    return unpacked(storage, check)


def _is_header(start: bytes) -> bool:
    if len(start) < HEADER:
        return False
    length = np.frombuffer(start, "<u8", 1)
    return bool(masked_of_lengths(length)[0] == int.from_bytes(start[8:HEADER], "little"))


def find_frames(storage: Storage, *, verify_data: bool) -> Frames:
    """Return the extent of each framed record, from the cache if possible.

    Raises:
        SourceError: the file is damaged; with `verify_data`, also inside a record.
    """
    kind = "tfrecord-verified/1" if verify_data else "tfrecord/1"

    def build() -> tuple[Int64s]:
        return (RecordIndexer(storage, verify_data=verify_data).offsets(),)

    def fits(offsets: Int64s) -> bool:
        return are_bounds(offsets, storage.size) and bool((np.diff(offsets) >= FRAME).all())

    (offsets,) = cached_index(storage, kind, build, fits)
    return offsets[:-1], np.diff(offsets)


def read_index_files(
    paths: Sequence[str], storages: Sequence[Storage], options: Mapping[str, Any] | None = None
) -> list[Frames]:
    """Read the index file of each of `storages`: see `read_index_file`."""
    indexes = open_storages(paths, options)
    return [read_index_file(*pair) for pair in zip(indexes, storages, strict=True)]


def read_index_file(index: Storage, storage: Storage) -> Frames:
    """Read an index as `tfrecord2idx` writes it: offset and length of each framed record.

    Raises:
        SourceError: the file is no index, or the index belongs to another data file.
    """
    try:
        numbers = np.array(index.read_whole().split(), np.bytes_).astype(np.int64)
        offsets, lengths = numbers.reshape(-1, 2).T.copy()
    except (ValueError, OverflowError):
        raise SourceError(
            f"{index.name}: no index of a TFRecord file: each line is an offset and a length"
        ) from None
    if not len(offsets) and storage.size:
        raise SourceError(f"{index.name}: the index is empty, but {storage.name} is not")
    _check_index(index.name, storage, offsets, lengths)
    return offsets, lengths


def _check_index(name: str, storage: Storage, offsets: Int64s, lengths: Int64s) -> None:
    fits = (offsets >= 0) & (lengths >= FRAME) & (lengths <= storage.size)
    fits &= offsets <= storage.size - lengths
    if fits.all() and len(offsets):
        probes = np.linspace(0, len(offsets) - 1, _PROBES).astype(np.int64)
        headers = storage.read(offsets[probes], np.full(_PROBES, HEADER), np.empty)
        joined = np.concatenate(headers).reshape(_PROBES, HEADER)
        stored = np.ascontiguousarray(joined[:, :8]).view("<u8")[:, 0]
        fits[probes] = stored == (lengths[probes] - FRAME).astype(np.uint64)
    wrong = np.flatnonzero(~fits)
    if wrong.size:
        row = wrong[0]
        raise SourceError(
            f"{name}, line {row + 1}: {storage.name} has no record of {lengths[row]} bytes at "
            f"offset {offsets[row]}; the index belongs to another file, or the file was changed "
            "or cut off. Without index_path an index is made automatically"
        )


def write_tfrecord_index(path: str, index_path: str) -> int:
    """Write the index file that `read_index_file` reads; return the number of records.

    Raises:
        SourceError: the file is damaged. OSError: it cannot be read, or the index not written.
    """
    (storage,) = open_storages([path])
    offsets = RecordIndexer(storage, verify_data=False).offsets()
    pairs = zip(offsets[:-1].tolist(), np.diff(offsets).tolist(), strict=True)
    lines = "".join(f"{offset} {length}\n" for offset, length in pairs)
    replace_file(Path(index_path), [lines.encode()])
    return len(offsets) - 1
