"""A destination in a store: refused, continued, replaced; kills, and two writers."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from penstock import datasets
from penstock.datasets.conversion import claim, stored_destination
from penstock.datasets.conversion import task as tasks
from penstock.engine.errors import ArgumentError, SourceError
from penstock.readers.remote.writing import WritableFolder
from penstock.readers.storage.urls import Url
from penstock.testing import made

WORK = ".penstock-convert"


@pytest.fixture
def source(tmp_path):
    return made.write(tmp_path / "source", made.images(), classes=("a", "b"))


@pytest.fixture(params=["s3", "gs"])
def place(s3, request):
    """Return a folder of the test's own in each kind of store whose conditions differ."""
    server = s3 if request.param == "s3" else request.getfixturevalue("gcs")
    name = request.node.name.replace("[", "-").rstrip("]")  # no pattern
    store = WritableFolder(Url(f"{request.param}://bucket/{name}/set"), server.options)
    yield store
    for name in store.listed():
        store.delete(name)


def convert(source, place, **options):
    how = {"to": "tfrecord", "shard_count": 6, "workers": 1, **options}
    return datasets.convert(source, place.url.text, destination_options=place.options, **how)


def objects(place):
    return {name: place.read(name) for name in place.listed()}


def files(root):
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def cut_off(source, place, monkeypatch, **options):
    """Convert three shards of six."""
    calls = []

    def fail_late(*arguments):
        calls.append(arguments)
        if len(calls) > 3:
            raise KeyboardInterrupt
        return upload(*arguments)

    upload = tasks.upload
    monkeypatch.setattr(tasks, "upload", fail_late)
    with pytest.raises(KeyboardInterrupt):
        convert(source, place, **options)
    monkeypatch.setattr(tasks, "upload", upload)


@pytest.mark.parametrize("to", ["webdataset", "folder", "filelist", "parquet", "lmdb"])
def test_the_objects_are_those_that_a_local_folder_has(source, place, tmp_path, to):
    datasets.convert(source, tmp_path / "local", to=to, shard_count=3)
    report = convert(source, place, to=to, shard_count=3)
    assert report.path == str(place.url)
    assert objects(place) == files(tmp_path / "local")
    options = {"storage_options": place.options}
    stored = datasets.open_dataset(place.url.text, **options)
    local = datasets.open_dataset(tmp_path / "local")
    assert [s.key for s in stored.read([*range(12)])] == [s.key for s in local.read([*range(12)])]
    assert datasets.verify(source, place.url.text, **options).ok


def test_a_second_run_goes_on_after_the_last_whole_shard(source, place, tmp_path, monkeypatch):
    cut_off(source, place, monkeypatch)
    assert "dataset.json" not in objects(place)
    with pytest.raises(FileExistsError, match="resume=True goes on"):
        convert(source, place)
    with pytest.raises(ArgumentError, match=r"plan.json: .* other values of: shards"):
        convert(source, place, resume=True, shard_count=5)
    report = convert(source, place, resume=True)
    assert (report.samples, report.resumed_shards) == (12, 3)
    datasets.convert(source, tmp_path / "whole", to="tfrecord", shard_count=6)
    assert objects(place) == files(tmp_path / "whole")
    assert convert(source, place, resume=True).resumed_shards == 6


def test_a_shard_that_is_not_what_was_written_is_written_again(source, place, monkeypatch):
    cut_off(source, place, monkeypatch)
    name, content = next((n, c) for n, c in objects(place).items() if n.endswith(".tfrecord"))
    place.write(name, content[::-1])  # of the same size
    assert convert(source, place, resume=True).resumed_shards == 2
    assert objects(place)[name] == content


def test_an_old_data_set_is_an_error_before_it_changes(source, place, tmp_path, monkeypatch):
    convert(source, place)
    other = made.write(tmp_path / "other", made.images(8), classes=("a", "b"))
    with pytest.raises(FileExistsError, match="overwrite=True to replace"):
        convert(other, place)
    cut_off(other, place, monkeypatch, overwrite=True)
    with pytest.raises(SourceError, match="a conversion is replacing this data set"):
        datasets.open_dataset(place.url.text, storage_options=place.options)
    assert convert(other, place, resume=True).resumed_shards == 3
    convert(other, place, overwrite=True, to="webdataset", shard_count=2)
    datasets.convert(other, tmp_path / "whole", to="webdataset", shard_count=2)
    assert objects(place) == files(tmp_path / "whole")


