"""The destination: refused, continued, replaced; kills and full disks."""

from __future__ import annotations

import fcntl
import os
import resource
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from penstock import datasets
from penstock.datasets import Encoded, Sample
from penstock.datasets.conversion import destination
from penstock.datasets.conversion import task as tasks
from penstock.engine.errors import ArgumentError, MissingDependencyError, SourceError
from penstock.testing import made


@pytest.fixture
def source(tmp_path):
    return made.write(tmp_path / "source", made.images(), classes=("a", "b"))


def cut_off(source, root, monkeypatch, **options):
    """Convert three shards of six."""
    calls = []

    def fail_late(*arguments):
        calls.append(arguments)
        if len(calls) > 3:
            raise KeyboardInterrupt
        return publish(*arguments)

    publish = tasks.publish
    monkeypatch.setattr(tasks, "publish", fail_late)
    with pytest.raises(KeyboardInterrupt):
        datasets.convert(source, root, to="tfrecord", shard_count=6, workers=1, **options)
    monkeypatch.setattr(tasks, "publish", publish)


def test_a_second_run_goes_on_after_the_last_whole_shard(source, tmp_path, monkeypatch):
    root = tmp_path / "out"
    cut_off(source, root, monkeypatch)
    assert not (root / "dataset.json").exists()
    with pytest.raises(FileExistsError, match="resume=True goes on"):
        datasets.convert(source, root, to="tfrecord", shard_count=6)
    report = datasets.convert(source, root, to="tfrecord", shard_count=6, resume=True)
    assert (report.samples, report.resumed_shards) == (12, 3)
    datasets.convert(source, tmp_path / "whole", to="tfrecord", shard_count=6)
    assert made.files_of(root) == made.files_of(tmp_path / "whole")
    again = datasets.convert(source, root, to="tfrecord", shard_count=6, resume=True)
    assert again.resumed_shards == 6


def test_other_options_do_not_go_on(source, tmp_path, monkeypatch):
    root = tmp_path / "out"
    cut_off(source, root, monkeypatch)
    with pytest.raises(ArgumentError, match="other values of: order, shards;"):
        datasets.convert(source, root, to="tfrecord", shard_count=5, shuffle_seed=1, resume=True)


@pytest.mark.parametrize(
    "plan", ["", "[]", "{}", '{"plan": "[]", "started": 1}', '{"plan": "{}", "started": 1e999}']
)
def test_a_damaged_plan_is_named(source, tmp_path, monkeypatch, plan):
    root = tmp_path / "out"
    cut_off(source, root, monkeypatch)
    (root / ".penstock-convert" / "plan.json").write_text(plan)
    with pytest.raises(SourceError, match=r"plan.json is damaged .* overwrite=True"):
        datasets.convert(source, root, to="tfrecord", shard_count=6, resume=True)


def test_a_data_set_is_replaced_once_the_new_one_is_whole(source, tmp_path, monkeypatch):
    root = tmp_path / "out"
    datasets.convert(source, root, to="webdataset")
    old = made.files_of(root)
    with pytest.raises(FileExistsError, match="overwrite=True"):
        datasets.convert(source, root, to="tfrecord")
    cut_off(source, root, monkeypatch, overwrite=True)
    assert made.files_of(root) == old
    report = datasets.convert(
        source, root, to="tfrecord", shard_count=6, overwrite=True, resume=True
    )
    assert report.resumed_shards == 3
    assert datasets.verify(source, root).ok
    assert {path.name for path in tmp_path.iterdir()} <= {".cache", "out", "source"}


