"""`penstock index` makes the index that readers use."""

from __future__ import annotations

import json
import os

import pytest

from penstock import fn, pipeline_def

from ..conftest import kept_index
from ..readers.record_io import image_record, record_file
from ..readers.servers import ObjectServer, S3Server
from ..readers.tars import archive
from ..readers.tfrecord_files import example, write_records


@pytest.fixture
def files(tmp_path):
    """A folder with one file of each format that has an index, and another file."""
    folder = tmp_path / "shards"
    folder.mkdir()
    write_records(folder / "a.tfrecord", [example({"n": [i]}) for i in range(5)])
    (folder / "b.rec").write_bytes(record_file([image_record(b"x", i, i) for i in range(3)])[0])
    (folder / "c.tar").write_bytes(archive({"1.txt": b"1", "2.txt": b"22"}))
    (folder / "notes.md").write_text("no data")
    return folder


def test_all_files_of_a_folder(penstock_in_process, files):
    result = penstock_in_process("index", files, "--json")
    assert result.status == 0, result.errors
    rows = json.loads(result.output)
    assert [(row["format"], row["samples"], row["made"]) for row in rows] == [
        ("tfrecord", 5, True),
        ("recordio", 3, True),
        ("webdataset", 2, True),
    ]
    assert all(os.path.getsize(row["index"]) for row in rows)


def test_an_index_is_made_once_and_anew_after_a_change(penstock_in_process, files):
    def made(*options):
        (row,) = json.loads(penstock_in_process("index", *options, "--json").output)
        return row["made"], row["samples"]

    path = files / "a.tfrecord"
    assert made(path) == (True, 5)
    assert made(path) == (False, 5)
    assert made(path, "--force") == (True, 5)
    write_records(path, [example({"n": [i]}) for i in range(6)])
    assert made(path) == (True, 6)


def test_the_reader_uses_the_index(penstock_in_process, files):
    assert penstock_in_process("index", files / "b.rec").status == 0
    index = kept_index(files / "b.rec")
    before = index.stat().st_mtime_ns

    @pipeline_def(batch_size=3, num_threads=1)
    def records():
        return tuple(fn.readers.mxnet(path=str(files / "b.rec")))

    with records() as pipeline:
        assert pipeline.run()[1].as_array().tolist() == [[0], [1], [2]]
    assert index.stat().st_mtime_ns == before


def test_indexes_lie_beside_the_data_if_that_is_asked_for(penstock_in_process, files):
    path = files / "c.tar"
    assert penstock_in_process("index", path).status == 0
    result = penstock_in_process("index", path, "--beside", "--json")
    (row,) = json.loads(result.output)
    assert row["index"] == f"{path}.penstock-index"
    assert not kept_index(path).exists()
    path.touch()  # the reader renews the index where it is
    assert json.loads(penstock_in_process("index", path, "--json").output)[0]["made"]
    assert not kept_index(path).exists()


def test_the_table(penstock_in_process, files):
    lines = penstock_in_process("index", files / "c.tar").output.splitlines()
    assert lines[0].split() == ["file", "format", "samples", "index"]
    assert lines[1].split() == [
        str(files / "c.tar"),
        "webdataset",
        "2",
        "made",
        str(kept_index(files / "c.tar")),
    ]


def test_data_without_an_index(penstock_in_process, files, class_folders):
    result = penstock_in_process("index", files / "notes.md")
    assert result.status == 2
    assert "nothing to index" in result.errors
    assert penstock_in_process("index", class_folders).status == 2
    result = penstock_in_process("index", files / "nothing.tar")
    assert result.status == 2
    assert "there is no such file" in result.errors


def test_a_damaged_file(penstock_in_process, files):
    path = files / "a.tfrecord"
    path.write_bytes(path.read_bytes()[:-3])
    result = penstock_in_process("index", path)
    assert result.status == 1
    assert result.errors.startswith(f"penstock: error: {path}")
    assert kept_index(path).exists()  # of the sound part, with the reason


