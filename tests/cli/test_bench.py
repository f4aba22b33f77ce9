"""`penstock bench`: rates, limits, and the comparison with DALI."""

from __future__ import annotations

import importlib.util
import json
import sys

import cv2
import numpy as np
import pytest

from penstock import datasets
from penstock.datasets import Sample
from penstock.testing import made

SECONDS = ("--seconds", "0.2")

needs_dali = pytest.mark.skipif(
    importlib.util.find_spec("nvidia") is None or importlib.util.find_spec("nvidia.dali") is None,
    reason="DALI is not installed",
)


@pytest.fixture(scope="module")
def shards(class_folders, tmp_path_factory):
    """The class folders in another format, by its name."""
    folder = tmp_path_factory.mktemp("shards")
    for name in ("tfrecord", "webdataset", "recordio"):
        datasets.convert(class_folders, folder / name, to=name)
    return folder


def test_a_pipeline(penstock_in_process, pipelines, class_folders):
    given = ["--arg", f"folder={class_folders}", "--batch-size", 4, "--threads", 2]
    result = penstock_in_process("bench", f"{pipelines}:photos", *given, *SECONDS, "--json")
    assert result.status == 0, result.errors
    content = json.loads(result.output)
    assert content["samples_per_s"] == pytest.approx(content["samples"] / content["seconds"])
    assert content["lowest"] <= content["samples_per_s"] <= content["highest"] * 1.001
    assert content["samples"] % 4 == 0
    assert 0 < content["first_batch_s"] < 60
    assert content["figures"]["num_threads"] == 2
    stages = {stage["name"]: stage for stage in content["stages"]}
    assert set(stages) == {"feeder", "workers"}
    assert stages["workers"]["threads"] == 2
    names = {operator["operator"] for operator in content["figures"]["operators"]}
    assert names == {"readers.file", "decoders.image", "resize"}
    assert content["limit"]["remedies"]


def test_the_report_for_people(penstock_in_process, class_folders):
    output = penstock_in_process("bench", class_folders, *SECONDS, "--batch-size", 2).output
    for text in ("samples/s", "ms to the first batch", "decoders.image_random_crop", "limit"):
        assert text in output


@pytest.mark.parametrize("name", ["tfrecord", "webdataset", "recordio"])
def test_a_path_of_each_format(penstock_in_process, shards, name):
    result = penstock_in_process(
        "bench", shards / name, "--work", "decode", "--seconds", 0.1, "--json"
    )
    assert result.status == 0, result.errors
    operators = json.loads(result.output)["figures"]["operators"]
    assert "decoders.image" in {operator["operator"] for operator in operators}


@needs_dali
@pytest.mark.parametrize("name", ["tfrecord", "webdataset", "recordio"])
def test_dali_runs_the_same_work_by_turns(penstock_in_process, shards, name):
    result = penstock_in_process(
        "bench", shards / name, "--compare", "dali", "--seconds", 0.1, "--batch-size", 2, "--json"
    )
    assert result.status == 0, result.errors
    dali = json.loads(result.output)["dali"]
    assert dali["lowest"] <= dali["ratio"] <= dali["highest"]
    assert dali["theirs"] > 0


def test_dali_is_not_installed(penstock_in_process, class_folders, monkeypatch):
    monkeypatch.setitem(sys.modules, "nvidia.dali", None)
    result = penstock_in_process("bench", class_folders, "--compare", "dali", *SECONDS)
    assert result.status == 1
    assert "pip install nvidia-dali" in result.errors


@pytest.mark.parametrize("work", ["decode", "train"])
def test_sound(penstock_in_process, tmp_path, work):
    soundfile = pytest.importorskip("soundfile")
    (tmp_path / "data" / "a").mkdir(parents=True)
    for i in range(3):
        soundfile.write(tmp_path / "data" / "a" / f"{i}.wav", np.zeros(4000), 8000)
    result = penstock_in_process(
        "bench", tmp_path / "data", "--work", work, *SECONDS, "--batch-size", 3, "--json"
    )
    assert result.status == 0, result.errors
    names = {operator["operator"] for operator in json.loads(result.output)["figures"]["operators"]}
    assert names >= {"decoders.audio"} | ({"mel_filter_bank"} if work == "train" else set())


def test_wrong_usage(penstock_in_process, pipelines, tmp_path):
    result = penstock_in_process("bench", f"{pipelines}:scenes", "--compare", "dali")
    assert result.status == 2
    assert "--compare: for a PATH" in result.errors
    result = penstock_in_process("bench", f"{pipelines}:scenes", "--device", "mixed")
    assert "--device: for a PATH" in result.errors
    made.write(tmp_path / "data", [Sample("1", {"text": "no image", "label": 0})])
    result = penstock_in_process("bench", tmp_path / "data", "--arg", "a=1")
    assert "--arg: for a pipeline, not for a PATH" in result.errors
    result = penstock_in_process("bench", tmp_path / "data", "--work", "train")
    assert result.status == 2
    assert "the samples have no images and no sound, but text, label" in result.errors


def test_a_damaged_image_ends_the_run(penstock_in_process, tmp_path, class_folders):
    folder = tmp_path / "data" / "cats"
    folder.mkdir(parents=True)
    content = (class_folders / "cats" / "1.jpg").read_bytes()
    for i in range(4):
        (folder / f"{i}.jpg").write_bytes(content[: len(content) // (1 + (i == 2))])
    assert cv2.imread(str(folder / "0.jpg")) is not None
    result = penstock_in_process("bench", tmp_path / "data", *SECONDS)
    assert result.status == 1
    assert "2.jpg" in result.errors


@pytest.mark.parametrize("name", ["webdataset", "tfrecord", "recordio", "folder"])
def test_a_url(penstock_in_process, shards, class_folders, web, name):
    root = class_folders if name == "folder" else shards / name
    for path in filter(lambda each: each.is_file(), root.rglob("*")):
        web.objects[f"set/{path.relative_to(root)}"] = path.read_bytes()
    arguments = ("bench", f"{web.url}/set", *SECONDS, "--batch-size", 2)
    result = penstock_in_process(*arguments, "--json")
    assert result.status == 0, result.errors
    assert json.loads(result.output)["samples_per_s"] > 0
    compared = penstock_in_process(*arguments, "--compare", "dali")
    assert (compared.status, "DALI reads no URLs" in compared.errors) == (2, True)
