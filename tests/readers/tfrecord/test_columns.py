import numpy as np
import pytest

from penstock import tfrecord
from penstock.engine.errors import DecodeError

from ..protobuf_messages import field, varint
from ..tfrecord_files import entry, example, float_list, int64_list
from ..tfrecord_reading import read_all


# Twenty records alike are located together; the last ones are parsed one by one.
def with_outliers(usual, *outliers):
    return [usual] * 20 + list(outliers)


def test_numbers_in_every_packing(tmp_path):
    unpacked = field(3, b"".join(b"\x08" + varint(n) for n in (1, -2, 3)))
    mixed = field(3, field(1, varint(1)) + b"\x08" + varint(-2) + field(1, varint(3)))
    split = field(3, field(1, varint(1))) + field(3, field(1, varint(-2) + varint(3)))
    replaced = float_list(9.0) + int64_list(1, -2, 3)
    long = field(3, field(1, b"\x81\x80\x00" + varint(-2) + varint(3)))
    forms = [unpacked, mixed, split, replaced, long]
    records = with_outliers(
        example({"v": [1, -2, 3]}), *(field(1, entry("v", form)) for form in forms)
    )
    for feature in (
        tfrecord.FixedLenFeature([3], tfrecord.int64),
        tfrecord.VarLenFeature(tfrecord.int64),
    ):
        out = read_all(tmp_path, records, {"v": feature})
        assert [row.tolist() for row in out["v"]] == [[1, -2, 3]] * 25


def test_floats_in_every_packing(tmp_path):
    one, two = np.array([1.5, -2], np.float32)
    unpacked = field(2, b"".join(b"\x0d" + n.tobytes() for n in (one, two)))
    split = field(2, field(1, one.tobytes())) + field(2, field(1, two.tobytes()))
    records = with_outliers(
        example({"v": [1.5, -2.0]}), *(field(1, entry("v", form)) for form in (unpacked, split))
    )
    out = read_all(tmp_path, records, {"v": tfrecord.FixedLenFeature([2], tfrecord.float32)})
    assert out["v"].tolist() == [[1.5, -2]] * 22


def test_messages_in_pieces_unknown_fields_and_repeated_keys(tmp_path):
    usual = example({"v": 7, "s": "x"})
    pieces = field(1, entry("v", int64_list(7))) + field(1, entry("s", field(1, field(1, b"x"))))
    unknown = b"\x78\x05" + usual + field(9, b"rest") + b"\x7d1234" + b"\x7912345678"
    repeated = (
        example({"v": 6, "s": "w"})
        + field(1, entry("v", int64_list(7)))
        + field(1, entry("s", field(1, field(1, b"x"))))
    )
    late_key = field(
        1, entry("s", field(1, field(1, b"x"))) + field(1, field(2, int64_list(7)) + field(1, b"v"))
    )
    last_key = field(
        1,
        entry("s", field(1, field(1, b"x")))
        + field(1, field(1, b"nothing") + field(2, int64_list(7)) + field(1, b"v")),
    )
    records = with_outliers(usual, pieces, unknown, repeated, late_key, last_key)
    features = {
        "v": tfrecord.FixedLenFeature([], tfrecord.int64),
        "s": tfrecord.FixedLenFeature([], tfrecord.string),
    }
    out = read_all(tmp_path, records, features)
    assert out["v"].tolist() == [7] * 25
    assert [s.tobytes() for s in out["s"]] == [b"x"] * 25


def test_features_in_any_order_of_any_width(tmp_path):
    random = np.random.default_rng(6)
    keys = [f"key/{i}" for i in range(6)]
    rows = []
    for _ in range(300):
        sizes = [int(2 ** random.uniform(0, 17)) for _ in range(2)]
        row = {key: int(random.integers(0, 2 ** int(random.integers(1, 63)))) for key in keys[2:]}
        row |= {keys[0]: random.bytes(sizes[0]), keys[1]: random.bytes(sizes[1])}
        rows.append({key: row[key] for key in random.permutation(keys)})
    features = {
        key: tfrecord.FixedLenFeature([], tfrecord.string if i < 2 else tfrecord.int64)
        for i, key in enumerate(keys)
        if i != 4
    }
    out = read_all(tmp_path, map(example, rows), features)
    assert set(out) == set(keys) - {"key/4"}
    for key, column in out.items():
        values = [row.tobytes() if row.ndim else int(row) for row in column]
        assert values == [row[key] for row in rows]


