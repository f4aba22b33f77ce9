"""Rows of Parquet files as samples."""

import numpy as np
import pytest

from penstock import ArgumentError, SourceError, fn
from penstock.readers.parquet.source import open_parquet
from penstock.testing.readers import SourceConformance

from .tables import CACHE, COLUMNS, opened, read, samples, table, write

pa = pytest.importorskip("pyarrow")


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
        return [tuple(np.asarray(value) for value in sample) for sample in samples()]

    @pytest.fixture
    def files(self, source, tmp_path):
        return [tmp_path / "a.parquet", tmp_path / "b.parquet"]

    def read(self, paths):
        return fn.readers.parquet(path=paths, columns=COLUMNS)

    def test_where_names_file_and_row(self, source, tmp_path):
        assert source.where(9) == f"{tmp_path}/a.parquet row 9"
        assert source.where(17) == f"{tmp_path}/b.parquet row 2"


class TestParquetCached(TestParquet):
    cache_bytes = CACHE


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


def test_files_and_bytes_agree(tmp_path):
    """A column of images may be a struct in one file, and plain bytes in another."""
    image = {"bytes": b"a", "path": "a.jpg"}
    first = write(tmp_path / "a.parquet", pa.table({"x": [image], "y": [1]}))
    second = write(tmp_path / "b.parquet", pa.table({"x": [b"b"], "y": [2]}))
    for paths in ([first, second], [second, first]):
        source = open_parquet(paths, ["x"], cache_bytes=CACHE)
        assert sorted(read(source)[0]) == [[97], [98]]


def test_tables_without_rows(tmp_path):
    rows = pa.table({"x": [1, 2]})
    empty = write(tmp_path / "a.parquet", rows.slice(0, 0))
    with pytest.raises(SourceError, match=r"a\.parquet: there is no row"):
        opened(empty, "x")
    full = write(tmp_path / "b.parquet", rows)
    source = open_parquet([empty, full], ["x"], cache_bytes=CACHE)
    assert read(source) == [[1, 2]]
