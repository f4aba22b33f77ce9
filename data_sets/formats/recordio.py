"""RecordIO files of MXNet: a sample is an image (or another encoded file) and its labels.

The list (`.lst`) beside a file gives keys and extensions: on each line a record's key of the
index (`.idx`), the labels and a path, with tabs between them, as MXNet's `im2rec` writes it.
Without a list, a record's number is its key.

A detection set has one vector of labels: `[2, 5, class, x, y, w, h, class, ...]`. The two numbers
at the front are the sizes of this header and of an object, as MXNet's detection iterator wants.
The numbers of a box are those of the component "boxes".
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError, DecodeError, SourceError
from ...readers.recordio.extents import scanned_extents
from ...readers.recordio.framing import MAGIC, frames_of, read_index_lines
from ...readers.recordio.image_record import encode_record
from ...readers.recordio.reader import MXNetSource, open_records, write_mxnet_index
from ...readers.storage.opening import exists, open_storage, read_whole
from ...readers.storage.storage import Storage
from ...readers.storage.strings import StringTable
from ...readers.storage.urls import is_url, place_of, shown, text_of
from ..component_files import LABEL
from ..media import IMAGE, OTHER, extension_of, medium_of
from ..sample import Encoded, Sample, Value
from ..schema import ARRAY, ENCODED, FLOAT, INT, ComponentType, Schema
from .base import Location, ReaderCall, SourceSamples, numbered_key
from .dataset_format import DatasetFormat, begins_with
from .one_file import OneFileWriter
from .writer import one_encoded, others

BOXES, LABELS = "boxes", "labels"
WITHOUT_RECORD = "paths of .lst files for which the .idx files have no record"
DETECTION_HEADER = (2.0, 5.0)


class RecordIOSamples(SourceSamples[MXNetSource]):
    """The records of `.rec` files."""

    def __init__(self, location: Location) -> None:
        super().__init__(location)
        self._source = open_records(
            self.files(),
            _beside(self.files(), ".idx", location.options),
            keep_header_records=location.manifest is not None,
            storage_options=location.options,
            damages=location.damages,
        )
        self._paths, self._without_record = _listed_paths(self.files(), location.options)
        listed = sum(map(len, self._paths.values())) if self._paths is not None else 0
        if self._paths is not None and listed != len(self._source) and not location.damages:
            raise SourceError(
                f"{location.root}: the .lst files list {listed} samples, but the .rec "
                f"files hold {len(self._source)}; remove the lists or make them anew"
            )
        schema = location.manifest.schema if location.manifest else {}
        self._media = next((n for n, component in schema.items() if component.type == ENCODED), "")
        self._is_detection = BOXES in schema
        self._integral = schema[LABEL].type == INT if LABEL in schema else None
        self.learn(location.manifest)

    @property
    def skipped_files(self) -> Mapping[str, Sequence[str]]:
        lost = {WITHOUT_RECORD: self._without_record} if self._without_record else {}
        return {**super().skipped_files, **lost}

    def read(self, indices: NDArray[np.int64]) -> list[Sample]:
        contents, labels = self._source.read(indices, np.empty)
        keys = [self._named(int(index)) for index in indices]
        samples = []
        for (key, extension), content, label in zip(keys, contents, labels, strict=True):
            data = content.data
            extension = extension or extension_of(data)
            components: dict[str, Value] = {}
            name = self._media or medium_of(extension) or OTHER
            components[name] = Encoded(data, extension)
            samples.append(Sample(key, components | self._labels(key, label)))
        return samples

    def _named(self, index: int) -> tuple[str, str]:
        name, number, _ = self._source.position_of(index)
        if self._paths is None:
            return numbered_key(name, number), ""
        key, extension = os.path.splitext(os.fsdecode(self._paths[name][number]))
        return key, extension[1:]

    def _labels(self, key: str, label: NDArray[np.float32]) -> dict[str, Value]:
        if self._is_detection:
            return detection_of(key, label)
        if label.size != 1:
            return {LABELS: label}
        number = label.item()
        whole = number.is_integer() if self._integral is None else self._integral
        return {LABEL: int(number) if whole else number}

    def reader_calls(self) -> Sequence[ReaderCall]:
        return [
            ReaderCall(
                "mxnet",
                {"path": self.files()},
                index=("index_path", write_mxnet_index),
                medium=IMAGE,
            )
        ]


def detection_of(key: str, label: NDArray[np.float32]) -> dict[str, Value]:
    """Return classes and boxes of a vector of labels: see the module."""
    if tuple(label[:2].tolist()) != DETECTION_HEADER or (len(label) - 2) % 5:
        raise DecodeError(f"the labels of {key!r} are no list of objects: {label[:8].tolist()}")
    objects = label[2:].reshape(-1, 5)
    return {BOXES: objects[:, 1:].copy(), LABELS: objects[:, 0].astype(np.int32)}


def _beside(files: list[str], suffix: str, options: Mapping[str, object]) -> list[str]:
    """Return the files with this suffix beside `files`, if each has one."""
    beside = [text_of(place_of(path).with_suffix(suffix)) for path in files]
    return beside if all(exists(path, options) for path in beside) else []


def _listed_paths(
    files: list[str], options: Mapping[str, object]
) -> tuple[dict[str, StringTable] | None, list[str]]:
    """Return the path of each record, by file, in the order of the records, and other listed paths.

    Without lists, None takes the place of the former.
    """
    lists, indexes = (_beside(files, suffix, options) for suffix in (".lst", ".idx"))
    if not lists or not indexes:
        return None, []
    names = [shown(file) if is_url(file) else os.path.abspath(file) for file in files]
    pairs = zip(lists, indexes, strict=True)
    lost: list[str] = []
    tables = [StringTable.of(_paths_of_file(*pair, options, lost)) for pair in pairs]
    return dict(zip(names, tables, strict=True)), lost


def _paths_of_file(
    listing: str, index: str, options: Mapping[str, object], lost: list[str]
) -> list[bytes]:
    """Return the paths of an index's records; append those that are only listed to `lost`."""
    names: dict[int, bytes] = {}
    for number, line in enumerate(read_whole(listing, options).splitlines(), 1):
        fields = line.split(b"\t")
        if len(fields) < 3 or not fields[0].isdigit():
            raise SourceError(
                f"{shown(listing)}, line {number}: a number, labels and a path with tabs between "
                f"them are expected, but it reads {line[:80]!r}"
            )
        names[int(fields[0])] = fields[-1]
    lines = read_index_lines(read_whole(index, options), shown(index))
    keys = [key for _, key in sorted(lines)]
    if missing := [key for key in keys if key not in names]:
        raise SourceError(
            f"{shown(listing)} does not list the record {missing[0]} of {shown(index)}"
        )
    paths = [names.pop(key) for key in keys]
    lost += map(os.fsdecode, names.values())
    return paths


