import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engine.errors import DecodeError
from penstock.readers.protobuf.wire import decode_varints, fields, messages, read_varint

from ..protobuf_messages import field, varint

numbers = st.integers(-(2**63), 2**63 - 1)


@given(st.lists(numbers, max_size=50))
def test_varints_are_decoded_together_as_one_by_one(values):
    packed = b"".join(map(varint, values))
    decoded = decode_varints(np.frombuffer(packed, np.uint8))
    assert decoded.dtype == np.int64
    assert decoded.tolist() == values
    position, found = 0, []
    while position < len(packed):
        value, position = read_varint(packed, position, len(packed))
        found.append(value)
    assert found == [value % 2**64 for value in values]


@pytest.mark.parametrize("packed", [b"\x80", b"\x01\xff", b"\x80" * 10 + b"\x01", b"\xff" * 11])
def test_broken_varints_raise(packed):
    with pytest.raises(DecodeError):
        decode_varints(np.frombuffer(packed, np.uint8))


def test_a_varint_does_not_run_on_past_its_message():
    with pytest.raises(DecodeError, match="at byte 1 of the message"):
        read_varint(b"\x00\x80\x01", 1, 2)


def test_fields_of_every_wire_type():
    data = b"\x08\x96\x01" + b"\x11" + bytes(8) + field(3, b"abc") + b"\x25" + bytes(4)
    assert list(fields(data, [(0, len(data))])) == [
        (1, 0, 1, 3),
        (2, 1, 4, 12),
        (3, 2, 14, 17),
        (4, 5, 18, 22),
    ]
    assert list(messages(data, [(0, len(data))], 3)) == [(14, 17)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x0a\x05abc", "field 1 ends at byte 7, its message at byte 5"),
        (b"\x0a" + b"\xff" * 9 + b"\x01", "field 1 ends at byte 1844"),
        (b"\x0d\x00", "field 1 ends at byte 5"),
        (b"\x0b", "wire type 3"),
        (b"\x0e", "wire type 6"),
        (b"\x00\x00", "field number 0"),
        (b"\xf8\xff\xff\xff\xff\x01\x00", "field number"),
        (b"\x0a", "at byte 1"),
    ],
)
def test_broken_messages_raise(data, message):
    with pytest.raises(DecodeError, match=message):
        list(fields(data, [(0, len(data))]))
