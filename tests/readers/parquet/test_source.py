"""Rows of Parquet and Arrow files as samples."""

import datetime
import decimal
import json

import numpy as np
import pytest

from penstock import ArgumentError, DecodeError, SourceError
from penstock.readers.parquet.source import open_parquet

from ..conformance import SourceConformance

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

COUNT = 23
CACHE = 1 << 20


def image(number):
    return np.random.default_rng(number).bytes(number * 50)


def table():
    numbers = range(COUNT)
    boxes = [[[i, j, 5, 6.5] for j in range(i % 3)] for i in numbers]
    return pa.table(
        {
            "image": [{"bytes": image(i), "path": f"{i}.jpg"} for i in numbers],
            "label": list(numbers),
            "text": [f"schön {i}" for i in numbers],
            "boxes": pa.array(boxes, pa.list_(pa.list_(pa.float32()))),
            "matrix": pa.array([[[i, 1], [2, 3]] for i in numbers], pa.list_(pa.list_(pa.int16()))),
        }
    )


COLUMNS = ["boxes", "image", "label", "matrix", "text"]


def samples():
    for i in range(COUNT):
        boxes = np.array([[i, j, 5, 6.5] for j in range(i % 3)], np.float32).reshape(-1, 4)
        matrix = np.array([[i, 1], [2, 3]], np.int16)
        texts = (np.frombuffer(each, np.uint8) for each in (image(i), f"schön {i}".encode()))
        content, text = texts
        yield boxes, content, np.int64(i)[()], matrix, text


def write_stream(path, rows, *, new=None, size=7):
    with (new or pa.ipc.new_stream)(path, rows.schema) as writer:
        writer.write_table(rows, max_chunksize=size)
    return str(path)


def write(path, rows, **options):
    pq.write_table(rows, path, **options)
    return str(path)


def opened(path, *columns, dtypes=(), cache_bytes=CACHE):
    types = [np.dtype(dtype) for dtype in dtypes]
    return open_parquet([str(path)], columns, dtypes=types, cache_bytes=cache_bytes)


def read(source, *rows):
    columns = source.read(np.array(rows or range(len(source))), np.empty)
    return [[sample.tolist() for sample in column] for column in columns]


class TestParquet(SourceConformance):
    """Two files, row groups of seven rows, and a cache for one of them."""

    cache_bytes = 0

    @pytest.fixture
    def source(self, tmp_path):
        rows = table()
        first = write(tmp_path / "a.parquet", rows.slice(0, 15), row_group_size=7)
        second = write(tmp_path / "b.parquet", rows.slice(15), compression="zstd")
        return open_parquet([first, second], COLUMNS, cache_bytes=self.cache_bytes)

    @pytest.fixture
    def expected(self):
        return [tuple(np.asarray(each) for each in sample) for sample in samples()]

    def test_where_names_file_and_row(self, source, tmp_path):
        assert source.where(9) == f"{tmp_path}/a.parquet row 9"
        assert source.where(17) == f"{tmp_path}/b.parquet row 2"


class TestParquetCached(TestParquet):
    cache_bytes = CACHE


class TestArrowStream(SourceConformance):
    """As `save_to_disk` of the package datasets writes tables."""

    @pytest.fixture
    def source(self, tmp_path):
        return opened(write_stream(tmp_path / "data.arrow", table()), *COLUMNS)

    @pytest.fixture
    def expected(self):
        return [tuple(np.asarray(each) for each in sample) for sample in samples()]


class TestArrowFile(TestArrowStream):
    @pytest.fixture
    def source(self, tmp_path):
        path = write_stream(tmp_path / "data.arrow", table(), new=pa.ipc.new_file)
        return opened(path, *COLUMNS)


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


