"""TFRecord files: a sample is a `tf.train.Example`.

The features of a component NAME:

    NAME              encoded: its bytes; text: UTF-8; numbers and arrays: their elements in C order
    NAME.extension    of an encoded file
    NAME.shape        of an array that is empty or has not exactly one dimension
    NAME.float64      eight bytes of a number that float32 cannot hold
    key               the sample's key

Arrays of other types than float32, int32 and int64 are bytes in `.npy` format. In files of other
programs, a feature with several strings in one of the records that are looked at is left out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....engine.arrays import Array
from ....engine.errors import DecodeError
from ....formats.npy import array_of_npy
from ....readers.storage.records import RecordFiles
from ....readers.tfrecord.columns import LENGTHS, Wanted, one
from ....readers.tfrecord.example import find_features, stored_names
from ....readers.tfrecord.features import VarLenFeature, float32, int64, string
from ....readers.tfrecord.framing import inner
from ....readers.tfrecord.index import open_frames, record_paths, write_tfrecord_index
from ....readers.tfrecord.patterns import SLACK
from ....readers.tfrecord.reader import TFRecordSource
from ...component_files import decoded_text
from ...media import encoded_component, extension_of
from ...sample import Encoded, Sample, Value
from ...schema import ARRAY, ENCODED, FLOAT, INT, ComponentType, Schema, type_of
from ..base import Location, ReaderCall, SourceSamples, numbered_key, probes

KEY, EXTENSION, SHAPE, DOUBLE = "key", ".extension", ".shape", ".float64"
NATIVE = {"float32": np.float32, "int32": np.int64, "int64": np.int64}
"""The types of arrays that are lists of numbers in a record, and their types there."""

Columns = Mapping[str, Any]


class TFRecordSamples(SourceSamples[TFRecordSource]):
    """The Examples of TFRecord files."""

    def __init__(self, location: Location) -> None:
        super().__init__(location)
        storages, frames = open_frames(
            record_paths(location.files), location.options, damages=location.damages
        )
        self._records = RecordFiles(storages, frames)
        checked = TFRecordSource(self._records, [], verify=True)
        self._probes = self.sound(
            probes(len(self._records)), lambda indices: checked.read(indices, np.empty)
        )
        self._paths = [str(storage.path) for storage in storages if storage.path is not None]
        self._features = dict(self._stored_features())
        self._aside = set(self._features_aside())
        wanted = [Wanted(*feature) for feature in self._features.items()]
        self._source = TFRecordSource(self._records, wanted, verify=True)
        self._columns = [name for feature in wanted for name in feature.names()]
        self._types: Schema = {}
        if location.manifest is None:
            self.unread_fields = tuple(self._several_strings())
            self._features = {
                n: f for n, f in self._features.items() if n not in self.unread_fields
            }
        self._types = self._lists() if location.manifest is None else location.manifest.schema
        self.learn(location.manifest)
        self._types = self.schema

    def _features_aside(self) -> Iterator[str]:
        """Yield the names of features that say more of another feature, if they are there."""
        for name, feature in self._features.items():
            if feature.dtype == string:
                yield name + EXTENSION
            else:
                yield name + SHAPE
            if feature.dtype == float32:
                yield name + DOUBLE
        if self._has_keys:
            yield KEY

    @property
    def _has_keys(self) -> bool:
        return KEY in self._features and self._features[KEY].dtype == string

    def _several_strings(self) -> Iterator[str]:
        """Yield the features with several strings in a record, which no component can hold."""
        columns = self._read_columns(self._probes)
        for name, feature in self._features.items():
            if feature.dtype == string and any(len(n) > 1 for n in columns[name + LENGTHS]):
                yield name

    def _lists(self) -> Schema:
        """Return the types of the features that hold one number in some records, more in others."""
        values = [pair for s in self.read(self._probes) for pair in s.components.items()]
        arrays = {name: value for name, value in values if isinstance(value, np.ndarray)}
        numbers = {name for name, value in values if isinstance(value, int | float)}
        return {name: type_of(arrays[name]) for name in numbers & arrays.keys()}

    def _stored_features(self) -> Iterator[tuple[str, VarLenFeature]]:
        """Yield the features of the manifest's schema, or of a few records."""
        if self.location.manifest is not None:
            yield KEY, VarLenFeature(string)
            for name, component in self.location.manifest.schema.items():
                yield from declared_features(name, component)
            return
        indices = self._probes
        frames = inner(self._records.read(indices, np.empty, SLACK))
        for row, index in enumerate(indices.tolist()):
            data = one(frames, row)
            try:
                keys = [name.encode() for name in stored_names(data)]
                features = find_features(data, keys)
            except DecodeError as error:
                where = self._records.where(index)
                raise DecodeError(f"{where}: no valid tf.train.Example: {error}") from None
            for key, (feature_type, _) in features.items():
                yield key.decode(errors="replace"), VarLenFeature(feature_type)

    def __len__(self) -> int:
        return len(self._records)

    def read(self, indices: NDArray[np.int64]) -> list[Sample]:
        columns = self._read_columns(indices)
        samples = []
        for row, index in enumerate(indices.tolist()):
            try:
                components = dict(self._components(columns, row))
            except DecodeError as error:
                raise DecodeError(f"{self.where(index)}: {error}") from None
            samples.append(Sample(self._key(columns, row, index), components))
        return samples

    def _read_columns(self, indices: NDArray[np.int64]) -> Columns:
        return dict(zip(self._columns, self._source.read(indices, np.empty), strict=True))

    def _key(self, columns: Columns, row: int, index: int) -> str:
        if self._has_keys and KEY in columns and len(columns[KEY + LENGTHS][row]) == 1:
            return os.fsdecode(columns[KEY][row].tobytes())
        name, number, _ = self._records.position_of(index)
        return numbered_key(name, number)

    def _components(self, columns: Columns, row: int) -> Iterator[tuple[str, Value]]:
        for name, feature in self._features.items():
            if name in self._aside:
                continue
            stored = columns[name][row]
            declared = self._types.get(name)
            double = columns.get(f"{name}{DOUBLE}")
            if double is not None and double[row].size == 8:
                yield name, double[row].copy().view("<f8").item()
            elif feature.dtype != string:
                shapes = columns.get(f"{name}{SHAPE}")
                shape = None if shapes is None or not shapes[row].size else shapes[row]
                if stored.size or shape is not None:
                    yield name, _numbers(stored, declared, shape)
            elif len(columns[name + LENGTHS][row]) > 1:
                raise DecodeError(f"the feature {name!r} holds several strings; one is expected")
            elif len(columns[name + LENGTHS][row]):
                extensions = columns.get(f"{name}{EXTENSION}")
                extension = "" if extensions is None else str(extensions[row].data, "utf-8")
                yield name, _of_bytes(stored, declared, extension)

    def reader_calls(self) -> Sequence[ReaderCall]:
        names = [encoded_component(self.schema)[0] or next(iter(self.schema))]
        names += ["label"] if "label" in self.schema and names != ["label"] else []

        def features(library: Any) -> dict[str, object]:
            form = library.tfrecord
            return {
                name: form.FixedLenFeature([1], form.int64, -1)
                if self.schema[name].type == INT
                else form.FixedLenFeature((), form.string, "")
                for name in names
            }

        arguments = {"path": self.files(), "features": features}
        index = ("index_path", write_tfrecord_index)
        return [ReaderCall("tfrecord", arguments, index=index, outputs=names)]


