"""Where the records of RecordIO files are: by index files, or by a scan that is kept."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Int64s
from ...engine.errors import ArgumentError
from ..storage.damage import STRICT, DamagedFileError, Damages
from ..storage.index_cache import are_bounds, cached_index
from ..storage.records import RecordFiles, windows
from ..storage.rescue import fits_file
from ..storage.storage import Storage
from . import framing
from .framing import FRAME, HEAD, MAGIC, FrameError
from .image_record import IMAGE_HEADER

MAX_BYTES_WITHOUT_IMAGE = 1024
"""Largest size of a record whose header is read. A record without an image holds a few numbers
only, and is shorter."""

MAX_BELIEVED_BYTES = 8 << 20
"""Largest length of a record that is taken from an index. An index that lists some of the records
makes records look longer, so the frames of longer records are read."""

HEADERS_TOGETHER = 4096
"""Number of headers that one read fetches. With 16 KB between two headers, a read has 64 MB."""


Extents = tuple[Int64s, Int64s]
"""Offsets and lengths of records, frames included."""


def scanned_extents(storage: Storage, damages: Damages = STRICT) -> Extents:
    """Return the extents of all records of a file, from the cache if possible.

    If damage is left out, the records behind the damage are there, too.
    """

    def fits(end: int, bounds: Int64s) -> bool:
        inside = end <= storage.size and are_bounds(bounds, end)
        lengths = np.diff(bounds)
        if not inside or not (lengths >= FRAME).all():
            return False
        if storage.path is None or not len(lengths):
            return True
        try:  # where no time tells of a change, the last record does
            return bool(framing.record_length(storage, int(bounds[-2])) == lengths[-1])
        except FrameError:
            return False

    def build() -> list[Int64s]:
        return [np.append(framing.scan(storage), storage.size)]

    try:
        (bounds,) = cached_index(storage, "recordio-2", build, fits)
    except DamagedFileError as error:
        if not damages.leaves_out:
            damages.take(storage.name, error)

        def rescue() -> Extents:
            return framing.rescued_records(storage)

        fits_rest = fits_file(storage, FRAME)
        extents: Extents = damages.sound(
            storage.name, lambda: cached_index(storage, "recordio-2-rescued", rescue, fits_rest)
        )
        return extents
    return bounds[:-1], np.diff(bounds)


def check_numbers(paths: Sequence[str], index_paths: Sequence[str]) -> None:
    """Raise ArgumentError unless there is one index file for each file, or none."""
    if index_paths and len(index_paths) != len(paths):
        raise ArgumentError(
            f"fn.readers.mxnet: {len(index_paths)} index files for {len(paths)} files; give "
            "one index file for each file, or one for all files"
        )


def from_one_index(storages: Sequence[Storage], index: Storage) -> list[Extents]:
    """Return the extents that an index lists, whose offsets count through all files."""
    offsets = framing.read_index(index.read_whole(), index.name)
    bounds = np.cumsum([0, *(storage.size for storage in storages)], dtype=np.int64)
    # `listed_extents` of the last file raises for offsets behind the end.
    bounds[-1] = max(bounds[-1], offsets[-1] + 1)
    cuts = np.searchsorted(offsets, bounds)
    return [
        listed_extents(storage, offsets[start:end] - base, index.name)
        for storage, base, (start, end) in zip(storages, bounds, pairwise(cuts), strict=False)
    ]


def listed_extents(storage: Storage, offsets: Int64s, index_path: str) -> Extents:
    """Return the extents of the records at `offsets`: each ends where the next record starts.

    Raises:
        DamagedFileError: records lie behind the end of the file.
    """
    inside = int(np.searchsorted(offsets, storage.size))
    if inside < len(offsets):
        sound = offsets[:inside]
        with suppress(FrameError):  # of the last one, a part may be there
            end = int(sound[-1]) + framing.record_length(storage, int(sound[-1])) if inside else 0
            raise _beyond_end(storage, index_path, offsets, sound, end)
        raise _beyond_end(storage, index_path, offsets, sound[:-1], int(sound[-1]))
    lengths = np.diff(offsets, append=storage.size)
    for number in np.flatnonzero(lengths > MAX_BELIEVED_BYTES).tolist():
        try:
            lengths[number] = framing.record_length(storage, int(offsets[number]))
        except FrameError:
            lengths[number] = FRAME  # a read of the record raises for the damage again
    return offsets, lengths


def _beyond_end(
    storage: Storage, index_path: str, offsets: Int64s, sound: Int64s, end: int
) -> DamagedFileError:
    return DamagedFileError(
        f"{index_path} lists a record at offset {offsets[-1]}, but {storage.name} ends at offset "
        f"{storage.size}: this file is cut off, or the index belongs to another file",
        end,
        (sound, np.diff(sound, append=end)),
        len(offsets) - len(sound),
        len(sound),
    )


def without_image(storage: Storage, offsets: Int64s, lengths: Int64s) -> NDArray[np.bool_]:
    """Return which records hold labels but no image.

    Packs of data sets for face recognition and others start with a record that has no image. The
    labels of this record are the keys where the images end and where the classes' ranges start.
    """
    bare = np.zeros(len(offsets), np.bool_)
    shortest = FRAME + IMAGE_HEADER.itemsize
    small = np.flatnonzero((lengths >= shortest) & (lengths <= MAX_BYTES_WITHOUT_IMAGE))
    heads = RecordFiles([storage], [(offsets[small], np.full(len(small), shortest))])
    for start in range(0, len(small), HEADERS_TOGETHER):
        numbers = np.arange(start, min(start + HEADERS_TOGETHER, len(small)))
        records = heads.read(numbers, np.empty)
        frames = windows(records.block, HEAD)[records.starts]
        labels = windows(records.block, IMAGE_HEADER)[records.starts + FRAME]["flag"].astype(
            np.int64
        )
        # In the frame of a whole record, `coded` is the length alone.
        whole = frames["coded"] == IMAGE_HEADER.itemsize + 4 * labels
        bare[small[numbers]] = whole & (frames["magic"] == MAGIC)
    return bare