def test_files_of_others_are_not_replaced(source, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("...")
    for options in ({}, {"overwrite": True}, {"resume": True}):
        with pytest.raises(FileExistsError):
            datasets.convert(source, tmp_path / "out", to="tfrecord", **options)
    assert (tmp_path / "out" / "thesis.tex").exists()


def test_source_and_destination_must_not_overlap(source):
    for folder in (source, source / "new", source.parent):
        with pytest.raises(ArgumentError, match="overlap"):
            datasets.convert(source, folder, to="tfrecord", overwrite=True)


def test_no_spelling_hides_that_source_and_destination_overlap(source, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "deep").symlink_to(source)
    (tmp_path / "shards").mkdir()
    (tmp_path / "shards" / "a.tar").symlink_to(source / "shard-00000.tar")
    hidden = tmp_path / "elsewhere" / "deep" / ".."
    before = made.files_of(source)
    for read, folder in (
        (tmp_path / "link" / "source", source),
        (source, tmp_path / "link" / "source"),
        (source, hidden / "source"),
        (source, hidden / "source" / "new"),
        (tmp_path / "link" / "source", tmp_path),
        (tmp_path / "shards", source),
        (tmp_path / "link" / "source" / "*.tar", source),
    ):
        with pytest.raises(ArgumentError, match=r"the destination .* overlap: .* belongs to both"):
            datasets.convert(read, folder, to="tfrecord", where="label == 1", overwrite=True)
    assert made.files_of(source) == before


def test_a_linked_destination_stays_a_link(source, tmp_path):
    big, link = tmp_path / "big", tmp_path / "train"
    big.mkdir()
    (big / "train").mkdir()
    link.symlink_to(big / "train")
    for to in ("webdataset", "tfrecord", "parquet"):
        report = datasets.convert(source, link, to=to, overwrite=True)
        assert report.path == str(big / "train")
        assert link.is_symlink()
        assert datasets.verify(source, link).ok
        assert [path.name for path in big.iterdir()] == ["train"]
    assert {path.name for path in tmp_path.iterdir()} <= {".cache", "big", "source", "train"}


@pytest.mark.parametrize("below", ["", "deeper/out"])
def test_a_link_that_leads_nowhere_is_named(source, tmp_path, below):
    (tmp_path / "train").symlink_to(tmp_path / "missing")
    with pytest.raises(FileExistsError, match=r"train is a link to .*missing, which does not"):
        datasets.convert(source, tmp_path / "train" / below, to="tfrecord", overwrite=True)
    assert not (tmp_path / "missing").exists()


@pytest.mark.parametrize("moved", [0, 1, 2])
@pytest.mark.parametrize("next_run", [{"resume": True}, {"overwrite": True}, {}])
def test_cut_off_while_the_folders_are_exchanged(source, tmp_path, monkeypatch, moved, next_run):
    root = tmp_path / "out"
    datasets.convert(source, root, to="webdataset")
    moves = []

    def replace(old, new):
        if root in (Path(old), Path(new)):
            if len(moves) == moved:
                raise KeyboardInterrupt
            moves.append(new)
        return real(old, new)

    real = os.replace
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", replace)
        if moved == 2:
            patch.setattr(destination, "_remove", lambda path: None)
        with pytest.raises(KeyboardInterrupt) if moved < 2 else nullcontext():
            datasets.convert(source, root, to="tfrecord", overwrite=True)
    if moved == 0:  # the old data set is still in its place
        next_run = next_run | {"overwrite": True}
    try:
        datasets.convert(source, root, to="tfrecord", **next_run)
    except FileExistsError:
        assert next_run == {}
    assert datasets.inspect(root).format == "tfrecord"
    assert datasets.verify(source, root).ok
    assert {path.name for path in tmp_path.iterdir()} <= {".cache", "out", "source"}


def test_two_conversions_do_not_mix(source, tmp_path, monkeypatch):
    root = tmp_path / "out"
    cut_off(source, root, monkeypatch)
    with (root / ".penstock-convert" / "plan.json").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(FileExistsError, match="another process"):
            datasets.convert(source, root, to="tfrecord", shard_count=6, resume=True)


@pytest.mark.parametrize("to", ["tfrecord", "lmdb", "folder", "parquet", "webdataset"])
def test_a_full_disk_leaves_no_half_shard(tmp_path, to):
    content = np.random.default_rng(0).bytes(100_000)  # Parquet files are compressed
    large = Sample("a/large", {"image": Encoded(content, "jpg"), "label": 0})
    source = made.write(tmp_path / "source", [*made.images(), large], classes=("a", "b"))
    root = tmp_path / "out"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, before[1]))
    try:
        with pytest.raises(OSError) as caught:
            datasets.convert(source, root, to=to, shard_count=2, workers=1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert any("resume=True" in note for note in caught.value.__notes__)
    assert list(root.glob(".penstock-convert/*.partial")) == []
    assert not list(root.glob("shard-00001*"))
    report = datasets.convert(source, root, to=to, shard_count=2, resume=True)
    assert report.resumed_shards == 1
    assert datasets.verify(source, root).ok


@pytest.mark.parametrize("to", ["webdataset", "filelist"])
def test_killed_at_random_moments_a_conversion_goes_on(source, tmp_path, to):
    program = Path(__file__).parent / "killing.py"
    result = subprocess.run(
        [sys.executable, program, source, tmp_path / "out", to, "4", "1"],
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert result.returncode == 0, result.stderr
    assert int(result.stdout) >= 4


@pytest.mark.parametrize(
    ("to", "library"), [("tfrecord", "crc32c"), ("parquet", "pyarrow"), ("lmdb", "lmdb")]
)
def test_a_library_that_is_missing_leaves_no_destination(
    source, tmp_path, monkeypatch, to, library
):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingDependencyError, match=f"{library}.*pip install"):
        datasets.convert(source, tmp_path / "out", to=to)
    assert not (tmp_path / "out").exists()
