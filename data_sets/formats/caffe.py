"""Caffe's and Caffe2's LMDB databases, whose values are messages with an image and one label."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array
from ...engine.errors import ArgumentError
from ...readers.lmdb.caffe2_samples import LabelType, TensorProtosParser
from ...readers.lmdb.datum import DatumParser, encode_datum
from ...readers.lmdb.reader import LMDBSource, Parse
from ...readers.lmdb.tensor_protos import encode_tensors
from ..component_files import LABEL
from ..media import IMAGE, OTHER, extension_of, medium_of
from ..sample import Encoded, Sample, Value
from ..schema import ENCODED, INT, Schema, schema_of
from .base import Location, ReaderCall
from .dataset_format import DatasetFormat
from .lmdb import DATA, Entry, LmdbFileWriter, LmdbSamples, holds
from .writer import needs_label, one_encoded, others

_POSITION = re.compile(r"^\d{8}_")
"""What Caffe's tools write before a file's name: the position, which keeps the order."""


class LmdbMessageSamples(LmdbSamples):
    """Databases whose values are messages with an encoded image and one label."""

    def __init__(self, location: Location, parse: Parse, reader: str) -> None:
        """Open databases of messages that `parse` reads, as `fn.readers.<reader>` does."""
        super().__init__(location)
        self._reader = reader
        self._source = LMDBSource(self._files, parse, keys=True)
        self.learn(location.manifest)

    def read(self, indices: NDArray[np.int64]) -> list[Sample]:
        images, labels, keys = self._source.read(indices, np.empty)
        return [
            Sample(*self._named(os.fsdecode(key.tobytes()), image, int(label[0])))
            for image, label, key in zip(images, labels, keys, strict=True)
        ]

    def reader_calls(self) -> Sequence[ReaderCall]:
        folders = [os.path.dirname(p) if os.path.basename(p) == DATA else p for p in self.files()]
        return [ReaderCall(self._reader, {"path": folders}, medium=IMAGE)]

    def _named(self, key: str, image: Array, label: int) -> tuple[str, dict[str, Value]]:
        if image.ndim != 1:
            return key, {"image": image, LABEL: label}
        stem, extension = key, extension_of(image.data)
        if self.location.manifest is not None:
            stem, _, extension = _POSITION.sub("", key).rpartition(".")
        name = medium_of(extension) or OTHER
        return stem, {name: Encoded(image.data, extension), LABEL: label}


def open_caffe(location: Location) -> LmdbMessageSamples:
    """Open databases of Caffe's `Datum` messages."""
    return LmdbMessageSamples(location, DatumParser(image=True, label=True), "caffe")


def open_caffe2(location: Location) -> LmdbMessageSamples:
    """Open databases of Caffe2's `TensorProtos` messages: an image and one label each."""
    parser = TensorProtosParser(True, LabelType.SINGLE, 1, 0, box=False)
    return LmdbMessageSamples(location, parser, "caffe2")


class CaffeWriter(LmdbFileWriter):
    """Writes databases of Caffe's `Datum` messages.

    A key is the sample's number in the shard, a file name behind it, as `convert_imageset` of Caffe
    writes keys. So the order of the samples is that of the keys.
    """

    title = "Caffe's LMDB"

    @classmethod
    def refusal(cls, schema: Schema) -> str:
        return (
            one_encoded(schema, cls.title)
            or _refused_name(schema, cls.title)
            or needs_label(schema, cls.title)
            or others(schema, {LABEL: INT}, cls.title)
        )

    def entries(self, sample: Sample) -> Iterator[Entry]:
        """Yield one message."""
        label = sample.components.get(LABEL)
        if refused := _refused_name(schema_of([sample]), self.title, is_exact=True):
            raise ArgumentError(refused)
        encoded = [v for v in sample.components.values() if isinstance(v, Encoded)]
        if not isinstance(label, int) or len(encoded) != 1:
            raise ArgumentError(f"{self.title} needs an encoded image and an integer label")
        if not -(1 << 31) <= label < 1 << 31:
            raise ArgumentError(f"{self.title} holds labels as int32, which changes {label}")
        key = f"{self.samples:08d}_{sample.key}.{encoded[0].extension}"
        yield key.encode(), self.message(encoded[0].data, label)

    def message(self, content: bytes | memoryview, label: int) -> bytes:
        """Return the value of a sample."""
        return encode_datum(content, label)


def _refused_name(schema: Schema, format: str, *, is_exact: bool = False) -> str:
    """Return why an encoded component would come back under another name, or "".

    `is_exact` says that "" is the extension, and does not stand for several ones.
    """
    for name, component in schema.items():
        stored = medium_of(component.extension) or OTHER
        if component.type == ENCODED and (component.extension or is_exact) and stored != name:
            return (
                f"{format} keeps no names: a file .{component.extension} comes back as {stored!r}, "
                f"but is the component {name!r} here"
            )
    return ""


class Caffe2Writer(CaffeWriter):
    """Writes databases of Caffe2's `TensorProtos` messages."""

    title = "Caffe2's LMDB"

    def message(self, content: bytes | memoryview, label: int) -> bytes:
        return encode_tensors(content, label)


ROWS = tuple(
    DatasetFormat(
        name, f"LMDB databases of {title}", opener, writer, recognize=partial(holds, name)
    )
    for name, title, opener, writer in (
        ("caffe", "Caffe", open_caffe, CaffeWriter),
        ("caffe2", "Caffe2", open_caffe2, Caffe2Writer),
    )
)
