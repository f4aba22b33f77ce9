"""Which columns are read, and as what."""

import datetime
import decimal

import numpy as np
import pytest

from penstock import ArgumentError, SourceError

from .tables import opened, read, write, write_stream

pa = pytest.importorskip("pyarrow")


@pytest.mark.parametrize(
    ("values", "dtype", "shape"),
    [
        (pa.array([b"ab", b""], pa.binary()), "uint8", (2,)),
        (pa.array([b"ab", b""], pa.large_binary()), "uint8", (2,)),
        (pa.array([b"ab", b""], pa.binary_view()), "uint8", (2,)),
        (pa.array([b"ab", b"cd"], pa.binary(2)), "uint8", (2,)),
        (pa.array(["ab", ""], pa.large_string()), "uint8", (2,)),
        (pa.array(["ab", ""], pa.string_view()), "uint8", (2,)),
        (pa.array(["ab", ""]).dictionary_encode(), "uint8", (2,)),
        (pa.array([3, 4], pa.uint16()).dictionary_encode(), "uint16", ()),
        (pa.array([3, 4], pa.int8()), "int8", ()),
        (pa.array([3, 4], pa.uint64()), "uint64", ()),
        (pa.array(np.array([3, 4], np.float16)), "float16", ()),
        (pa.array([3, 4], pa.float64()), "float64", ()),
        (pa.array([True, False]), "bool", ()),
        (pa.array([[True, False, True], []]), "bool", (3,)),
        (pa.array([[1, 2], [3, 4]], pa.list_(pa.int32(), 2)), "int32", (2,)),
        (pa.array([[[1, 2]], [[3, 4]]], pa.list_(pa.list_(pa.int32(), 2), 1)), "int32", (1, 2)),
        (pa.array([[[[1, 2]]], []], pa.large_list(pa.list_(pa.list_(pa.int64())))), "int64", None),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_types(tmp_path, values, dtype, shape, kind):
    if "view" in str(values.type) and int(pa.__version__.split(".")[0]) < 20:
        pytest.skip("older releases of PyArrow cannot convert views")
    rows = pa.table({"x": values})
    if kind == "arrow" and pa.types.is_dictionary(values.type):
        path = write_stream(tmp_path / "a.arrow", rows)
        with pytest.raises(SourceError, match=r"a\.arrow has columns of a dictionary type"):
            opened(path, "x")
        return
    save = write if kind == "parquet" else write_stream
    source = opened(save(tmp_path / f"a.{kind}", rows), "x")
    (column,) = source.read(np.array([0]), np.empty)
    assert (column[0].dtype, column[0].shape) == (dtype, (1, 1, 2) if shape is None else shape)
    found = column[0].tobytes() if values.type in _BYTES else column[0].tolist()
    first = values[0].as_py()
    assert found == (first.encode() if isinstance(first, str) else first)


_BYTES = (pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(2), pa.large_string())
_BYTES += (pa.string_view(), pa.dictionary(pa.int32(), pa.string()))


def test_fields_of_structs(tmp_path):
    rows = pa.table(
        {
            "objects": [{"box": [[1, 2]], "name": [7]}, {"box": [], "name": []}],
            "list": [[{"box": [1, 2], "name": 7}], []],
            "meta": [
                {"image": {"bytes": b"a", "path": ""}},
                {"image": {"bytes": b"b", "path": ""}},
            ],
            "a.b": [8, 9],
        }
    )
    path = write(tmp_path / "a.parquet", rows)
    names = ["objects.box", "objects.name", "list.box", "list.name", "meta.image", "a.b"]
    found = read(opened(path, *names))
    assert found == [[[[1, 2]], []], [[7], []], [[[1, 2]], []], [[7], []], [[97], [98]], [8, 9]]
    boxes = opened(path, "list.box").read(np.array([1]), np.empty)[0]
    assert boxes[0].shape == (0, 2)


@pytest.mark.parametrize(
    ("values", "stored"),
    [
        ([decimal.Decimal("1.5")], r"decimal128\(2, 1\)"),
        ([datetime.datetime(2020, 1, 1)], "timestamp"),
        ([datetime.date(2020, 1, 1)], "date32"),
        ([[decimal.Decimal("1.5")]], r"list<.*decimal128"),
        ([{"a": datetime.date(2020, 1, 1)}], "struct<a: date32"),
        ([{"bytes": None, "path": "a"}], "struct<bytes: null"),
        ([None], "null"),
        (pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())), "map<"),
        ([[[{"bytes": b"", "path": ""}]]], "list<"),
    ],
    ids=str,
)
def test_other_types_are_refused_when_the_reader_opens(tmp_path, values, stored):
    path = write(tmp_path / "a.parquet", pa.table({"good": [1], "x": values}))
    with pytest.raises(ArgumentError, match=rf"a\.parquet: the column 'x' has the type {stored}"):
        opened(path, "good", "x")


def test_columns_that_are_not_there(tmp_path):
    path = write(tmp_path / "a.parquet", pa.table({"image": [b""], "s": [{"a": [b""]}]}))
    with pytest.raises(ArgumentError, match=r"no column 'imag'; did you mean 'image'"):
        opened(path, "imag")
    with pytest.raises(ArgumentError, match=r"'s\.b' has no field 'b'; its fields are a"):
        opened(path, "s.b")
    with pytest.raises(ArgumentError, match=r"struct<a: list<.*>>; name one of its fields, .*'a'"):
        opened(path, "s")
