"""Processes write what threads write, and their errors are those of threads."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from penstock import ArgumentError, SourceError, datasets
from penstock.datasets.conversion.engines import processes
from penstock.datasets.conversion.task import WORK
from penstock.testing import made
from penstock.tests.readers.processes import assert_soon, children


@pytest.fixture(autouse=True)
def _eager(monkeypatch):
    """Let the smallest conversion be worth processes, on machines with few cores, too."""
    monkeypatch.setattr(processes, "MAX_THREADS", 0)
    monkeypatch.setattr(processes, "MIN_SAMPLES", 0)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(3))


@pytest.fixture
def source(tmp_path):
    for number in range(40):
        path = tmp_path / "source" / "ab"[number % 2] / f"{number:03d}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(made.jpeg(number))
    return tmp_path / "source"


def contents(root):
    files = (path for path in root.rglob("*") if path.is_file() and path.name != "dataset.json")
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


@pytest.fixture
def uses(monkeypatch):
    """The tasks that processes ran, by name."""
    seen = []
    run = processes.ConvertingProcesses.run

    def noted(self, task):
        seen.append(task.name)
        return run(self, task)

    monkeypatch.setattr(processes.ConvertingProcesses, "run", noted)
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("to", ["tfrecord", "webdataset", "lmdb"])
def test_the_files_are_those_of_threads(source, tmp_path, uses, monkeypatch, to):
    seen = []
    datasets.convert(
        source, tmp_path / "a", to=to, shard_count=5, where="label == 1", progress=seen.append
    )
    assert sorted(uses) == [f"shard-{number:05d}" for number in range(5)]
    assert not children()
    assert (seen[-1].samples, seen[-1].shards) == (40, 5)
    monkeypatch.setattr(processes, "MAX_THREADS", 99)
    datasets.convert(source, tmp_path / "b", to=to, shard_count=5, where="label == 1")
    assert len(uses) == 5
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


@pytest.mark.parametrize(
    "options",
    [
        {"where": lambda sample: sample.components["label"] == 1},
        {"jpeg_quality": 80},
        {"workers": 1, "shard_count": 1},
    ],
)
def test_what_processes_do_not_suit(source, tmp_path, uses, monkeypatch, options):
    monkeypatch.setattr(processes, "MAX_THREADS", 1)
    datasets.convert(source, tmp_path / "a", **{"to": "tfrecord", "shard_count": 3} | options)
    assert uses == []


def test_without_an_interpreter_threads_work(source, tmp_path, uses, monkeypatch):
    monkeypatch.setattr(sys, "executable", "")
    report = datasets.convert(source, tmp_path / "a", to="tfrecord", shard_count=5)
    assert (report.samples, len(uses)) == (40, 5)


def test_an_error_keeps_its_type_and_the_whole_shards(source, tmp_path, uses):
    with pytest.raises(ArgumentError, match=r"b/035.* where: .* fails: ") as caught:
        datasets.convert(
            source,
            tmp_path / "a",
            to="tfrecord",
            shard_count=5,
            where="key != 'b/035' or key['x'] < 3",
        )
    assert any("resume=True" in note for note in caught.value.__notes__)
    assert "converting_child.py" in str(caught.value.__cause__)
    assert not children()
    assert not list((tmp_path / "a" / WORK).glob("*.partial"))


def test_a_process_that_is_killed(source, tmp_path, uses):
    def kill(progress):
        for child in children():
            os.kill(child, signal.SIGKILL)

    with pytest.raises(SourceError, match=r"shard-0000\d was ended by the signal SIGKILL.*resume"):
        datasets.convert(source, tmp_path / "a", to="tfrecord", shard_count=5, progress=kill)
    assert_soon(lambda: not children())
    report = datasets.convert(source, tmp_path / "a", to="tfrecord", shard_count=5, resume=True)
    assert report.samples == 40
    assert datasets.verify(source, tmp_path / "a").ok


def test_the_conversion_is_killed(source, tmp_path, uses):
    datasets.convert(source, tmp_path / "whole", to="tfrecord", shard_count=5)
    whole, root = contents(tmp_path / "whole"), tmp_path / "a"
    for shards in (0, 1, 3):
        program = [sys.executable, Path(__file__).with_name("killed.py"), source, root, str(shards)]
        assert subprocess.run(program, timeout=100).returncode == -signal.SIGKILL
        names = [name for name in contents(root) if not name.startswith(WORK)]
        assert len(names) >= shards
        assert {name: contents(root)[name] for name in names}.items() <= whole.items()
    report = datasets.convert(source, root, to="tfrecord", shard_count=5, resume=True)
    assert report.resumed_shards >= 3
    assert contents(root) == whole


def test_an_error_of_the_progress_function(source, tmp_path, uses):
    def fail(progress):
        raise KeyError("progress")

    with pytest.raises(KeyError, match="progress"):
        datasets.convert(source, tmp_path / "a", to="tfrecord", shard_count=5, progress=fail)
    assert not children()
    assert not list(Path(tmp_path / "a" / WORK).glob("*.partial"))
