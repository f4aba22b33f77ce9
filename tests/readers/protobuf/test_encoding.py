"""Protocol buffers, written: what `wire` reads back."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.readers.protobuf.encoding import (
    bytes_field,
    encode_varint,
    encode_varints,
    varint_field,
)
from penstock.readers.protobuf.wire import LENGTH, VARINT, decode_varints, fields
from penstock.tests.readers.protobuf_messages import varint

EDGES = [0, 1, 127, 128, 300, 2**31, 2**62, 2**63 - 1, -1, -(2**63)]


@pytest.mark.parametrize("repeat", [1, 10])
def test_numbers_come_back(repeat):
    values = np.array(EDGES * repeat, np.int64)
    encoded = encode_varints(values)
    assert encoded == b"".join(map(encode_varint, values.tolist()))
    np.testing.assert_array_equal(decode_varints(np.frombuffer(encoded, np.uint8)), values)


def test_small_numbers_agree_with_the_tests_own_encoder():
    assert all(encode_varint(value) == varint(value) for value in range(0, 40_000, 37))


def test_fields_come_back():
    message = bytes_field(3, b"abc" * 100) + varint_field(200, 5)
    (first, second) = fields(message, [(0, len(message))])
    assert first[:2] == (3, LENGTH)
    assert message[first[2] : first[3]] == b"abc" * 100
    assert second[:2] == (200, VARINT)