def test_numbers_are_converted_and_must_fit(tmp_path):
    rows = pa.table({"n": [1, 300, -1], "r": [1.0, 1.5, float("nan")], "b": [True, False, True]})
    path = write(tmp_path / "a.parquet", rows)
    source = opened(path, "n", "r", "b", dtypes=["int16", "float32", "int32"])
    columns = source.read(np.arange(2), np.empty)
    assert [column.dtype.name for column in columns] == ["int16", "float32", "int32"]
    for name, dtype, row, message in [
        ("n", "uint8", 1, "the column 'n' is 300, which is no number of type uint8"),
        ("n", "uint8", 2, "is -1, which is no number"),
        ("n", "bool", 1, "is 300"),
        ("r", "int32", 1, "is 1.5"),
        ("r", "int32", 2, "is nan"),
    ]:
        source = opened(path, name, dtypes=[dtype])
        assert read(source, 0) == [[1]]
        with pytest.raises(DecodeError, match=rf"a\.parquet row {row}: .*{message}"):
            source.read(np.array([0, row]), np.empty)


def test_bytes_are_elements_and_texts_are_numbers(tmp_path):
    element = np.array([1.5, -2], np.float32).tobytes()
    rows = pa.table({"raw": [element, b""], "text": ["17", "-3 "], "word": ["12", "cat"]})
    path = write(tmp_path / "a.parquet", rows)
    source = opened(path, "raw", "text", dtypes=["float32", "int64"])
    assert read(source) == [[[1.5, -2], []], [17, -3]]
    with pytest.raises(DecodeError, match=r"row 1: the column 'word' is no number: .*'cat'"):
        read(opened(path, "word", dtypes=["int32"]))
    with pytest.raises(DecodeError, match=r"row 0: the column 'raw' has a size that is no mul"):
        read(
            opened(write(tmp_path / "b.parquet", pa.table({"raw": [b"abc"]})), "raw", dtypes=["f4"])
        )


@pytest.mark.parametrize(
    "values",
    [
        [1, None],
        ["a", None],
        [b"a", None],
        [True, None],
        [[1], None],
        [[1], [None]],
        [[[1]], [None]],
        [{"bytes": b"a", "path": "x"}, {"bytes": None, "path": "x"}],
        [{"bytes": b"a", "path": "x"}, None],
        pa.array(["a", None]).dictionary_encode(),
    ],
    ids=str,
)
def test_a_missing_value_is_an_error_of_its_sample(tmp_path, values):
    source = opened(write(tmp_path / "a.parquet", pa.table({"x": values})), "x")
    assert len(source.read(np.array([0, 0]), np.empty)[0]) == 2
    with pytest.raises(DecodeError, match=r"a\.parquet row 1: the column 'x' is missing \(null\)"):
        source.read(np.array([0, 1]), np.empty)


def test_lists_that_are_no_array_are_an_error_of_their_sample(tmp_path):
    path = write(tmp_path / "a.parquet", pa.table({"x": [[[1, 2], [3, 4]], [[1, 2], [3]]]}))
    source = opened(path, "x")
    assert read(source, 0) == [[[[1, 2], [3, 4]]]]
    with pytest.raises(DecodeError, match=r"row 1: the column 'x' holds lists that differ in len"):
        read(source)


@pytest.mark.parametrize(
    ("values", "stored"),
    [
        ([decimal.Decimal("1.5")], r"decimal128\(2, 1\)"),
        ([datetime.datetime(2020, 1, 1)], "timestamp"),
        ([datetime.date(2020, 1, 1)], "date32"),
        ([["a"]], "list<.*string>"),
        ([None], "null"),
        (pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())), "map<"),
        ([[{"bytes": b"", "path": ""}]], "list<"),
    ],
    ids=str,
)
def test_other_types_are_refused_when_the_reader_opens(tmp_path, values, stored):
    path = write(tmp_path / "a.parquet", pa.table({"good": [1], "x": values}))
    with pytest.raises(ArgumentError, match=rf"a\.parquet: the column 'x' has the type {stored}"):
        opened(path, "good", "x")


def test_columns_that_are_not_there(tmp_path):
    path = write(tmp_path / "a.parquet", pa.table({"image": [b""], "s": [{"a": 1}]}))
    with pytest.raises(ArgumentError, match=r"no column 'imag'; did you mean 'image'"):
        opened(path, "imag")
    with pytest.raises(ArgumentError, match=r"'s\.b' has no field 'b'; its fields are a"):
        opened(path, "s.b")
    with pytest.raises(ArgumentError, match=r"struct<a: int64>; name one of its fields, .*'a'"):
        opened(path, "s")


