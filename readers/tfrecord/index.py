"""The extents of the records of a TFRecord file: from an index file, the cache, or the file."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Int64s
from ...engine.errors import SourceError
from ...engine.pending import wait_all
from ..listing.folder_rule import describes_data
from ..listing.path_patterns import expand_paths
from ..storage.damage import STRICT, DamagedFileError, Damages
from ..storage.index_cache import are_bounds, cached_index, replace_file
from ..storage.opening import open_storage, open_storages
from ..storage.rescue import fits_file
from ..storage.storage import Storage
from .crc32c import masked_of_lengths
from .framing import FRAME, HEADER, RecordIndexer, rescued_frames

_PROBES = 64  # records of an index that are compared with the data file when it is opened

Frames = tuple[Int64s, Int64s]
"""Offsets and lengths of the framed records of a file."""


def record_paths(paths: Sequence[str], options: Mapping[str, object] | None = None) -> list[str]:
    """Return the files that paths with patterns stand for, without what describes them in folders.

    TFRecord files may have any ending: see `describes_data` for those that they do not have.
    """
    files = []
    for path in paths:
        expanded = expand_paths([path], options=options)
        files += [file for file in expanded if not describes_data(file)] or expanded
    return files


def open_records(
    paths: Sequence[str], options: Mapping[str, object] | None = None
) -> list[Storage]:
    """Return the storages of TFRecord files, unpacked where they are compressed.

    `options` are `Reader.storage_options`.
    """
    storages = open_storages(paths, options)
    pairs = zip(storages, _beginnings(storages), strict=True)
    return [_unpacked(storage, start) for storage, start in pairs]


def _beginnings(storages: Sequence[Storage]) -> list[bytes]:
    starts = [np.empty(min(HEADER, storage.size), np.uint8) for storage in storages]
    pairs = list(zip(storages, starts, strict=True))
    wait_all(storage.start_read([0], [start]) for storage, start in pairs)
    return [start.tobytes() for start in starts]


def open_frames(
    paths: Sequence[str],
    options: Mapping[str, object] | None = None,
    *,
    index_paths: Sequence[str] | None = None,
    verify_data: bool = False,
    damages: Damages = STRICT,
) -> tuple[list[Storage], list[Frames]]:
    """Return the storages of TFRecord files, unpacked where they are compressed, and the frames.

    Args:
        paths: of the files.
        options: `Reader.storage_options`.
        index_paths: index files as `tfrecord2idx` writes them, one a file; None to walk through
            the files.
        verify_data: whether all checksums are verified when a file is walked through.
        damages: takes what is wrong with the files.
    """
    opened = damages.open(paths, options)
    storages = [*opened.values()]
    begins = dict(zip(map(id, storages), _beginnings(storages), strict=True))
    indexes = {id(s): index_paths[n] for n, s in opened.items()} if index_paths is not None else {}

    def located(storage: Storage) -> tuple[Storage, Frames]:
        records = _unpacked(storage, begins[id(storage)])
        if id(storage) not in indexes:
            return records, find_frames(records, verify_data=verify_data, damages=damages)
        index = open_storage(indexes[id(storage)], options)
        frames = damages.sound(storage.name, lambda: read_index_file(index, records))
        return records, tuple(frames)

    _, found = damages.each(storages, located)
    damages.require(sum(len(offsets) for _, (offsets, _) in found))
    return [records for records, _ in found], [frames for _, frames in found]


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


def find_frames(storage: Storage, *, verify_data: bool, damages: Damages = STRICT) -> Frames:
    """Return the extent of each framed record, from the cache if possible.

    If damage is left out, the records behind the damage are there, too.

    Raises:
        SourceError: the file is damaged; with `verify_data`, also inside a record.
    """
    kind = "tfrecord-verified/1" if verify_data else "tfrecord/1"

    def build() -> tuple[Int64s]:
        return (RecordIndexer(storage, verify_data=verify_data).offsets(),)

    def fits(end: int, offsets: Int64s) -> bool:
        inside = end <= storage.size and are_bounds(offsets, end)
        lengths = np.diff(offsets)
        if not inside or not (lengths >= FRAME).all():
            return False
        # Where no time tells of a change, the last record does.
        probed = storage.path is not None and len(lengths) > 0
        return not probed or bool(are_records(storage, offsets[-2:-1], lengths[-1:]).all())

    try:
        (offsets,) = cached_index(storage, kind, build, fits)
    except DamagedFileError as error:
        if not damages.leaves_out:
            damages.take(storage.name, error)

        def rescue() -> Frames:
            return rescued_frames(storage, verify_data=verify_data)

        fits_rest = fits_file(storage, FRAME)
        frames: Frames = damages.sound(
            storage.name, lambda: cached_index(storage, f"{kind}-rescued", rescue, fits_rest)
        )
        return frames
    return offsets[:-1], np.diff(offsets)


def read_index_file(index: Storage, storage: Storage) -> Frames:
    """Read an index as `tfrecord2idx` writes it: offset and length of each framed record.

    An index that lists a part of the records alone gives a warning.

    Raises:
        SourceError: the file is no index. DamagedFileError: the index belongs to another data
            file, or that file is cut off.
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
    if (listed := int(lengths.sum())) < storage.size:  # records lie end to end
        warnings.warn(
            f"{index.name} lists {len(offsets)} records, to which {listed} of the {storage.size} "
            f"bytes of {storage.name} belong: the records in the others are not read. Without "
            "index_path an index is made automatically",
            RuntimeWarning,
            stacklevel=2,
        )
    return offsets, lengths


def _check_index(name: str, storage: Storage, offsets: Int64s, lengths: Int64s) -> None:
    fits = (offsets >= 0) & (lengths >= FRAME) & (lengths <= storage.size)
    fits &= offsets <= storage.size - lengths
    if fits.all() and len(offsets):
        probes = np.linspace(0, len(offsets) - 1, _PROBES).astype(np.int64)
        fits[probes] = are_records(storage, offsets[probes], lengths[probes])
    wrong = np.flatnonzero(~fits)
    if wrong.size:
        row = wrong[0]
        raise DamagedFileError(
            f"{name}, line {row + 1}: {storage.name} has no record of {lengths[row]} bytes at "
            f"offset {offsets[row]}; the index belongs to another file, or the file was changed "
            "or cut off. Without index_path an index is made automatically",
            max(0, int(offsets[row])),
            (offsets[:row], lengths[:row]),
            len(offsets) - int(row),
            int(row),
        )


def are_records(storage: Storage, offsets: Int64s, lengths: Int64s) -> NDArray[np.bool_]:
    """Return at which offsets a header tells of a frame of this length."""
    headers = storage.read(offsets, np.full(len(offsets), HEADER), np.empty)
    joined = np.concatenate(headers).reshape(-1, HEADER)
    stored = np.ascontiguousarray(joined[:, :8]).view("<u8")[:, 0]
    found: NDArray[np.bool_] = stored == (lengths - FRAME).astype(np.uint64)
    return found


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
