"""MDS: the shards of MosaicML's streaming, which are read and not written.

The components are the columns. `jpeg`, `png`, `pil` (as PAM), `json` and `bytes` are encoded files.
A key is the name of the shard, and the number of the sample in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import DecodeError, SourceError
from ...readers.mds.columns import LISTS, NUMBERS, TEXTS, is_read
from ...readers.mds.index_file import INDEX, folder_of, shards_of
from ...readers.mds.source import MdsSource, open_mds
from ...readers.storage.opening import open_storage
from ...readers.storage.urls import shown, text_of
from ..media import extension_of, main_components, main_components_first
from ..sample import Encoded, Sample, Value
from .base import Location, ReaderCall, SourceSamples
from .dataset_format import DatasetFormat

_CACHE_BYTES = 256 << 20
_EXTENSIONS = {"jpeg": "jpg", "png": "png", "pil": "pam", "json": "json"}
_SHUFFLED = 1000
"""Consecutive samples that are shuffled as one block, where shards are decompressed as a whole."""


class MdsSamples(SourceSamples[MdsSource]):
    """The samples of a folder with an `index.json`."""

    def __init__(self, location: Location) -> None:
        super().__init__(location)
        self._root = text_of(location.root)
        self._folder = folder_of(self._root)
        shards = shards_of(self._folder, location.options)
        stored = shards[0].columns if shards else ()
        self._columns = {c.name: c.encoding.partition(":")[0] for c in stored if is_read(c)}
        self.unread_fields = tuple(column.name for column in stored if not is_read(column))
        # Of lists of images, which are no components, a reader reads one image each.
        self._first_images = [f"{c.name}[0]" for c in stored if c.encoding in LISTS]
        if not self._columns and shards:
            images = self._first_images
            remedy = f"; fn.readers.mds reads images of lists, as columns={images}"
            raise SourceError(
                f"{location.root}: no column has an encoding that is read{remedy if images else ''}"
            )
        self._source = open_mds(
            [self._root],
            [*self._columns],
            cache_bytes=_CACHE_BYTES,
            storage_options=location.options,
            damages=location.damages,
        )
        self.learn(location.manifest)

    def read(self, indices: NDArray[np.int64]) -> list[Sample]:
        """See `StoredSamples.read`."""
        columns = self._source.read(indices, np.empty)
        samples = []
        for row, index in enumerate(indices.tolist()):
            shard, number = self._source.located(index)
            values = zip(self._columns.items(), columns, strict=True)
            components = {name: self._value(kind, c[row], index) for (name, kind), c in values}
            key = f"{shard.basename.removesuffix('.mds')}/{number:08d}"
            samples.append(Sample(key, components))
        return samples

    def _value(self, kind: str, value: NDArray[np.generic], index: int) -> Value:
        if kind in NUMBERS or (kind in TEXTS and not value.ndim):
            number: int | float = value.item()
            return number
        if kind in TEXTS:
            try:
                return bytes(value.data).decode()
            except UnicodeDecodeError as error:
                raise DecodeError(f"{self.where(index)}: a text is no UTF-8: {error}") from None
        if kind in (*_EXTENSIONS, "bytes"):
            content = value.data
            return Encoded(content, extension_of(content) or _EXTENSIONS.get(kind, ""))
        return value

    def files(self) -> list[str]:
        """See `StoredSamples.files`."""
        return [text_of(self._folder / INDEX), *(shard.path for shard in self._source.shards)]

    def wrong_files(self) -> Iterator[tuple[str, str]]:
        """See `StoredSamples.wrong_files`."""
        for shard in self._source.shards:
            try:
                content = open_storage(shard.path, self.location.options).read_whole()
                wrong = shard.wrong_hash(np.frombuffer(content, np.uint8))
            except OSError as error:
                wrong = f"the file cannot be read: {error}"
            if wrong:
                yield shown(shard.path), wrong

    def reader_calls(self) -> Sequence[ReaderCall]:
        """See `StoredSamples.reader_calls`."""
        arguments = {"path": self._root, "columns": main_components(self.schema)}
        more = {"shuffle_block": _SHUFFLED} if self._source.inflated_bytes() else {}
        shown = {"columns": [*main_components_first(self.schema), *self._first_images]}
        return [ReaderCall("mds", arguments | more, is_own=True, shown=shown)]


ROW = DatasetFormat("mds", "MDS data sets of MosaicML's streaming", MdsSamples, opens_folder=True)
