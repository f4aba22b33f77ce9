"""Caffe2's `TensorProtos`: a list of tensors in one message, from `caffe2.proto`:

TensorProtos { repeated TensorProto protos = 1; }
TensorProto  { repeated int64 dims = 1; DataType data_type = 2;
               repeated float float_data = 3 [packed]; repeated int32 int32_data = 4 [packed];
               bytes byte_data = 5; repeated bytes string_data = 6;
               repeated int64 int64_data = 10 [packed]; }
"""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array
from ...engine.errors import DecodeError
from ..protobuf.columns import FieldColumn, common_fields, int32s, short_varints
from ..protobuf.encoding import bytes_field, encode_varint, field_head, varint_field
from ..protobuf.wire import (
    FIXED32,
    LENGTH,
    VARINT,
    Span,
    bytes_of,
    decode_floats,
    decode_varints,
    fields,
    messages,
    read_varint,
)
from ..storage.records import windows

_DIMS, _DATA_TYPE, _FLOATS, _INT32S, _BYTES, _STRINGS, _INT64S = 1, 2, 3, 4, 5, 6, 10

FLOAT, INT32, BYTE, STRING, INT64 = 1, 2, 3, 4, 10
"""Values of DataType that occur in data sets."""

_NUMBERS = {FLOAT: _FLOATS, INT32: _INT32S, INT64: _INT64S}
_NAMES = {FLOAT: "FLOAT", INT32: "INT32", BYTE: "BYTE", STRING: "STRING", INT64: "INT64"}


def tensors(message: NDArray[np.uint8], most: int) -> list[TensorProto]:
    """Return the first `most` tensors of a TensorProtos; the content of others is not read."""
    spans = list(messages(message.data, ((0, len(message)),), 1))  # the others must be whole, too
    return [TensorProto(message, span) for span in spans[:most]]


def encode_tensors(content: bytes | memoryview, label: int) -> bytes:
    """Return the TensorProtos of an encoded image and its label, int32."""
    head = varint_field(_DIMS, 1) + varint_field(_DATA_TYPE, STRING)
    head += field_head(_STRINGS, len(content))
    numbers = varint_field(_DIMS, 1) + varint_field(_DATA_TYPE, INT32)
    numbers += bytes_field(_INT32S, encode_varint(label))
    image = field_head(1, len(head) + len(content)) + head
    return b"".join([image, content, bytes_field(1, numbers)])


class TensorProto:
    """One tensor; each method decodes the numbers anew."""

    def __init__(self, message: NDArray[np.uint8], span: Span) -> None:
        """Read the tensor that lies at `span` of `message`."""
        self._message = message
        self.data_type = FLOAT  # the default in caffe2.proto
        self._contents: dict[int, list[tuple[int, Span]]] = {}
        for number, wire, start, end in fields(message.data, (span,)):
            if number == _DATA_TYPE and wire == VARINT:
                self.data_type = read_varint(message.data, start, end)[0]
            else:
                self._contents.setdefault(number, []).append((wire, (start, end)))

    @property
    def type_name(self) -> str:
        """Name of the type of the elements."""
        return _NAMES.get(self.data_type, str(self.data_type))

    def string(self) -> NDArray[np.uint8]:
        """Return the first of the byte strings: uint8, shape (size,)."""
        spans = self._spans(_STRINGS, (LENGTH,))
        if not spans:
            raise DecodeError("a tensor of type STRING holds no string")
        return bytes_of(self._message, spans[0])

    def pixels(self) -> NDArray[np.uint8]:
        """Return bytes as pixels: uint8, shape (height, width, channels)."""
        dims = self._integers(_DIMS).tolist()
        spans = self._spans(_BYTES, (LENGTH,))
        content = bytes_of(self._message, spans[-1]) if spans else np.empty(0, np.uint8)
        shape = tuple(dims) if len(dims) == 3 else (*dims, 1)
        if len(shape) != 3 or min(shape) < 0 or prod(shape) != len(content):
            raise DecodeError(
                f"an image of type BYTE has the dimensions {dims} and {len(content)} bytes; "
                "height, width and channels are needed, and a byte for each value"
            )
        return content.reshape(shape)

    def numbers(self) -> Array:
        """Return all numbers: float32, int32 or int64, shape (count,)."""
        field = _NUMBERS.get(self.data_type)
        if field is None:
            raise DecodeError(
                f"a tensor of type {self.type_name}, where FLOAT, INT32 or INT64 is needed"
            )
        if self.data_type == FLOAT:
            return decode_floats(self._joined(_FLOATS, FIXED32))
        integers = self._integers(field)
        return int32s(integers) if self.data_type == INT32 else integers

    def _integers(self, field: int) -> NDArray[np.int64]:
        return decode_varints(self._joined(field, VARINT))

    def _joined(self, field: int, single: int) -> NDArray[np.uint8]:
        """Return the pieces of a repeated field end to end, in an aligned copy."""
        parts = [bytes_of(self._message, span) for span in self._spans(field, (LENGTH, single))]
        return np.concatenate([np.empty(0, np.uint8), *parts])

    def _spans(self, field: int, wires: tuple[int, ...]) -> list[Span]:
        return [span for wire, span in self._contents.get(field, ()) if wire in wires]


def tensor_columns(
    block: NDArray[np.uint8], stored: FieldColumn, data_type: int
) -> FieldColumn | None:
    """Return the contents of tensors of type STRING or INT32, one tensor in each message.

    None if the tensors are not alike, have another type, or if one has several contents.
    """
    columns = common_fields(block, stored.starts, stored.ends) or []
    types = [column for column in columns if column.number == _DATA_TYPE]
    field = _STRINGS if data_type == STRING else _INT32S
    contents = [column for column in columns if column.number == field]
    if not types or types[-1].wire != VARINT or len(contents) != 1 or contents[0].wire != LENGTH:
        return None
    return contents[0] if (types[-1].values == data_type).all() else None


def single_int32s(block: NDArray[np.uint8], packed: FieldColumn) -> NDArray[np.int32] | None:
    """Return the single number of each list, int32 (lists, 1); None if a list has others."""
    decoded = short_varints(windows(block, "<u8")[packed.starts])
    if decoded is None or (decoded[1] != packed.values).any():
        return None
    return int32s(decoded[0])[:, np.newaxis]
