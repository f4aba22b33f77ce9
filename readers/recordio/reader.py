"""MXNet's image records in RecordIO files: `fn.readers.mxnet` and its storage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError, SourceError
from ...engine.operator import Array, register
from ...engine.params import REQUIRED, STR, STRS, param
from ..reader import Reader
from ..source import Allocate, Column
from ..storage.index_cache import cached_index
from ..storage.read_plan import Int64s
from ..storage.records import RecordFiles, Records, windows
from ..storage.storage import Storage, cut, open_storages
from . import framing
from .framing import FRAME, HEAD, MAGIC, FrameError, require

_HEADER = np.dtype([("flag", "<u4"), ("label", "<f4"), ("id", "<u8"), ("id2", "<u8")])
"""What precedes the image, as MXNet's `IRHeader`; `flag` labels (float32) follow it."""

_LONGEST_WITHOUT_IMAGE = 1024
"""Records with labels alone mark ranges of others by a few numbers. Only records up to this
size are looked at, so that opening a file with an index does not read all of it."""

_LONGEST_BELIEVED = 8 * 1024 * 1024
"""An index that lists few records makes them look longer than they are: see `listed_places`."""

_HEADS_AT_ONCE = 4096  # with up to 16 KB between them, that is 64 MB at most


class MXNetSource:
    """Image records of RecordIO files; a sample is a record's image bytes and its labels."""

    def __init__(self, files: RecordFiles) -> None:
        self._files = files

    def __len__(self) -> int:
        return len(self._files)

    def read(self, indices: NDArray[np.int64], allocate: Allocate) -> tuple[Column, ...]:
        """Return images, a uint8 array (size,) each, and labels, float32 (labels,) each.

        Raises:
            IndexError: an index is negative or not below `len(self)`.
            OSError: a file cannot be read. SourceError if a record is damaged.
        """
        records = self._files.read(indices, allocate)
        try:
            return _parse(framing.unframe(records))
        except FrameError as error:
            where = self._files.where(int(indices[error.place]))
            raise SourceError(
                f"{where}: {error.reason}; the record is damaged, or the index belongs to "
                "another file"
            ) from None

    def where(self, index: int) -> str:
        """Say where a record is stored: file, number in the file (from 0), offset."""
        return self._files.where(index)

    def close(self) -> None:
        """Release the files; a later `read` opens them again."""
        self._files.close()


def _parse(records: Records) -> tuple[Column, ...]:
    block, begins, sizes = records.block, records.begins, records.lengths
    require(sizes >= _HEADER.itemsize, lambda i: f"{sizes[i]} bytes hold no image header")
    headers = windows(block, _HEADER)[begins]
    counts = headers["flag"].astype(np.int64)
    room = sizes - _HEADER.itemsize
    require(4 * counts <= room, lambda i: f"{counts[i]} labels do not fit into {room[i]} bytes")
    begins = begins + _HEADER.itemsize
    images = cut(block, begins + 4 * counts, room - 4 * counts)
    return images, _labels(records.block, begins, counts, headers["label"])


def _labels(
    block: NDArray[np.uint8], begins: Int64s, counts: Int64s, single: NDArray[np.float32]
) -> Column:
    """Return each record's labels: those behind its header, or the one in it."""
    most = int(counts.max(initial=0))
    if most == 0:
        return single[:, np.newaxis].astype(np.float32)
    if most == counts.min():
        return windows(block, f"V{4 * most}")[begins].view("<f4").reshape(-1, most)
    listed = cut(block, begins, 4 * counts)
    return [
        many.view("<f4").copy() if many.size else single[i : i + 1].astype(np.float32)
        for i, many in enumerate(listed)
    ]


def open_records(
    paths: Sequence[str],
    index_paths: Sequence[str] = (),
    *,
    keep_header_records: bool = False,
    storage_options: Mapping[str, Any] | None = None,
) -> MXNetSource:
    """Open RecordIO files.

    Args:
        paths: the `.rec` files.
        index_paths: their `.idx` files, one each; or one, whose offsets count through all
            files as if they lay end to end. Records that it does not list are left out.
            Without any, the records are found by a scan that is done once and remembered.
        keep_header_records: whether records without an image are samples, too.
        storage_options: those of `Reader`, for URLs.

    Raises:
        ArgumentError: the numbers of files do not fit.
        OSError: a file cannot be read. SourceError if it is damaged, if an index belongs to
            another file, or if there is no record.
    """
    storages = open_storages(paths, storage_options)
    if not storages:
        raise ArgumentError("fn.readers.mxnet: path names no file")
    if index_paths:
        places = _from_indexes(storages, open_storages(index_paths, storage_options))
    else:
        places = [_from_scan(storage) for storage in storages]
    if not keep_header_records:
        places = [
            (offsets[~bare], extents[~bare])
            for storage, (offsets, extents) in zip(storages, places, strict=True)
            for bare in [without_image(storage, offsets, extents)]
        ]
    source = MXNetSource(RecordFiles(storages, places))
    if not len(source):
        raise SourceError(f"no image record in {', '.join(s.name for s in storages)}")
    return source


