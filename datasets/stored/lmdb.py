"""LMDB databases: Caffe's, Caffe2's, and databases whose values are files.

In a database of files, a key is a sample's key, a dot, and the suffix of a component: see
`component_files`. In a database without a manifest, a value whose key has no known suffix is an
encoded file by itself.
"""

from __future__ import annotations

import os
import re
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import DecodeError
from ...readers.lmdb.caffe2_samples import LabelType, TensorProtosParser
from ...readers.lmdb.datum import Datum, DatumParser
from ...readers.lmdb.files import LMDBFiles
from ...readers.lmdb.reader import LMDBSource, Parse
from ...readers.lmdb.tensor_protos import STRING, tensors
from ...readers.storage.read_plan import Int64s
from ...readers.webdataset.index import split_name
from ..component_files import LABEL, components_of, unquoted_key
from ..media import OTHER, extension_of, medium_of
from ..sample import Encoded, Sample, Value
from .base import Location, StoredSamples, grouped_rows, joined

_POSITION = re.compile(r"^\d{8}_")
"""What Caffe's tools write before a file's name: the position, which keeps the order."""


class LmdbSamples(StoredSamples):
    """Base of the samples of LMDB files."""

    def __init__(self, location: Location) -> None:
        self._location = location
        self._files = LMDBFiles(location.files, options=location.options)

    def __len__(self) -> int:
        return len(self._files)

    def where(self, index: int) -> str:
        """Return file and key of a record."""
        return self._files.where(index)

    def files(self) -> list[str]:
        """See `StoredSamples.files`."""
        return [
            os.path.join(path, "data.mdb") if os.path.isdir(path) else path
            for path in self._location.files
        ]

    def close(self) -> None:
        """See `StoredSamples.close`."""
        self._files.close()


class LmdbFileSamples(LmdbSamples):
    """Databases whose values are files."""

    def __init__(self, location: Location) -> None:
        super().__init__(location)
        self._firsts = self._grouped()
        self.learn(location.manifest)

    def _grouped(self) -> Int64s:
        """Return the number of each sample's first record, and last the number of records."""
        firsts: list[int] = []
        last = None
        for number, name in enumerate(self._files.key_table):
            key, _ = _split(name)
            if key != last:
                firsts.append(number)
                last = key
        return np.array([*firsts, len(self._files)], np.int64)

    def __len__(self) -> int:
        return len(self._firsts) - 1

    def read(self, indices: NDArray[np.int64]) -> list[Sample]:
        """See `StoredSamples.read`."""
        groups = grouped_rows(self._firsts, indices)
        contents = self._files.read(joined(groups), np.empty).views()
        samples, row = [], 0
        for index, group in zip(indices.tolist(), groups, strict=True):
            split = [_split(self._files.key_table[number]) for number in group.tolist()]
            stored = contents[row : row + len(group)]
            suffixes = [
                suffix or extension_of(content.data)
                for (_, suffix), content in zip(split, stored, strict=True)
            ]
            components = components_of(suffixes, iter(stored), partial(self.where, index))
            samples.append(Sample(self._key(split[0][0]), components))
            row += len(group)
        return samples

    def _key(self, key: bytes) -> str:
        text = os.fsdecode(key)
        return text if self._location.manifest is None else unquoted_key(text)

    def where(self, index: int) -> str:
        """Return file and key of a sample's first record."""
        return super().where(int(self._firsts[index]))


def _split(name: bytes) -> tuple[bytes, str]:
    key, suffix = split_name(name, "first")
    return key, os.fsdecode(suffix)


class LmdbMessageSamples(LmdbSamples):
    """Databases whose values are messages with an encoded image and one label."""

    def __init__(self, location: Location, parse: Parse) -> None:
        super().__init__(location)
        self._source = LMDBSource(self._files, parse, keys=True)
        self.learn(location.manifest)

    def read(self, indices: NDArray[np.int64]) -> list[Sample]:
        """See `StoredSamples.read`."""
        images, labels, keys = self._source.read(indices, np.empty)
        return [
            Sample(*self._named(os.fsdecode(key.tobytes()), image, int(label[0])))
            for image, label, key in zip(images, labels, keys, strict=True)
        ]

    def _named(self, key: str, image: NDArray[Any], label: int) -> tuple[str, dict[str, Value]]:
        if image.ndim != 1:
            return key, {"image": image, LABEL: label}
        stem, extension = key, extension_of(image.data)
        if self._location.manifest is not None:
            stem, _, extension = _POSITION.sub("", key).rpartition(".")
        name = medium_of(extension) or OTHER
        return stem, {name: Encoded(image.data, extension), LABEL: label}


def open_caffe(location: Location) -> LmdbMessageSamples:
    """Open databases of Caffe's `Datum` messages."""
    return LmdbMessageSamples(location, DatumParser(image=True, label=True))


def open_caffe2(location: Location) -> LmdbMessageSamples:
    """Open databases of Caffe2's `TensorProtos` messages: an image and one label each."""
    return LmdbMessageSamples(location, TensorProtosParser(True, LabelType.SINGLE, 1, 0, box=False))


def value_format(content: NDArray[np.uint8]) -> str:
    """Return the format of a database with this value: "caffe", "caffe2" or "lmdb"."""
    try:
        datum = Datum(content.data)
        if datum.data is not None and datum.label is not None:
            return "caffe"
    except DecodeError:
        pass
    try:
        stored = tensors(content, 2)
        if stored and (stored[0].data_type == STRING or len(stored) == 2):
            return "caffe2"
    except DecodeError:
        pass
    return "lmdb"
