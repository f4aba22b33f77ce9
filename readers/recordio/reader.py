"""MXNet's image records in RecordIO files: `fn.readers.mxnet` and its storage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Int64s
from ...engine.errors import ArgumentError, SourceError
from ...engine.graph.operator import Array, register
from ...engine.graph.params import REQUIRED, STR, STRS, param
from ..listing.path_patterns import expand_paths
from ..record_reader import RecordReader
from ..source import Allocate, Column
from ..storage.damage import STRICT, Damages
from ..storage.index_cache import forget_index, replace_file
from ..storage.opening import open_storage, open_storages
from ..storage.records import RecordFiles, Records, windows
from ..storage.storage import Storage, cut
from . import framing
from .extents import (
    Extents,
    check_numbers,
    from_one_index,
    listed_extents,
    scanned_extents,
    without_image,
)
from .framing import FrameError, require
from .image_record import IMAGE_HEADER


class MXNetSource:
    """Image records of RecordIO files; a sample is the image bytes and the labels of a record."""

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
            location = self._files.where(int(indices[error.number]))
            forget_index(self._files.storage_of(int(indices[error.number])))
            raise SourceError(
                f"{location}: {error.reason}; the record is damaged, or the index belongs to "
                "another file"
            ) from None

    def position_of(self, index: int) -> tuple[str, int, int]:
        """Return the file of a record, the record's number in the file (from 0), its offset."""
        return self._files.position_of(index)

    def where(self, index: int) -> str:
        """Return the location of a record: file, number in the file (from 0), offset."""
        return self._files.where(index)

    def source_info(self, index: int) -> str:
        """Return file and offset of a record, as DALI does: "FILE at index OFFSET"."""
        name, _, offset = self._files.position_of(index)
        return f"{name} at index {offset}"

    def close(self) -> None:
        """Release the files; a later `read` opens them again."""
        self._files.close()


def _parse(records: Records) -> tuple[Column, ...]:
    block, starts, sizes = records.block, records.starts, records.lengths
    require(sizes >= IMAGE_HEADER.itemsize, lambda i: f"{sizes[i]} bytes hold no image header")
    headers = windows(block, IMAGE_HEADER)[starts]
    counts = headers["flag"].astype(np.int64)
    room = sizes - IMAGE_HEADER.itemsize
    require(4 * counts <= room, lambda i: f"{counts[i]} labels do not fit into {room[i]} bytes")
    starts = starts + IMAGE_HEADER.itemsize
    images = cut(block, starts + 4 * counts, room - 4 * counts)
    return images, _labels(records.block, starts, counts, headers["label"])


def _labels(
    block: NDArray[np.uint8], starts: Int64s, counts: Int64s, single: NDArray[np.float32]
) -> Column:
    """Return the labels of each record: the labels after its header, or the label in its header."""
    most = int(counts.max(initial=0))
    if most == 0:
        return single[:, np.newaxis].astype(np.float32)
    if most == counts.min():
        return windows(block, f"V{4 * most}")[starts].view("<f4").reshape(-1, most)
    listed = cut(block, starts, 4 * counts)
    return [
        many.view("<f4").copy() if many.size else single[i : i + 1].astype(np.float32)
        for i, many in enumerate(listed)
    ]


