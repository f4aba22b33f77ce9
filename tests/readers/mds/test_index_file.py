import json

import pytest

from penstock.engine.errors import SourceError
from penstock.readers.mds.index_file import folder_of, shards_of
from penstock.readers.mds.source import open_mds

from . import sets


def shards(content, tmp_path):
    return shards_of(folder_of(sets.put(content, tmp_path)))


def test_what_the_index_tells(tmp_path):
    first, *_ = shards("zstd:7", tmp_path)
    assert (first.compression, first.samples, first.basename) == ("zstd", 4, "shard.00000.mds")
    assert first.path == str(tmp_path / "shard.00000.mds.zstd")
    assert [tuple(column) for column in first.columns] == [
        ("n", "int", 8),
        ("text", "str", 0),
        ("x", "float64", 8),
    ]
    assert first.hashes.keys() == {"sha256", "xxh64"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "csv"}, "a shard has the format 'csv'; only MDS is read"),
        ({"version": 3}, "a shard has the version 3, not 2"),
        ({"samples": -1}, "claims -1 samples in"),
        ({"samples": 200}, "claims 200 samples in"),
        ({"samples": True}, "'samples' is True"),
        ({"samples": 3.0}, "'samples' is 3.0"),
        ({"compression": "zstd"}, "no index of MDS, or is damaged"),
        ({"compression": 7}, "'compression' is 7"),
        ({"raw_data": None}, "damaged"),
        ({"raw_data": {"basename": "a", "bytes": 1}}, "'hashes' is missing"),
        ({"raw_data": {"basename": "a", "bytes": 1 << 40, "hashes": {}}}, "offsets have 32 bits"),
        ({"raw_data": {"basename": "a", "bytes": 99, "hashes": {"sha1": 3}}}, "are no texts"),
        ({"column_names": ["n", "n", "x"]}, "two columns have one name"),
        ({"column_names": ["n"]}, "1 columns, 3 encodings, 3 sizes"),
        ({"column_names": [], "column_encodings": [], "column_sizes": []}, "0 columns, 0 enc"),
        ({"column_names": [1, 2, 3]}, "must be texts"),
        ({"column_sizes": [8, -1, 8]}, "-1 is no size of a column"),
        ({"column_sizes": [8, 1 << 40, 8]}, "is no size of a column"),
        ({"column_sizes": [8, None, True]}, "True is no size of a column"),
    ],
)
def test_an_index_that_is_damaged(tmp_path, changes, message):
    with pytest.raises(SourceError, match=message):
        shards(sets.changed(sets.files_of("shards"), **changes), tmp_path)


@pytest.mark.parametrize(
    "name", ["../a.mds", "/etc/passwd", "file:///etc/passwd", "", "a\0", "a/../b"]
)
def test_a_shard_outside_of_the_folder_is_refused(tmp_path, name):
    raw = {"basename": name, "bytes": 400, "hashes": {}}
    with pytest.raises(SourceError, match="does not lie in the data set"):
        shards(sets.changed(sets.files_of("shards"), raw_data=raw), tmp_path)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "[" * 100_000, '{"version": 2, "shards": {}}', '{"version": 1}', "\xff"],
)
def test_what_is_no_index(tmp_path, text):
    with pytest.raises(SourceError, match=r"index\.json is no index of MDS, or is damaged"):
        shards({"index.json": text.encode("latin-1")}, tmp_path)


def test_a_folder_without_index_is_named(tmp_path):
    with pytest.raises(
        SourceError, match=r"has no index\.json, so it is no MDS data set.*merge_index"
    ):
        shards({"shard.00000.mds": b""}, tmp_path)


def test_a_set_without_samples(tmp_path):
    index = {"index.json": json.dumps({"version": 2, "shards": []}).encode()}
    with pytest.raises(SourceError, match="there is no sample"):
        open_mds([sets.put(index, tmp_path)], ["n"], cache_bytes=0)
