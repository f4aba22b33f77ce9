"""docs/ray.md: its programs run on a cluster, print what they say, and train in two processes."""

from __future__ import annotations

import re
from itertools import chain

import pytest

from penstock import datasets
from penstock.tests.checkout import ROOT

pytest.importorskip("ray", reason="Ray is not installed")
pytest.importorskip("ray.data", reason="Ray Data is not installed")

PAGE = ROOT / "docs" / "ray.md"
TEXT = PAGE.read_text(encoding="utf-8")
*OF_DATA, OF_TRAINING = re.findall(r"```python\n(.*?)```", TEXT, re.S)

pytestmark = [
    pytest.mark.filterwarnings("default"),
    pytest.mark.timeout(900),  # each worker imports Ray, and on a busy machine slowly
    pytest.mark.usefixtures("cluster"),
]


def run(program, names):
    assert len(program.splitlines()) <= 40
    exec(compile(program, str(PAGE), "exec"), names)


def test_the_programs_of_data(photo_tree, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    datasets.convert(photo_tree.root, "train-tar", to="webdataset", shard_count=2)
    names = {"__name__": "__main__"}
    for program in OF_DATA:
        run(program, names)
    said = chain(*(re.findall(r"^print\(.*\)  # (.*)$", each, re.M) for each in OF_DATA))
    assert capsys.readouterr().out.splitlines() == [*said]
    assert datasets.verify("dogs").samples == 8


def test_the_program_of_training(photo_tree, tmp_path):
    torch = pytest.importorskip("torch")
    pytest.importorskip("ray.train.torch", reason="Ray Train is not installed")
    program = OF_TRAINING.replace("/data/photos", str(photo_tree.root))
    config = f"scaling_config=two, run_config=ray.train.RunConfig(storage_path={str(tmp_path)!r})"
    names = {"__name__": "__main__"}
    run(program.replace("scaling_config=two", config), names)
    result = names["result"]
    assert result.error is None
    assert result.metrics["steps"] == 4  # of 8 samples, of a half of the 64 photographs
    assert len(result.metrics_dataframe) == 3
    with result.checkpoint.as_directory() as folder:
        states = [torch.load(f"{folder}/{rank}.pt") for rank in (0, 1)]
    assert all("checkpoints" in state["batches"] for state in states)
