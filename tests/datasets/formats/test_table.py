"""A format that another package registers is as good as Penstock's own."""

from __future__ import annotations

import importlib
import json
import os
import pickle
from dataclasses import replace

import cv2
import pytest

from penstock import ArgumentError, DecodeError, SourceError, datasets
from penstock.cli.main import run
from penstock.datasets import FORMATS
from penstock.datasets.conversion.engines import processes
from penstock.datasets.formats.dataset_format import DatasetFormat
from penstock.datasets.formats.table import register_dataset_format
from penstock.testing import made
from penstock.testing.writers import WriterTests


@pytest.fixture(autouse=True)
def json_lines():
    """The example of docs/extending.md, registered for a test."""
    module = importlib.import_module("penstock.tests.datasets.json_lines")
    register_dataset_format(module.JSON_LINES)
    yield module
    FORMATS.pop("jsonlines", None)


class TestLineWriter(WriterTests):
    format = "jsonlines"
    contents = ("images", "speech")

    def bad_sample(self, sample):
        return made.arrays()[0]


@pytest.fixture
def source(tmp_path):
    return made.write(tmp_path / "source", made.images(), classes=("a", "b"))


@pytest.mark.parametrize("workers", [1, 3])
def test_there_and_back(source, tmp_path, monkeypatch, workers):
    """With 3 workers, in processes, which import the format by themselves."""
    used = []
    run = processes.ConvertingProcesses.run
    monkeypatch.setattr(
        processes.ConvertingProcesses, "run", lambda *task: used.append(task) or run(*task)
    )
    monkeypatch.setattr(processes, "MAX_THREADS", 1)
    monkeypatch.setattr(processes, "MIN_SAMPLES", 0)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(3))
    options = {"shard_count": 3, "workers": workers}
    datasets.convert(source, tmp_path / "lines", to="jsonlines", **options)
    assert (tmp_path / "lines" / "shard-00002.jsonl").is_file()
    assert datasets.verify(source, tmp_path / "lines").ok
    datasets.convert(tmp_path / "lines", tmp_path / "back", to="tfrecord", **options)
    assert datasets.verify(tmp_path / "back", source).ok
    assert len(used) == (6 if workers == 3 else 0)
    report = datasets.inspect(tmp_path / "lines")
    assert (report.format, report.samples, report.classes) == ("jsonlines", 12, ("a", "b"))


def test_the_commands(source, tmp_path, capsys):
    lines, back = str(tmp_path / "lines"), str(tmp_path / "back")
    assert run(["convert", str(source), lines, "--to", "jsonlines"]) == 0
    assert run(["convert", lines, back, "--to", "folder"]) == 0
    assert run(["verify", str(source), back]) == 0
    assert run(["show", lines, "-o", str(tmp_path / "sheet.png"), "-n", "2"]) == 0
    assert cv2.imread(str(tmp_path / "sheet.png")) is not None
    capsys.readouterr()
    assert run(["inspect", lines, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["format"] == "jsonlines"


def test_files_are_recognized_among_others(source, tmp_path):
    datasets.convert(source, tmp_path / "lines", to="jsonlines")
    (tmp_path / "lines" / "dataset.json").unlink()
    (tmp_path / "lines" / "README.txt").write_text("What this is.")
    with datasets.open_dataset(tmp_path / "lines") as dataset:
        assert (dataset.format, len(dataset)) == ("jsonlines", 12)
        skipped = {"files without the ending .jsonl": ["README.txt"]}
        assert dataset.stored.skipped_files == skipped
        copy = pickle.loads(pickle.dumps(dataset))
    del FORMATS["jsonlines"]
    assert copy.read([3])[0].key == "b/003"
    with pytest.raises(SourceError, match="no data set of a known format"):
        datasets.open_dataset(tmp_path / "lines")


def test_companions_of_one_format_are_data_of_another(tmp_path):
    root = made.write(tmp_path / "nemo", made.speech(), "nemo")
    (root / "dataset.json").unlink()
    (root / "shard.jsonl").write_text('{"key": "a"}\n')
    assert datasets.open_dataset(root).format == "nemo"
    assert len(datasets.open_dataset(root)) == 9


def test_a_manifest_of_a_format_that_nobody_registered(source, tmp_path):
    datasets.convert(source, tmp_path / "lines", to="jsonlines")
    del FORMATS["jsonlines"]
    with pytest.raises(SourceError, match=r"'jsonlines'.*register_dataset_format.*import"):
        datasets.open_dataset(tmp_path / "lines")


def test_damage_has_its_place(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"key": "a", "x": 1}\n{"key": "b", \n')
    with pytest.raises(DecodeError, match=r"a\.jsonl, record 1, offset 21: no sample"):
        datasets.open_dataset(tmp_path / "a.jsonl")


def test_what_cannot_be_registered(json_lines):
    assert register_dataset_format(json_lines.JSON_LINES) is json_lines.JSON_LINES
    with pytest.raises(ArgumentError, match="named 'coco' already"):
        register_dataset_format(replace(json_lines.JSON_LINES, name="coco"))
    with pytest.raises(ArgumentError, match="must be names of a module"):
        register_dataset_format(
            replace(json_lines.JSON_LINES, name="other", recognize=lambda head, file: False)
        )
    assert "other" not in FORMATS


def test_a_format_without_writer_is_not_written(source, tmp_path, json_lines):
    row = DatasetFormat(name="readonly", title="files", open=json_lines.LineSamples)
    register_dataset_format(row)
    try:
        with pytest.raises(ArgumentError, match=r"jsonlines.*not 'readonly'"):
            datasets.convert(source, tmp_path / "a", to="readonly")
    finally:
        del FORMATS["readonly"]


def test_every_format_has_a_title():
    assert all(row.title and row.name == name for name, row in FORMATS.items())
    pickle.dumps(FORMATS)