Places = tuple[Int64s, Int64s]
"""Offsets and lengths of records, frames included."""


def _from_scan(storage: Storage) -> Places:
    (offsets,) = cached_index(storage, "recordio-1", lambda: [framing.scan(storage)])
    return offsets, np.diff(offsets, append=storage.size)


def _from_indexes(storages: Sequence[Storage], indexes: Sequence[Storage]) -> list[Places]:
    listed = [framing.read_index(index.read_whole(), index.name) for index in indexes]
    if len(listed) == len(storages):
        pairs = zip(storages, listed, indexes, strict=True)
        return [listed_places(storage, offsets, index.name) for storage, offsets, index in pairs]
    if len(listed) > 1:
        raise ArgumentError(
            f"fn.readers.mxnet: {len(listed)} index files for {len(storages)} files; there must "
            "be one each, or one for all"
        )
    ((offsets,), (index,)) = listed, indexes
    bounds = np.cumsum([0, *(storage.size for storage in storages)], dtype=np.int64)
    bounds[-1] = max(bounds[-1], offsets[-1] + 1)  # for the last file to complain of the excess
    cuts = np.searchsorted(offsets, bounds)
    return [
        listed_places(storage, offsets[begin:end] - base, index.name)
        for storage, base, (begin, end) in zip(storages, bounds, pairwise(cuts), strict=False)
    ]


def listed_places(storage: Storage, offsets: Int64s, index_path: str) -> Places:
    """Return the records at `offsets`, each as long as the next one lets it be."""
    if len(offsets) and offsets[-1] >= storage.size:
        raise SourceError(
            f"{index_path} lists a record at offset {offsets[-1]}, but {storage.name} has "
            f"{storage.size} bytes: it belongs to another file"
        )
    lengths = np.diff(offsets, append=storage.size)
    for row in np.flatnonzero(lengths > _LONGEST_BELIEVED).tolist():
        try:
            lengths[row] = framing.record_length(storage, int(offsets[row]))
        except FrameError:
            lengths[row] = FRAME  # enough to find the damage again, when it is read
    return offsets, lengths


def without_image(storage: Storage, offsets: Int64s, lengths: Int64s) -> NDArray[np.bool_]:
    """Tell which records hold labels but no image.

    Packs of data sets for face recognition and others begin with such a record: its labels
    say at which keys the images end and the ranges of the classes begin.
    """
    bare = np.zeros(len(offsets), np.bool_)
    shortest = FRAME + _HEADER.itemsize
    small = np.flatnonzero((lengths >= shortest) & (lengths <= _LONGEST_WITHOUT_IMAGE))
    heads = RecordFiles([storage], [(offsets[small], np.full(len(small), shortest))])
    for begin in range(0, len(small), _HEADS_AT_ONCE):
        rows = np.arange(begin, min(begin + _HEADS_AT_ONCE, len(small)))
        records = heads.read(rows, np.empty)
        frames = windows(records.block, HEAD)[records.begins]
        labels = windows(records.block, _HEADER)[records.begins + FRAME]["flag"].astype(np.int64)
        # Of a record in one part, `coded` is the length alone.
        whole = frames["coded"] == _HEADER.itemsize + 4 * labels
        bare[small[rows]] = whole & (frames["magic"] == MAGIC)
    return bare


@register
class MXNet(Reader):
    """Reads image records from RecordIO files, as MXNet's `im2rec` makes them.

    Outputs:
        the encoded image: uint8, shape (size,).
        its labels: float32, shape (labels,); (1,) for ordinary classification.

    Raises:
        SourceError: a file is damaged, or an index belongs to another file.
        OSError: a file cannot be read (see `on_error` of the pipeline).
    """

    name = "readers.mxnet"
    aliases = ("mxnet_reader",)
    outputs = 2

    path = param(STRS, REQUIRED, "Paths of the .rec files.")
    index_path = param(
        STRS,
        None,
        "Paths of their .idx files, one each, or a single one that counts through all files. It "
        "may list some of the records only. Without it the records are found by a scan, whose "
        "result is kept beside the file, or in the user's cache folder, for the next time.",
    )
    header_records = param(
        STR,
        "skip",
        "What to do with records of at most 1 KB that hold labels but no image, such as the first "
        "one of packs for face recognition: 'skip', or 'keep' to have them as samples with an "
        "empty image, as DALI does.",
    )

    def prepare(self) -> None:
        super().prepare()
        if self.header_records not in ("skip", "keep"):
            raise ArgumentError(
                "fn.readers.mxnet: header_records must be 'skip' or 'keep', but is "
                f"{self.header_records!r}"
            )

    def open_source(self) -> MXNetSource:
        return open_records(
            self.path,
            self.index_path or (),
            keep_header_records=self.header_records == "keep",
            storage_options=self.storage_options,
        )

    def placeholder(self) -> tuple[Array, ...]:
        return np.empty(0, np.uint8), np.zeros(1, np.float32)