def test_missing_features_follow_their_defaults(tmp_path):
    full = example({"n": 3, "v": [1, 2], "f": [1.0, 2.0], "s": "text", "w": [5]})
    unset = field(1, b"".join(entry(key, b"") for key in "nvfsw"))
    records = with_outliers(full, *([example({"other": 1})] * 20), *([unset] * 20), b"")
    features = {
        "n": tfrecord.FixedLenFeature([], tfrecord.int64, -1),
        "v": tfrecord.FixedLenFeature([2], tfrecord.int64, [8, 9]),
        "f": tfrecord.FixedLenFeature([2], tfrecord.float32, 0.5),
        "s": tfrecord.FixedLenFeature([], tfrecord.string, "none"),
        "w": tfrecord.VarLenFeature(tfrecord.int64),
    }
    out = read_all(tmp_path, records, features)
    for row in range(20):
        values = [column[row].tolist() for column in out.values()]
        assert values == [3, [1, 2], [1, 2], list(b"text"), [5]]
    for row in range(20, 61):
        values = [column[row].tolist() for column in out.values()]
        assert values == [-1, [8, 9], [0.5, 0.5], list(b"none"), []]


def test_a_missing_list_follows_its_default(tmp_path):
    features = {
        "a": tfrecord.VarLenFeature(tfrecord.int64, 7),
        "b": tfrecord.VarLenFeature([2], tfrecord.float32, 0.0),
        "c": tfrecord.VarLenFeature([2], tfrecord.float32, [1, 2, 3, 4]),
        "d": tfrecord.VarLenFeature(tfrecord.string, "xy"),
    }
    out = read_all(tmp_path, [b""], features)
    assert {name: column[0].tolist() for name, column in out.items()} == {
        "a": [7],
        "b": [[0, 0]],
        "c": [[1, 2], [3, 4]],
        "d": list(b"xy"),
        "d.lengths": [2],
    }


def test_partial_shapes_and_empty_lists(tmp_path):
    lists = [[float(i) for i in range(4 * n)] for n in (2, 0, 1)] * 10
    empty = field(1, entry("box", float_list()) + entry("n", int64_list()))
    records = [example({"box": boxes, "n": [len(boxes)]}) if boxes else empty for boxes in lists]
    features = {
        "box": tfrecord.VarLenFeature([2, 2], tfrecord.float32, None),
        "n": tfrecord.VarLenFeature(tfrecord.int64),
    }
    out = read_all(tmp_path, records, features)
    assert [box.shape for box in out["box"]] == [(len(boxes) // 4, 2, 2) for boxes in lists]
    assert [box.reshape(-1).tolist() for box in out["box"]] == lists
    assert [n.tolist() for n in out["n"]] == [[len(boxes)] if boxes else [] for boxes in lists]


def test_several_strings_come_with_their_lengths(tmp_path):
    records = with_outliers(example({"s": "one"}), example({"s": ["a", "", "bcd"]}), b"")
    out = read_all(tmp_path, records, {"s": tfrecord.VarLenFeature(tfrecord.string)})
    assert [s.tobytes() for s in out["s"]] == [b"one"] * 20 + [b"abcd", b""]
    assert [n.tolist() for n in out["s.lengths"]] == [[3]] * 20 + [[1, 0, 3], []]


@pytest.mark.parametrize(
    ("feature", "value", "message"),
    [
        (tfrecord.FixedLenFeature([], tfrecord.int64), [1, 2], r"has 2 values, .* \[\] wants 1"),
        (tfrecord.FixedLenFeature([3], tfrecord.int64), [1, 2], "has 2 values.* wants 3"),
        (tfrecord.FixedLenFeature([2], tfrecord.float32), [1, 2], "INT64, not FLOAT as declared"),
        (tfrecord.FixedLenFeature([], tfrecord.string), [1.0], "FLOAT, not BYTES as declared"),
        (tfrecord.FixedLenFeature([], tfrecord.string), ["a", "b"], "has 2 strings"),
        (tfrecord.VarLenFeature([2], tfrecord.int64, 0), [1, 2, 3], "has 3 values, no multiple"),
    ],
)
@pytest.mark.parametrize("count", [1, 30])
def test_what_does_not_fit_the_declaration_raises(tmp_path, feature, value, message, count):
    with pytest.raises(DecodeError, match=rf"record 0, offset 0: feature 'v' .*{message}"):
        read_all(tmp_path, [example({"v": value})] * count, {"v": feature})


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (field(3, field(1, b"\x80")), "cut off"),
        (field(3, field(1, b"\x80" * 11 + b"\0")), "more than ten"),
        (field(3, b"\x0a\x05\x01"), "ends at byte"),
        (field(3, b"\x0b"), "wire type 3"),
        (field(3, b"\x00\x00"), "field number 0"),
    ],
)
@pytest.mark.parametrize("count", [1, 30])
def test_broken_lists_raise(tmp_path, broken, message, count):
    records = [field(1, entry("v", broken))] * count
    with pytest.raises(DecodeError, match=message):
        read_all(tmp_path, records, {"v": tfrecord.VarLenFeature(tfrecord.int64)})