_NAME = "RecordIO"


def _indexed(file: str) -> tuple[Storage, Callable[[], int]]:
    storage = open_storage(file)
    return storage, lambda: len(scanned_extents(storage)[0])


class RecordIOWriter(OneFileWriter):
    """Writes `.rec`, `.idx` and `.lst` files, as MXNet's `im2rec` does."""

    suffix = ".rec"

    @classmethod
    def refusal(cls, schema: Schema) -> str:
        return one_encoded(schema, _NAME) or _refused_labels(schema)

    def start(self, path: Path) -> None:
        super().start(path)
        self.beside |= {".idx": [], ".lst": []}
        self._offset = 0

    def write(self, sample: Sample) -> None:
        encoded = [v for v in sample.components.values() if isinstance(v, Encoded)]
        if len(encoded) != 1:
            raise ArgumentError(f"{len(encoded)} encoded files in a sample; RecordIO holds one")
        labels = _labels(sample)
        try:
            frames = frames_of(encode_record(encoded[0].data, labels, self.samples))
        except ValueError as error:
            raise ArgumentError(str(error)) from None
        self.file.write(frames)
        self.beside[".idx"].append(b"%d\t%d\n" % (self.samples, self._offset))
        listed = "\t".join(map(repr, labels.tolist()))
        name = f"{sample.key}.{encoded[0].extension}"
        self.beside[".lst"].append(f"{self.samples}\t{listed}\t{name}\n".encode())
        self._offset += sum(map(len, frames))
        self.samples += 1


def _refused_labels(schema: Schema) -> str:
    if BOXES in schema:
        boxes, labels = schema[BOXES], schema.get(LABELS, ComponentType(""))
        fits = boxes.dtype == "float32" and len(boxes.shape) == 2 and boxes.shape[1] == 4
        fits &= labels.dtype == "int32" and len(labels.shape) == 1
        if not fits:
            return (
                "RecordIO holds 'boxes' of float32 (n, 4) with 'labels' of int32 (n,), but they "
                f"are {boxes} and {labels}"
            )
        return others(schema, {BOXES: ARRAY, LABELS: ARRAY}, _NAME)
    if LABELS in schema:
        labels = schema[LABELS]
        if labels.dtype != "float32" or len(labels.shape) != 1 or labels.shape[0] == 1:
            return f"RecordIO holds several float32 'labels', but they are {labels}"
        return others(schema, {LABELS: ARRAY}, _NAME)
    label = schema.get(LABEL)
    if label is None or label.type not in (INT, FLOAT):
        return "RecordIO needs the component 'label', a number, or 'labels', an array"
    return others(schema, {LABEL: label.type}, _NAME)


def _labels(sample: Sample) -> NDArray[np.float32]:
    """Return the labels of a record.

    Raises:
        ArgumentError: the labels are missing, or a number changes as float32.
    """
    components = sample.components
    if BOXES in components and LABELS in components:
        exact = np.column_stack([np.asarray(components[LABELS]), np.asarray(components[BOXES])])
        exact = np.concatenate([DETECTION_HEADER, exact.reshape(-1)])
    else:
        exact = np.atleast_1d(np.asarray(components.get(LABEL, components.get(LABELS, ()))))
    stored = exact.astype(np.float32)
    if not stored.size:
        raise ArgumentError("the sample has no label, but a record of RecordIO needs one")
    if wrong := [a for a, b in zip(exact.tolist(), stored.tolist(), strict=True) if a != b]:
        raise ArgumentError(f"RecordIO holds labels as float32, which changes {wrong[0]!r}")
    return stored


ROW = DatasetFormat(
    "recordio",
    "RecordIO files of MXNet",
    RecordIOSamples,
    RecordIOWriter,
    recognize=begins_with(MAGIC.to_bytes(4, "little")),
    companions=(".idx", ".lst"),
    endings=(".rec",),
    index=_indexed,
)