def test_files_beside_a_damaged_one_are_indexed(penstock_in_process, files):
    for name in "ab":
        path = next(files.glob(f"{name}.*"))
        path.write_bytes(path.read_bytes()[:-3])
    result = penstock_in_process("index", files)
    assert result.status == 1
    assert "c.tar" in result.output
    assert f"{files}/a.tfrecord" in result.errors
    assert f"{files}/b.rec" in result.errors
    assert kept_index(files / "c.tar").exists()


@pytest.fixture(scope="module")
def s3():
    server = S3Server()
    yield server
    server.close()


@pytest.fixture
def store(s3, monkeypatch, tmp_path):
    """A bucket of S3, which the environment names."""
    told = {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": s3.front.url,
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    return s3


def _bodies(store):
    """Return how many requests fetched bytes of archives since the last call."""
    asked = [wanted for path, wanted in store.front.requests if path.endswith(".tar") and wanted]
    store.front.requests.clear()
    return len([wanted for wanted in asked if wanted != "bytes=0-1023"])


@pytest.mark.parametrize("path", ["s3://bucket/braces/{0..1}.tar", "s3://bucket/whole/"])
def test_indexes_lie_beside_objects(penstock_in_process, store, path, monkeypatch, tmp_path):
    def rows(*options):
        result = penstock_in_process("index", path, "--beside", "--json", *options)
        assert result.status == 0, result.errors
        return [(row["samples"], row["index"], row["made"]) for row in json.loads(result.output)]

    folder = path.rpartition("/")[0]
    for shard in range(2):
        content = archive({f"{shard}{n}.txt": b"%d" % n for n in range(3 + shard)})
        store.put(f"{folder.rpartition('/')[2]}/{shard}.tar", content)
    names = [f"{folder}/{shard}.tar.penstock-index" for shard in range(2)]
    assert rows() == [(3, names[0], True), (4, names[1], True)]
    assert [made for *_, made in rows()] == [False, False]
    assert [made for *_, made in rows("--force")] == [False, False]  # the same again
    store.put(f"{folder.rpartition('/')[2]}/1.tar", archive({"a.txt": b"1"}))
    assert rows() == [(3, names[0], False), (1, names[1], True)]

    @pipeline_def(batch_size=4, num_threads=1)
    def texts():
        paths = [f"{folder}/{shard}.tar" for shard in range(2)]
        return fn.readers.webdataset(paths=paths, ext=["txt"], name="reader")

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another"))
    _bodies(store)
    with texts() as pipeline:
        assert pipeline.epoch_size("reader") == 4
        assert _bodies(store) == 0  # no archive was walked
        (read,) = pipeline.run()
        assert [bytes(read.at(n)) for n in range(4)] == [b"0", b"1", b"2", b"1"]


def test_an_index_of_a_local_copy_is_taken(penstock_in_process, store, tmp_path):
    (tmp_path / "0.tar").write_bytes(archive({"a.txt": b"1", "b.txt": b"2"}))
    assert penstock_in_process("index", tmp_path / "0.tar", "--beside").status == 0
    store.put("one/0.tar", (tmp_path / "0.tar").read_bytes())
    store.put("one/0.tar.penstock-index", (tmp_path / "0.tar.penstock-index").read_bytes())
    store.front.requests.clear()
    result = penstock_in_process("index", "s3://bucket/one/0.tar", "--beside", "--json")
    assert [row["samples"] for row in json.loads(result.output)] == [2]
    asked = [w for path, w in store.front.requests if path.endswith("0.tar") and w]
    assert max(int(wanted.partition("-")[2]) for wanted in asked) < 4096  # it was not walked


def test_servers_that_cannot_be_written(penstock_in_process, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with ObjectServer() as web:
        web.objects["0.tar"] = archive({"a.txt": b"1"})
        web.tags["0.tar"] = '"a"'
        result = penstock_in_process("index", f"{web.url}/0.tar", "--beside")
        assert result.status == 1
        assert "cannot be written" in result.errors
        result = penstock_in_process("index", f"{web.url}/0.tar", "--json")
        assert [row["samples"] for row in json.loads(result.output)] == [1]
