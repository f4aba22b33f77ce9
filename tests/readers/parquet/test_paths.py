"""Folders with files of several splits."""

from pathlib import Path

import numpy as np
import pytest

from penstock import ArgumentError, SourceError
from penstock.readers.parquet.source import open_parquet

from .tables import CACHE, opened, write

pa = pytest.importorskip("pyarrow")


@pytest.mark.parametrize("split", ["train-00000-of-00002", "validation", "test_0"])
def test_a_folder_of_several_splits_is_refused(tmp_path, split):
    for name in ("train-00001-of-00002", split):
        write(tmp_path / f"{name}.parquet", pa.table({"x": [1]}))
    if split.startswith("train"):
        assert len(opened(tmp_path, "x")) == 2
    else:
        with pytest.raises(ArgumentError, match=r"holds the splits t.*name the files of one"):
            opened(tmp_path, "x")
        told = r"1 of 2 files are missing, .*train-00000-of-00002\.parquet'"
        with pytest.warns(RuntimeWarning, match=told):
            assert len(opened(tmp_path / "train*", "x")) == 1


def put_on_web(request):
    web = request.getfixturevalue("web")
    return f"{web.url}/tables", None, web.objects.__setitem__


def put_on_s3(request):
    s3 = request.getfixturevalue("s3")
    return "s3://bucket/tables", s3.options, s3.put


@pytest.fixture(params=[put_on_web, put_on_s3])
def store(request, tmp_path):
    root, options, put = request.param(request)

    def place(name, *numbers):
        file = write(tmp_path / "table.parquet", pa.table({"x": list(numbers)}))
        put(f"tables/{name}", Path(file).read_bytes())

    return root, options, place


def read(urls, options):
    source = open_parquet(urls, ["x"], cache_bytes=CACHE, storage_options=options)
    (column,) = source.read(np.arange(len(source)), np.empty)
    source.close()
    return [int(value) for value in column]


@pytest.mark.slow
def test_a_folder_behind_a_url(store):
    root, options, place = store
    place("whole/b.parquet", 3)
    place("whole/a.parquet", 1, 2)
    place("whole/_SUCCESS.crc", 9)
    place("without_suffix", 7)
    assert read([f"{root}/whole/"], options) == read([f"{root}/whole"], options) == [1, 2, 3]
    assert read([f"{root}/whole/b.parquet", f"{root}/without_suffix"], options) == [3, 7]
    with pytest.raises(SourceError, match=r"no file '\*.parquet' lies in '.*/nowhere/'"):
        read([f"{root}/nowhere/"], options)


def test_a_folder_of_several_splits_behind_a_url_is_refused(store):
    root, options, place = store
    for name in ("train-0.parquet", "test-0.parquet"):
        place(f"splits/{name}", 1)
    with pytest.raises(
        ArgumentError, match=r"splits test .*, train .*one of them: '.*/train-0.parq"
    ):
        read([f"{root}/splits/"], options)
