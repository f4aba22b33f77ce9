"""Tables of targets: what their columns become, and what is refused."""

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError, SourceError
from penstock.readers.listing.table_file import read_table

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def written(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_texts_whole_numbers_and_real_numbers(tmp_path, separator, end):
    rows = [["file", "n", "x", "t"], ["a.jpg", "-3", "1.5", "é"], ['"b, c.jpg"', "4", "nan", "f"]]
    if separator != ",":
        rows[2][0] = "b, c.jpg"
    path = written(tmp_path, b"\xef\xbb\xbf" + end.join(map(separator.join, rows)).encode())
    table, column = read_table(path, None, ["n", "x", "t"])
    assert column == "file"
    assert table.columns["file"] == ["a.jpg", "b, c.jpg"]
    assert table.columns["t"] == ["é", "f"]
    assert (table.columns["n"].dtype, table.columns["n"].tolist()) == (np.int64, [-3, 4])
    assert table.columns["x"].dtype == np.float32
    np.testing.assert_equal(table.columns["x"], np.array([1.5, np.nan], np.float32))
    assert table.where(1) == f"{path}, line 3"


def test_tables_with_tabs_do_not_quote(tmp_path):
    path = written(tmp_path, 'path\tsentence\na.mp3\t"Yes," he said.\nb.mp3\t"No\n')
    table, _ = read_table(path, None, ["sentence"])
    assert table.columns["sentence"] == ['"Yes," he said.', '"No']


def test_the_index_that_pandas_writes_is_no_name(tmp_path):
    path = written(tmp_path, ",id,age\n0,007,5\n1,008,6\n")
    table, column = read_table(path, None, ["age"])
    assert (column, table.columns["id"]) == ("id", ["007", "008"])
    assert read_table(path, "age", ["id"])[0].columns["age"] == ["5", "6"]


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", SourceError, "expected a first line with the names of the columns"),
        ("file,x\n", SourceError, "has no row below"),
        ("file,x\na,1,2\n", SourceError, r"line 2: expected 2 values.*but got 3"),
        ("file,x\na,1\n\nb,\n", SourceError, r"line 4: the column 'x' is empty; write.*nan"),
        ("file,y\na,1\n", ArgumentError, "has no column 'x'; there are file, y"),
        ("file,x,x\na,1,2\n", ArgumentError, "has 2 columns named 'x'"),
        (b"file,x\n\xff,1\n", SourceError, "is no text in UTF-8"),
        ("file,x\n" + "a" * 200_000 + ",1\n", SourceError, "is no CSV: field larger"),
        (b"PAR1 and no more", SourceError, "t.csv: "),
    ],
)
def test_tables_that_are_refused(tmp_path, text, error, message):
    with pytest.raises(error, match=message):
        read_table(written(tmp_path, text), None, ["x"])


def test_a_table_that_is_not_there(tmp_path):
    with pytest.raises(SourceError, match=r"`table` '.*none.csv' cannot be read: No such file"):
        read_table(str(tmp_path / "none.csv"), None, ["x"])


def test_parquet(tmp_path):
    path = str(tmp_path / "t.parquet")
    columns = {
        "file": ["a", "b"],
        "n": pa.array([1, 2], pa.int16()),
        "b": [True, False],
        "x": [0.5, 1.5],
        "v": [[1.0, 2.0], [3.0, 4.0]],
        "c": pa.array(["u", "v"]).dictionary_encode(),
        "uneven": [[1], [2, 3]],
        "none": [1, None],
        "time": pa.array([1, 2], pa.timestamp("ms")),
    }
    parquet.write_table(pa.table(columns), path)
    table, _ = read_table(path, None, ["n", "b", "x", "v", "c"])
    forms = {name: (v.dtype, v.shape) for name, v in table.columns.items() if name in "nbxv"}
    assert forms == {
        "n": (np.int16, (2,)),
        "b": (np.bool_, (2,)),
        "x": (np.float32, (2,)),
        "v": (np.float32, (2, 2)),
    }
    assert table.columns["c"] == ["u", "v"]
    assert table.where(1) == f"{path}, row 1"
    for column, message in {
        "uneven": "row 1: the column 'uneven' holds 2 numbers, but 1 in row 0",
        "none": r"row 1: the column 'none' is missing \(null\)",
        "time": r"the column 'time' has the type timestamp\[ms\]",
        "X": "has no column 'X'",
    }.items():
        with pytest.raises((SourceError, ArgumentError), match=message):
            read_table(path, None, [column])


def test_damaged_tables_end_in_errors(tmp_path):
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"file": ["a", "b"] * 50, "x": [1, 2] * 50}), path)
    whole = path.read_bytes()
    random, messages = np.random.default_rng(1), []
    for number in range(60):
        content = bytearray(whole[: len(whole) - number * 5] if number % 2 else whole)
        for place in random.integers(4, len(content), 3):
            content[place] ^= 1 << int(random.integers(8))
        path.write_bytes(content)
        try:
            table, _ = read_table(str(path), None, ["x"])
        except (SourceError, ArgumentError, OSError) as error:
            messages.append(str(error))
        else:
            assert len(table.columns["file"]) == len(table.columns["x"])
    assert messages
    assert all("t.parquet" in message for message in messages)