def test_objects_of_others_are_left_alone(source, place):
    place.write("notes.txt", b"mine")
    for options in ({}, {"resume": True}, {"overwrite": True}):
        with pytest.raises(FileExistsError):
            convert(source, place, **options)
    assert objects(place) == {"notes.txt": b"mine"}


def test_two_writers_at_once(source, place, monkeypatch):
    refused = []

    def upload_beside_another(*arguments):
        if not refused:
            for options in ({}, {"resume": True}, {"overwrite": True}):
                with pytest.raises(FileExistsError) as caught:
                    convert(source, place, **options)
                refused.append(str(caught.value))
        return upload(*arguments)

    upload = tasks.upload
    monkeypatch.setattr(tasks, "upload", upload_beside_another)
    assert convert(source, place).samples == 12
    assert f"number {os.getpid()} on" in refused[1]
    assert f"number {os.getpid()} on" in refused[2]


def test_a_writer_on_another_machine_counts_until_it_is_silent(source, place, tuned):
    writer = {"host": "elsewhere 1", "process": 1, "began": "5", "token": ""}
    place.write(f"{WORK}/writer.json", json.dumps(writer).encode())
    with pytest.raises(FileExistsError, match=r"number 1 on elsewhere; once .* 120 s"):
        convert(source, place, resume=True)
    tuned(claim, SILENT_SECONDS=-3600.0)
    assert convert(source, place, resume=True).samples == 12
    assert not any(name.startswith(WORK) for name in objects(place))


def test_a_writer_that_lost_its_claim_ends(source, place, monkeypatch):
    def upload_and_lose(*arguments):
        place.write(f"{WORK}/writer.json", b"{}")
        return upload(*arguments)

    upload = tasks.upload
    monkeypatch.setattr(tasks, "upload", upload_and_lose)
    with pytest.raises(FileExistsError, match="another process is converting to"):
        convert(source, place)
    assert "dataset.json" not in objects(place)


def test_local_folders_of_killed_runs_are_removed(source, place, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(stored_destination.shutil, "rmtree", lambda *_, **__: None)
    convert(source, place)
    assert len([*(tmp_path / "temporary").iterdir()]) == 1
    monkeypatch.undo()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    convert(source, place, overwrite=True)
    assert not [*(tmp_path / "temporary").iterdir()]


def test_nothing_is_left_if_no_sample_is_chosen(source, place):
    with pytest.raises(ArgumentError, match="selects none"):
        convert(source, place, where="label == 77")
    assert objects(place) == {}


def test_source_and_destination_may_not_overlap(source, place):
    convert(source, place)
    for url in (place.url, place.url / "inner", place.url.parent):
        inner = WritableFolder(url, place.options)
        with pytest.raises(ArgumentError, match="overlap"):
            convert(place.url.text, inner, storage_options=place.options, overwrite=True)


@pytest.mark.parametrize("fault", ["503", "drop"])
@pytest.mark.parametrize("place", ["s3"], indirect=True)
def test_faults_that_pass(source, place, s3, tmp_path, fault):
    s3.front.faults.extend(["", fault] * 12)
    convert(source, place)
    datasets.convert(source, tmp_path / "whole", to="tfrecord", shard_count=6)
    assert objects(place) == files(tmp_path / "whole")


@pytest.mark.parametrize("to", ["webdataset", "filelist"])
def test_kills_leave_whole_objects_and_a_run_to_go_on_with(source, place, to):
    program = Path(__file__).parent / "killing.py"
    options = json.dumps(place.options)
    done = subprocess.run(
        [sys.executable, program, source, place.url.text, to, "3", "1", options],
        env=os.environ | {"PYTHONPATH": ":".join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 3
