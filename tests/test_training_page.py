"""docs/training.md: its program is the example, which learns, and goes on where it was saved."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

import penstock

ROOT = Path(penstock.__file__).resolve().parent
EXAMPLE = ROOT / "examples" / "train.py"

pytest.importorskip("torch", reason="PyTorch is not installed")


def test_the_page_has_the_example():
    (program,) = re.findall(r"```python\n(.+?)```", (ROOT / "docs/training.md").read_text(), re.S)
    assert program == EXAMPLE.read_text(encoding="utf-8")


def test_the_example_learns_and_resumes(generator, tmp_path, monkeypatch, capsys):
    tree = generator.subject_tree(tmp_path / "photos", per_class=12, size=(75, 100))
    spec = importlib.util.spec_from_file_location("train", EXAMPLE)
    train = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(train)

    def run(epochs):
        options = ["--epochs", str(epochs), "--save", str(tmp_path / "run.pt")]
        monkeypatch.setattr(sys, "argv", ["train.py", str(tree.root), f"{tree.root}/", *options])
        train.torch.manual_seed(0)
        train.main()
        return re.findall(r"epoch (\d): loss [\d.]+, accuracy ([\d.]+)%", capsys.readouterr().out)

    first = run(2)
    assert [epoch for epoch, _ in first] == ["0", "1"]
    second = run(6)
    assert [epoch for epoch, _ in second] == ["2", "3", "4", "5"]
    assert float(second[-1][1]) > 50  # chance: 12.5
