"""The samples of Caffe2's `ImageInput`: image, labels, weights, further tensors, a box."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array
from ...engine.errors import DecodeError
from ..protobuf.columns import MIN_MESSAGES, common_fields
from ..protobuf.wire import LENGTH
from ..source import Column
from ..storage.records import Records
from ..storage.storage import cut
from .tensor_protos import (
    BYTE,
    FLOAT,
    INT32,
    STRING,
    TensorProto,
    single_int32s,
    tensor_columns,
    tensors,
)


class LabelType(IntEnum):
    """The ways to store the classes of an image: the numbers of Caffe2's `ImageInput`."""

    SINGLE = 0
    SPARSE = 1
    DENSE = 2
    WEIGHTED = 3
    NONE = 4


@dataclass(frozen=True)
class TensorProtosParser:
    """Makes the columns of `fn.readers.caffe2`.

    Attributes:
        image: whether the first tensor is an image.
        label_type: way in which the next tensors hold the labels.
        num_labels: number of classes, for sparse labels.
        additional: number of further tensors.
        box: whether the last tensor is a bounding box.
    """

    image: bool
    label_type: LabelType
    num_labels: int
    additional: int
    box: bool

    def __call__(self, records: Records) -> tuple[Column, ...]:
        """Return a column for each output."""
        return self._together(records) or self._one_by_one(records)

    def _together(self, records: Records) -> tuple[Column, ...] | None:
        """Return the columns of the usual data set: an encoded image and one class each."""
        usual = self.image and self.label_type == LabelType.SINGLE
        if not usual or self.num_outputs > 2 or len(records) < MIN_MESSAGES:
            return None
        block = records.block
        stored = common_fields(block, records.starts, records.ends) or []
        if len(stored) < 2 or {(field.number, field.wire) for field in stored} != {(1, LENGTH)}:
            return None
        image = tensor_columns(block, stored[0], STRING)
        label = tensor_columns(block, stored[1], INT32)
        if image is None or label is None:
            return None
        classes = single_int32s(block, label)
        return None if classes is None else (cut(block, image.starts, image.values), classes)

    def _one_by_one(self, records: Records) -> tuple[Column, ...]:
        most = self.num_tensors
        samples = [list(self._sample(tensors(content, most))) for content in records.views()]
        if not samples:
            return tuple([] for _ in range(self.num_outputs))
        return tuple(list(column) for column in zip(*samples, strict=True))

    @property
    def num_outputs(self) -> int:
        """Number of columns."""
        label = self.label_type != LabelType.NONE
        return int(self.image) + int(label) + self.additional + int(self.box)

    @property
    def num_tensors(self) -> int:
        """Number of tensors that a record must have at least."""
        return self.num_outputs + int(self.label_type == LabelType.WEIGHTED)

    def _sample(self, stored: list[TensorProto]) -> Iterator[Array]:
        if len(stored) < self.num_tensors:
            raise DecodeError(
                f"{len(stored)} tensors, where the arguments of the reader ask for "
                f"{self.num_tensors}"
            )
        rest = iter(stored)
        if self.image:
            yield _image(next(rest))
        if self.label_type != LabelType.NONE:
            yield self._label(rest)
        for _ in range(self.additional):
            yield next(rest).numbers()
        if self.box:
            yield _box(next(rest))

    def _label(self, rest: Iterator[TensorProto]) -> Array:
        stored = next(rest)
        if stored.data_type not in (FLOAT, INT32):
            raise DecodeError(f"labels of type {stored.type_name}, where FLOAT or INT32 is needed")
        values = stored.numbers()
        if self.label_type == LabelType.SINGLE and len(values) != 1:
            raise DecodeError(f"{len(values)} labels, where one is needed (label_type=0)")
        if self.label_type == LabelType.SPARSE:
            return self._scattered(values, np.ones(len(values), values.dtype))
        if self.label_type == LabelType.WEIGHTED:
            weights = next(rest)
            if weights.data_type != FLOAT:
                raise DecodeError(f"weights of type {weights.type_name}, where FLOAT is needed")
            return self._scattered(values, weights.numbers())
        return values

    def _scattered(self, classes: Array, weights: Array) -> Array:
        """Return a vector of zeros with `weights` at the indices `classes`."""
        if len(classes) != len(weights):
            raise DecodeError(f"{len(classes)} labels, but {len(weights)} weights")
        wrong = classes[~((classes >= 0) & (classes < self.num_labels))]
        if wrong.size:
            raise DecodeError(f"label {wrong[0]}, where num_labels is {self.num_labels}")
        vector = np.zeros(self.num_labels, weights.dtype)
        vector[classes.astype(np.int64)] = weights
        return vector


def _image(stored: TensorProto) -> NDArray[np.uint8]:
    if stored.data_type == STRING:
        return stored.string()
    if stored.data_type == BYTE:
        return stored.pixels()
    raise DecodeError(
        f"an image of type {stored.type_name}, where STRING (encoded) or BYTE (pixels) is "
        "needed; with image_available=False no image is read"
    )


def _box(stored: TensorProto) -> Array:
    if stored.data_type != INT32 or len(box := stored.numbers()) != 4:
        raise DecodeError("a bounding box must be four numbers of type INT32")
    return box
