import random

import numpy as np
import pytest

from penstock.readers.protobuf.columns import common_fields, int32s, short_varints
from penstock.readers.protobuf.wire import LENGTH, VARINT, fields, read_varint

from ..lmdb_samples import records_of
from ..protobuf_messages import field, varint


def common(messages):
    records = records_of(messages)
    return common_fields(records.block, records.starts, records.ends)


def test_fields_that_are_alike():
    messages = [
        field(1, number) + field(4, b"x" * number) + field(15, 2**35 - 1) + field(4, b"")
        for number in (0, 1, 127, 128, 70_000)
    ]
    found = common(messages)
    assert [(field.number, field.wire) for field in found] == [
        (1, VARINT), (4, LENGTH), (15, VARINT), (4, LENGTH)
    ]  # fmt: skip
    assert found[0].values.tolist() == found[1].values.tolist() == [0, 1, 127, 128, 70_000]
    assert found[2].values.tolist() == [2**35 - 1] * 5
    records = records_of(messages)
    for row in range(5):
        one = [(field.number, field.wire, field.starts[row], field.ends[row]) for field in found]
        block = records.block.tobytes()
        assert one == list(fields(block, [(records.starts[row], records.ends[row])]))


def test_empty_messages():
    assert common([b""] * 3) == []


@pytest.mark.parametrize(
    "messages",
    [
        [field(1, 1), field(2, 1)],
        [field(1, 1), field(1, b"")],
        [field(1, 1), b""],
        [field(1, 1), field(1, 1) * 2],
        [field(1, 2**35), field(1, 1)],
        [field(1, -1), field(1, 1)],
        [field(4, b"abc")[:-1], field(4, b"ab")],
        [b"\x08", field(1, 1)],
        [b"\x08\x80", b"\x08\x80"],
        [field(16, 1)] * 2,
        [b"\x00\x01"] * 2,
        [b"\x0d1234"] * 2,
        [field(1, 1) * 33] * 2,
    ],
)
def test_what_is_not_alike_or_wrong_is_left_to_others(messages):
    assert common(messages) is None


def test_varints_agree_with_reading_them_one_by_one():
    draw = random.Random(1)
    numbers = [0, 127, 128, 2**35 - 1, *(draw.getrandbits(draw.randrange(36)) for _ in range(500))]
    words = np.array(
        [int.from_bytes(varint(n).ljust(8, b"\xff"), "little") for n in numbers], "<u8"
    )
    values, widths = short_varints(words)
    assert values.tolist() == numbers
    assert widths.tolist() == [read_varint(varint(n), 0, 10)[1] for n in numbers]


def test_int32s_are_the_low_bits():
    assert int32s(np.array([5, 2**31, 2**32 - 1, 2**32 + 7])).tolist() == [5, -(2**31), -1, 7]
