"""Data sets on the Hub in `penstock.datasets` and in the commands."""

import json

import cv2
import numpy as np
import pytest

from penstock import ArgumentError, datasets
from penstock.cli.main import run

from .sets import pa, pq, table


def images(*values):
    pixels = [np.full((8, 9, 3), value, np.uint8) for value in values]
    files = [cv2.imencode(".png", one)[1].tobytes() for one in pixels]
    return table(*values, image=[{"bytes": file, "path": "a.png"} for file in files])


@pytest.fixture
def talks(repo, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    card = b"---\nconfigs:\n- config_name: a\n  data_files: a/*\n- config_name: b\n"
    card += b"  data_files:\n  - {split: train, path: b/x*}\n  - {split: test, path: b/y*}\n---\n"
    return repo.push(
        {
            "README.md": card,
            "a/0.parquet": images(1, 2, 3),
            "b/x.parquet": images(4, 5),
            "b/y.parquet": images(6),
        }
    )


def test_data_sets(hub, talks):
    with datasets.open_dataset("hf://user/name", config="a") as dataset:
        assert dataset.path == f"hf://datasets/user/name@{talks}"
        assert [sample.components["label"] for sample in dataset.read([0, 1, 2])] == [1, 2, 3]
    with datasets.open_dataset("hf://user/name", config="b", split="test") as dataset:
        assert len(dataset) == 1
    with pytest.raises(ArgumentError, match="the configurations a, b, which are not one data set"):
        datasets.open_dataset("hf://user/name")
    with pytest.raises(ArgumentError, match=r"holds the splits test .*, train"):
        datasets.open_dataset("hf://user/name", config="b")


def test_commands(talks, capsys):
    of_b = ["--config", "b", "--split", "train"]
    assert run(["inspect", "hf://user/name", *of_b, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["samples"] == 2
    assert run(["convert", "hf://user/name", "out", "--to", "webdataset", *of_b]) == 0
    assert run(["verify", "hf://user/name", "out", *of_b]) == 0
    assert run(["show", "hf://user/name", "--output", "sheet.png", *of_b]) == 0
    assert run(["inspect", "hf://user/name"]) == 2
    assert run(["inspect", "hf://user/other"]) == 2


def test_a_conversion_reads_one_commit(hub, repo, talks):
    def progress(_):
        repo.push({"a/0.parquet": images(9)})

    report = datasets.convert(
        "hf://user/name", "out", to="parquet", config="a", workers=1, progress=progress
    )
    assert report.samples == 3
    with datasets.open_dataset("out") as dataset:
        assert [sample.components["label"] for sample in dataset.read([0, 1, 2])] == [1, 2, 3]
    assert pq.read_table("out/shard-00000.parquet").schema.field("label").type == pa.int64()