def test_files_must_agree(tmp_path):
    first = write(tmp_path / "a.parquet", pa.table({"x": [1]}))
    second = write(tmp_path / "b.parquet", pa.table({"x": [1.5]}))
    with pytest.raises(SourceError, match=r"b\.parquet: the column 'x' has the type double, but i"):
        open_parquet([first, second], ["x"], cache_bytes=CACHE)
    third = write(tmp_path / "c.parquet", pa.table({"y": [1]}))
    with pytest.raises(ArgumentError, match=r"c\.parquet has no column 'x'"):
        open_parquet([first, third], ["x"], cache_bytes=CACHE)


def test_texts_of_other_width_agree(tmp_path):
    """Files of Polars and pandas: one has large strings."""
    first = write(tmp_path / "a.parquet", pa.table({"x": pa.array(["a"], pa.large_string())}))
    second = write(tmp_path / "b.parquet", pa.table({"x": pa.array(["b"]).dictionary_encode()}))
    source = open_parquet([first, second], ["x"], cache_bytes=CACHE)
    assert read(source) == [[[97], [98]]]


def test_names_of_classes(tmp_path):
    features = {
        "label": {"names": ["cat", "dog"], "_type": "ClassLabel"},
        "objects": {
            "feature": {"id": {"names": ["x"], "_type": "ClassLabel"}},
            "_type": "Sequence",
        },
    }
    rows = pa.table({"label": [0], "objects": [{"id": [0]}], "n": [1]})
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    path = write(tmp_path / "a.parquet", rows.replace_schema_metadata(metadata))
    names = opened(path, "n", "label", "objects.id").class_names()
    assert names == {"label": ("cat", "dog"), "objects.id": ("x",)}
    damaged = rows.replace_schema_metadata({"huggingface": "[" * 100_000})
    assert opened(write(tmp_path / "b.parquet", damaged), "label").class_names() == {}


def test_tables_without_rows(tmp_path):
    rows = pa.table({"x": [1, 2]})
    empty = write(tmp_path / "a.parquet", rows.slice(0, 0))
    with pytest.raises(SourceError, match=r"a\.parquet: there is no row"):
        opened(empty, "x")
    full = write(tmp_path / "b.parquet", rows)
    source = open_parquet([empty, full], ["x"], cache_bytes=CACHE)
    assert read(source) == [[1, 2]]


@pytest.mark.parametrize("split", ["train-00000-of-00002", "validation", "test_0"])
def test_a_folder_of_several_splits_is_refused(tmp_path, split):
    for name in ("train-00001-of-00002", split):
        write(tmp_path / f"{name}.parquet", pa.table({"x": [1]}))
    if split.startswith("train"):
        assert len(opened(tmp_path, "x")) == 2
    else:
        with pytest.raises(ArgumentError, match=r"holds the splits t.*name the files of one"):
            opened(tmp_path, "x")
        assert len(opened(tmp_path / "train*", "x")) == 1


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_every_damage_is_named_or_harmless(tmp_path, kind):
    """Cut files and flipped bits give errors of the file, or samples."""
    rows = table().select(["image", "label", "boxes"]).slice(0, 9)
    save = write if kind == "parquet" else write_stream
    path = tmp_path / f"a.{kind}"
    content = bytearray((tmp_path / save(path, rows)).read_bytes())
    random = np.random.default_rng(7)
    messages = []
    for number in range(150):
        changed = bytearray(content)
        if number % 5 == 0:
            del changed[int(random.integers(len(content))) :]
        else:
            place = -int(random.integers(1, len(content) if number % 2 else 1500))
            changed[place] ^= 1 << int(random.integers(8))
        path.write_bytes(changed)
        try:
            source = opened(path, "image", "label", "boxes")
            if len(source) < 1000:
                source.read(np.arange(len(source)), np.empty)
        except (SourceError, DecodeError, ArgumentError) as error:
            messages.append(str(error))
    assert len(messages) > 30
    assert all(str(path) in message for message in messages)


def test_a_file_that_shrinks_while_open_raises(tmp_path):
    path = tmp_path / "a.parquet"
    source = opened(write(path, table()), "image")
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises((SourceError, OSError), match=r"a\.parquet"):
        source.read(np.arange(3), np.empty)
