"""Folders with files of several splits."""

import pytest

from penstock import ArgumentError

from .tables import opened, write

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
        assert len(opened(tmp_path / "train*", "x")) == 1
