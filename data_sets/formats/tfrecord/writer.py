"""Writes TFRecord files, and their indexes; `reader` describes the features."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ....engine.errors import ArgumentError
from ....readers.tfrecord.crc32c import checksum
from ....readers.tfrecord.encoding import FeatureValue, encode_example
from ....readers.tfrecord.framing import FRAME, frames_of
from ...component_files import npy_of
from ...manifest import ShardInfo
from ...sample import Encoded, Sample, Value
from ...schema import Schema
from ..one_file import OneFileWriter
from ..writer import Target
from .reader import DOUBLE, EXTENSION, KEY, NATIVE, SHAPE

_OURS = (EXTENSION, SHAPE, DOUBLE)

RECORDS_AT_ONCE = 64
"""Records that get their frames together, at most."""

BYTES_AT_ONCE = 1 << 20
"""Bytes of records that get their frames together, at most."""


class TFRecordWriter(OneFileWriter):
    """Writes `.tfrecord` and `.idx` files; a line of the index is a record's offset and length."""

    suffix = ".tfrecord"

    @classmethod
    def refusal(cls, schema: Schema) -> str:
        reserved = [name for name in schema if name == KEY or name.endswith(_OURS)]
        return f"TFRecord files have another use for the name {reserved[0]!r}" if reserved else ""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        checksum()  # raises an error if crc32c is not installed

    def start(self, path: Any) -> None:
        super().start(path)
        self.beside[".idx"] = []
        self._records: list[bytes] = []
        self._bytes = self._offset = 0

    def write(self, sample: Sample) -> None:
        features: dict[str, FeatureValue] = {KEY: sample.key.encode()}
        for name, value in sample.components.items():
            features.update(_features(name, value))
        record = encode_example(features)
        self.samples += 1
        self._records.append(record)
        self._bytes += len(record)
        if len(self._records) >= RECORDS_AT_ONCE or self._bytes >= BYTES_AT_ONCE:
            self._flush()

    def _flush(self) -> None:
        self.file.write(frames_of(self._records))
        for record in self._records:
            length = len(record) + FRAME
            self.beside[".idx"].append(b"%d %d\n" % (self._offset, length))
            self._offset += length
        self._records, self._bytes = [], 0

    def finish(self) -> ShardInfo:
        self._flush()
        return super().finish()


def _features(name: str, value: Value) -> Iterator[tuple[str, FeatureValue]]:
    if isinstance(value, Encoded):
        yield name, value.data
        yield name + EXTENSION, value.extension.encode()
    elif isinstance(value, str):
        yield name, value.encode()
    elif isinstance(value, int):
        yield name, _int64(name, value)
    elif isinstance(value, float):
        single = np.array([value], np.float32)
        yield name, single
        if single.item() != value:
            yield name + DOUBLE, np.array([value], "<f8").tobytes()
    elif value.dtype.name in NATIVE:
        yield name, value
        if value.ndim != 1 or not value.size:
            yield name + SHAPE, np.array(value.shape, np.int64)
    else:
        yield name, npy_of(value)


def _int64(name: str, value: int) -> Any:
    try:
        return np.array([value], np.int64)
    except OverflowError:
        raise ArgumentError(f"the component {name!r} is {value}, which int64 cannot hold") from None
