"""Caffe's `Datum` messages, from `caffe.proto`:

Datum { int32 channels = 1, height = 2, width = 3; bytes data = 4; int32 label = 5;
        repeated float float_data = 6; bool encoded = 7; }
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, DType
from ...engine.errors import DecodeError
from ..protobuf.columns import MIN_MESSAGES, common_fields, int32s
from ..protobuf.encoding import field_head, varint_field
from ..protobuf.wire import FIXED32, LENGTH, VARINT, Data, Span, bytes_of, fields, read_varint
from ..source import Column
from ..storage.records import Records
from ..storage.storage import cut

_CHANNELS, _HEIGHT, _WIDTH, _DATA, _LABEL, _FLOAT_DATA, _ENCODED = range(1, 8)


class Datum:
    """The fields of a message; None for fields that it lacks.

    Attributes:
        data: span of the picture's bytes.
        floats: spans of the picture's numbers, if these are stored in place of bytes.
        label: the class.
        encoded: whether `data` is a file such as a JPEG rather than pixels.
        height, width, channels: extents of pixels.
    """

    __slots__ = ("channels", "data", "encoded", "floats", "height", "label", "width")

    def __init__(self, message: Data) -> None:
        """Read a message.

        Raises:
            DecodeError: it is no valid message.
        """
        self.data: Span | None = None
        self.floats: list[Span] = []
        self.label: int | None = None
        self.encoded = True  # as for DALI, if the Datum does not say
        self.channels = self.height = self.width = 0
        for number, wire, start, end in fields(message, ((0, len(message)),)):
            if wire == VARINT:
                byte = message[start]
                self._set(number, byte if byte < 0x80 else read_varint(message, start, end)[0])
            elif wire == LENGTH and number == _DATA:
                self.data = start, end
            elif wire in (LENGTH, FIXED32) and number == _FLOAT_DATA:
                self.floats.append((start, end))

    def _set(self, number: int, value: int) -> None:
        if number == _LABEL:
            self.label = _int32(value)
        elif number == _ENCODED:
            self.encoded = value != 0
        elif number == _CHANNELS:
            self.channels = _int32(value)
        elif number == _HEIGHT:
            self.height = _int32(value)
        elif number == _WIDTH:
            self.width = _int32(value)


def encode_datum(content: bytes | memoryview, label: int) -> bytes:
    """Return the message of an encoded image and its label, int32."""
    ends = varint_field(_LABEL, label) + varint_field(_ENCODED, 1)
    return b"".join([field_head(_DATA, len(content)), content, ends])


def _int32(value: int) -> int:
    """Return the low 32 bits of a varint as a signed number."""
    return (value + 0x8000_0000 & 0xFFFF_FFFF) - 0x8000_0000


@dataclass(frozen=True)
class DatumParser:
    """Makes the columns of `fn.readers.caffe`.

    Attributes:
        image: whether the picture is a column.
        label: whether the label is a column.
    """

    image: bool
    label: bool

    def __call__(self, records: Records) -> tuple[Column, ...]:
        """Return the wanted columns: pictures, labels, or both."""
        return self._together(records) or self._one_by_one(records)

    def _together(self, records: Records) -> tuple[Column, ...] | None:
        """Return the columns if all messages are alike, encoded, and have the wanted fields."""
        if len(records) < MIN_MESSAGES:
            return None
        block, starts = records.block, records.starts
        stored = {field.number: field for field in common_fields(block, starts, records.ends) or ()}
        columns: list[Column] = []
        if self.image:
            data, encoded = stored.get(_DATA), stored.get(_ENCODED)
            if data is None or data.wire != LENGTH:
                return None
            if encoded is not None and (encoded.wire != VARINT or not encoded.values.all()):
                return None
            columns.append(cut(block, data.starts, data.values))
        if self.label:
            label = stored.get(_LABEL)
            if label is None or label.wire != VARINT:
                return None
            columns.append(int32s(label.values)[:, np.newaxis])
        return tuple(columns)

    def _one_by_one(self, records: Records) -> tuple[Column, ...]:
        contents = records.views()
        data = [Datum(content.data) for content in contents]
        columns: list[Column] = []
        if self.image:
            columns.append(list(map(picture, contents, data)))
        if self.label:
            columns.append(_labels(data))
        return tuple(columns)


def picture(message: NDArray[np.uint8], datum: Datum) -> Array:
    """Return the picture of a datum that was read from `message`.

    Raises:
        DecodeError: there is no picture, or its size does not fit its shape.
    """
    if datum.data is None:
        if not datum.floats:
            raise DecodeError(
                "this Datum holds no image; with image_available=False only its label is read"
            )
        content = np.concatenate([bytes_of(message, span) for span in datum.floats])
        return _shaped(content, datum, np.dtype("<f4"))
    start, end = datum.data
    content = message[start:end]
    return content if datum.encoded else _shaped(content, datum, np.dtype(np.uint8))


def _shaped(content: NDArray[np.uint8], datum: Datum, dtype: DType) -> Array:
    shape = datum.height, datum.width, datum.channels
    if min(shape) < 0 or prod(shape) * dtype.itemsize != len(content):
        raise DecodeError(
            f"this Datum says that it is {shape[0]} high, {shape[1]} wide and has {shape[2]} "
            f"channels, but it holds {len(content)} bytes"
        )
    return content.view(dtype).reshape(shape)


def _labels(data: list[Datum]) -> NDArray[np.int32]:
    labels = [datum.label for datum in data]
    if None in labels:
        raise DecodeError("this Datum holds no label; with label_available=False none is read")
    return np.array(labels, np.int32).reshape(-1, 1)
