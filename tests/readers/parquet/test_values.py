"""Values that become samples, and values that do not."""

import numpy as np
import pytest

from penstock import DecodeError

from .tables import opened, read, write

pa = pytest.importorskip("pyarrow")


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
        [{"bytes": b"a", "path": "x"}, {"bytes": None, "path": None}],
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
