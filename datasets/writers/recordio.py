"""Writes RecordIO files of MXNet, their indexes and lists; see `stored.recordio`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError
from ...readers.recordio.framing import frames_of
from ...readers.recordio.image_record import encode_record
from ..component_files import LABEL
from ..sample import Encoded, Sample
from ..schema import ARRAY, FLOAT, INT, ComponentType, Schema
from ..stored.recordio import BOXES, DETECTION_HEADER, LABELS
from .base import one_encoded, others
from .one_file import OneFileWriter

_NAME = "RecordIO"


class RecordIOWriter(OneFileWriter):
    """Writes `.rec`, `.idx` and `.lst` files, as MXNet's `im2rec` does."""

    suffix = ".rec"

    @classmethod
    def refusal(cls, schema: Schema) -> str:
        """See `Writer.refusal`."""
        return one_encoded(schema, _NAME) or _refused_labels(schema)

    def start(self, path: Path) -> None:
        """See `Writer.start`."""
        super().start(path)
        self.beside |= {".idx": [], ".lst": []}
        self._offset = 0

    def write(self, sample: Sample) -> None:
        """See `Writer.write`."""
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
