import pickle

import numpy as np
import pytest

from penstock.readers.storage.records import Records
from penstock.readers.tfrecord.example import FeatureType, find_features
from penstock.readers.tfrecord.example_batch import Locator, learn
from penstock.readers.tfrecord.patterns import SLACK

from ..protobuf_messages import field
from ..tfrecord_files import entry, example, feature, float_list, int64_list

WANTED = {b"n": FeatureType.INT64, b"s": FeatureType.BYTES}


def together(records):
    lengths = np.array([len(record) for record in records], np.int64)
    block = np.frombuffer(b"".join(records) + bytes(SLACK), np.uint8)
    return Records(block, np.cumsum(lengths) - lengths, lengths)


def located_values(located, block, row):
    spans = zip(located.starts[:, row], located.lengths[:, row], strict=True)
    return [block[begin : begin + length].tobytes() for begin, length in spans]


@pytest.mark.parametrize("order", [("n", "s", "x"), ("x", "s", "n")])
def test_records_alike_are_all_located(order):
    rows = [{"n": 2**i, "s": b"s" * 17 * i, "x": [1.0] * (i % 3 + 1)} for i in range(60)]
    records = together([example({key: row[key] for key in order}) for row in rows])
    locator = Locator(WANTED)
    for _ in range(2):
        located = locator.locate(records)
        assert located.left.tolist() == []
        assert located.present.all()
        for row in range(60):
            number, string = located_values(located, records.block, row)
            assert len(number) == row // 7 + 1
            assert string == rows[row]["s"]
    assert pickle.loads(pickle.dumps(locator)).locate(records).left.tolist() == []


def test_records_that_differ_are_left():
    usual = example({"n": 1, "s": "text"})
    odd = [
        example({"n": 1, "s": ["two", "strings"]}),
        example({"n": 1.5, "s": "text"}),
        usual + b"\x10\x05",
        field(1, b"")[:1],
        b"",
    ]
    located = Locator(WANTED).locate(together([*([usual] * 30), *odd]))
    assert located.left.tolist() == [30, 31, 32, 33, 34]


def test_few_records_are_left_to_the_parser():
    records = together([example({"n": 1})] * 3)
    assert Locator(WANTED).locate(records).left.tolist() == [0, 1, 2]
    many = together([example({"n": 1})] * 30)
    assert Locator(WANTED).locate(many, not_at_all=True).left.tolist() == list(range(30))


def test_missing_unset_and_empty_features():
    records = [field(1, entry("n", b""))] * 20 + [field(1, entry("n", int64_list()))] * 20
    located = Locator(WANTED).locate(together(records))
    assert located.left.tolist() == []
    assert located.present.tolist() == [[False] * 20 + [True] * 20, [False] * 40]
    assert located.lengths[0].tolist() == [0] * 40


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (feature(5), FeatureType.FLOAT),
        (feature(["a", "b"]), FeatureType.BYTES),
        (float_list(1.0) + int64_list(1), FeatureType.INT64),
        (field(3, b"\x08\x05"), FeatureType.INT64),
        (b"\x80", FeatureType.INT64),
    ],
)
def test_what_is_learned_never_fits_what_means_something_else(value, kind):
    record = field(1, entry("n", value))
    located = Locator({b"n": kind}).locate(together([record] * 20))
    assert located.left.tolist() == list(range(20))


def test_long_and_cut_keys_are_not_learned():
    long = entry("k" * 300, feature(1))
    assert learn(long[:248], {}) is None
    assert learn(b"\x0a\x05\x0b", {}) is None


def test_the_parser_finds_the_last_entry_of_a_key():
    data = example({"n": 1, "s": "x"}) + example({"n": 2})
    found = find_features(data, [b"n", b"missing"])
    ((kind, ((begin, end),)),) = found.values()
    assert kind is FeatureType.INT64
    assert data[begin:end] == b"\x0a\x01\x02"
