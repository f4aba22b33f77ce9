import random

import numpy as np
import pytest

from penstock.engine.errors import DecodeError
from penstock.readers.lmdb.tensor_protos import FLOAT, INT32, STRING, tensors

from ..lmdb_samples import tensor, tensor_protos
from ..protobuf_messages import field, varint


def parse(message):
    return tensors(np.frombuffer(message, np.uint8), 100)


def only(message):
    (found,) = parse(tensor_protos(message))
    return found


def test_a_list_of_tensors():
    found = parse(tensor_protos(tensor(STRING, strings=[b"x"]), tensor(INT32), tensor(None)))
    assert [tensor.data_type for tensor in found] == [STRING, INT32, FLOAT]
    assert parse(b"") == []


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (tensor(1, floats=[1.5, -2]), np.array([1.5, -2], np.float32)),
        (tensor(2, int32s=[1, -1, 2**31 - 1]), np.array([1, -1, 2**31 - 1], np.int32)),
        (tensor(10, int64s=[2**40, -3]), np.array([2**40, -3])),
        (tensor(1), np.empty(0, np.float32)),
        (tensor(10), np.empty(0, np.int64)),
        (tensor(2) + field(4, 7) + field(4, varint(300) + varint(2)), np.array([7, 300, 2], "i4")),
        (tensor(1) + varint(3 << 3 | 5) + b"\0\0\x80?", np.array([1], np.float32)),
    ],
)
def test_numbers(message, expected):
    found = only(message).numbers()
    np.testing.assert_array_equal(found, expected, strict=True)
    assert found.flags.aligned


def test_strings_and_pixels():
    assert only(tensor(4, strings=[b"first", b"second"])).string().tobytes() == b"first"
    pixels = bytes(range(24))
    assert only(tensor(3, dims=(2, 4, 3), content=pixels)).pixels().shape == (2, 4, 3)
    grey = only(tensor(3, dims=(4, 6), content=pixels)).pixels()
    assert grey.shape == (4, 6, 1)
    assert grey.tobytes() == pixels


@pytest.mark.parametrize(
    ("message", "method", "problem"),
    [
        (tensor(4), "string", "holds no string"),
        (tensor(4), "numbers", "type STRING"),
        (tensor(13), "numbers", "type 13"),
        (tensor(1) + field(3, b"12345"), "numbers", "5 bytes, no multiple of four"),
        (tensor(2) + field(4, b"\xff"), "numbers", "cut off"),
        (tensor(3, dims=(2, 4, 3), content=b"short"), "pixels", r"\[2, 4, 3\] and 5 bytes"),
        (tensor(3, dims=(5,), content=b"short"), "pixels", r"\[5\] and 5 bytes"),
        (tensor(3, dims=(-1, -5, 1), content=b"short"), "pixels", "and 5 bytes"),
        (tensor(3, dims=(2**62, 4, 4), content=b""), "pixels", "and 0 bytes"),
    ],
)
def test_what_does_not_fit_is_refused(message, method, problem):
    with pytest.raises(DecodeError, match=problem):
        getattr(only(message), method)()


def test_changed_bytes_never_do_worse_than_an_error():
    whole = tensor_protos(
        tensor(4, strings=[b"image"]),
        tensor(2, dims=(2,), int32s=[300, 5]),
        tensor(3, dims=(2, 2, 1), content=b"1234"),
        tensor(1, floats=[1, 2]),
    )
    for seed in range(3000):
        draw = random.Random(seed)
        content = bytearray(whole)
        for _ in range(draw.choice([1, 1, 2, 8])):
            content[draw.randrange(len(content))] = draw.choice(
                [0, 1, 128, 255, draw.randrange(256)]
            )
        try:
            for each in parse(bytes(content)):
                for method in (each.string, each.pixels, each.numbers):
                    try:
                        assert method().nbytes <= 8 * len(content)
                    except DecodeError:
                        continue
        except DecodeError:
            continue