def declared_features(name: str, type: ComponentType) -> Iterator[tuple[str, VarLenFeature]]:
    """Yield the features that hold a component."""
    if type.type == ARRAY and is_native(type):
        yield name, VarLenFeature(float32 if type.dtype == "float32" else int64)
        yield name + SHAPE, VarLenFeature(int64)
    elif type.type in (INT, FLOAT):
        yield name, VarLenFeature(int64 if type.type == INT else float32)
        if type.type == FLOAT:
            yield name + DOUBLE, VarLenFeature(string)
    else:
        yield name, VarLenFeature(string)
        if type.type == ENCODED:
            yield name + EXTENSION, VarLenFeature(string)


def is_native(type: ComponentType) -> bool:
    """Return whether arrays of a type are lists of numbers in a record."""
    return type.dtype in NATIVE


def _numbers(
    stored: Array, declared: ComponentType | None, shape: NDArray[np.int64] | None
) -> Value:
    if declared is not None and declared.type == ARRAY:
        stored = stored.astype(declared.dtype, copy=False)
    elif stored.size == 1 and shape is None:
        number: Value = stored[0].item()
        return number
    return stored if shape is None else _shaped(stored, shape)


def _shaped(array: Array, shape: NDArray[np.int64]) -> Array:
    try:
        return array.reshape(shape.tolist())
    except (ValueError, OverflowError):
        raise DecodeError(f"{array.size} numbers do not fill the shape {shape.tolist()}") from None


def _of_bytes(stored: Array, declared: ComponentType | None, extension: str) -> Value:
    data = stored.data
    if declared is None:
        if extension_of(data) == "npy":
            return array_of_npy(stored)
        if extension or extension_of(data):
            return Encoded(data, extension or extension_of(data))
        try:
            return str(data, "utf-8")
        except UnicodeDecodeError:
            return Encoded(data, "")
    if declared.type == ARRAY:
        return array_of_npy(stored)
    if declared.type == ENCODED:
        return Encoded(data, extension or declared.extension or extension_of(data))
    return decoded_text(data)