def open_records(
    paths: Sequence[str],
    index_paths: Sequence[str] = (),
    *,
    keep_header_records: bool = False,
    storage_options: Mapping[str, object] | None = None,
    damages: Damages = STRICT,
) -> MXNetSource:
    """Open RecordIO files.

    Args:
        paths: the `.rec` files.
        index_paths: one `.idx` file for each `.rec` file; or one `.idx` file, whose offsets count
            through all files as if the files lay end to end. Records that the index does not list
            are left out. Without an index, a scan finds the records; its result is cached.
        keep_header_records: whether records without an image are samples, too.
        storage_options: `Reader.storage_options`, for URLs.
        damages: takes what is wrong with the files.

    Raises:
        ArgumentError: the numbers of files do not fit.
        SourceError: a file is damaged, an index belongs to another file, or there is no record.
        OSError: a file cannot be read.
    """
    if not paths:
        raise ArgumentError("fn.readers.mxnet: path names no file")
    if len(index_paths) == 1 < len(paths):  # which counts through all files
        storages = open_storages(paths, storage_options)
        extents = from_one_index(storages, open_storage(index_paths[0], storage_options))
    else:
        check_numbers(paths, index_paths)
        opened = damages.open(paths, storage_options)
        indexes = {
            id(storage): index_paths[number] for number, storage in opened.items() if index_paths
        }

        def extents_of(storage: Storage) -> Extents:
            if id(storage) not in indexes:
                return scanned_extents(storage, damages)
            index = open_storage(indexes[id(storage)], storage_options)
            offsets = framing.read_index(index.read_whole(), index.name)
            read = partial(listed_extents, storage, offsets, index.name)
            return tuple(damages.sound(storage.name, read))

        storages, extents = damages.each([*opened.values()], extents_of)
    if not keep_header_records:
        extents = [
            (offsets[~bare], lengths[~bare])
            for storage, (offsets, lengths) in zip(storages, extents, strict=True)
            for bare in [without_image(storage, offsets, lengths)]
        ]
    source = MXNetSource(RecordFiles(storages, extents))
    damages.require(len(source))
    if not len(source):
        raise SourceError(f"no image record in {', '.join(s.name for s in storages)}")
    return source


def write_mxnet_index(path: str, index_path: str) -> int:
    """Write a `.idx` file, whose keys are the records' numbers; return the number of records.

    Raises:
        SourceError: the file is damaged.
        OSError: the file cannot be read, or the index cannot be written.
    """
    (storage,) = open_storages([path])
    offsets = framing.scan(storage).tolist()
    lines = "".join(f"{number}\t{offset}\n" for number, offset in enumerate(offsets))
    replace_file(Path(index_path), [lines.encode()])
    return len(offsets)


@register
class MXNet(RecordReader):
    """Reads image records from RecordIO files, as MXNet's `im2rec` writes them.

    On four cores and more, processes of the reader's own read local files after a fifth of a second
    of reading, unless the pipeline has `exec_processes=False`.

    >>> from pathlib import Path
    >>> from penstock import Pipeline, datasets, fn
    >>> for name in ("cat", "dog"):
    ...     Path("photos", name).mkdir(parents=True)
    ...     _ = Path("photos", name, "0.jpg").write_text(name)
    >>> _ = datasets.convert("photos", "shards", to="recordio")
    >>> with Pipeline(batch_size=2, num_threads=1) as pipe:
    ...     encoded, labels = fn.readers.mxnet(path="shards/shard-00000.rec")
    ...     pipe.set_outputs(labels)
    ...     (labels,) = pipe.run()
    ...     print(labels.as_array().tolist())
    [[0.0], [1.0]]

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

    path = param(
        STRS,
        REQUIRED,
        "Paths of the .rec files. Braces ('part-{000..127}.rec'), globs and folders stand for the "
        "files that they name.",
    )
    index_path = param(
        STRS,
        None,
        "Paths of the .idx files: one for each .rec file, or one that counts through all files. An "
        "index may list some of the records only. Without an index, a scan finds the records. Its "
        "result is stored beside the file, or in the user's cache folder.",
    )
    header_records = param(
        STR,
        "skip",
        "Treatment of records of at most 1 KB that hold labels but no image, such as the first "
        "record of packs for face recognition. 'skip' leaves these records out. 'keep' makes them "
        "samples with an empty image, as DALI does.",
        choices=("skip", "keep"),
    )

    def open_source(self) -> MXNetSource:
        return open_records(
            expand_paths(self.path, "*.rec", self.storage_options),
            expand_paths(self.index_path or (), "*.idx", self.storage_options),
            keep_header_records=self.header_records == "keep",
            storage_options=self.storage_options,
            damages=self.damages,
        )

    def placeholder(self) -> tuple[Array, ...]:
        return np.empty(0, np.uint8), np.zeros(1, np.float32)
