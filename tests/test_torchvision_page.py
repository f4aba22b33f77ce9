"""docs/torchvision.md: its programs run, and its table names every transform."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import penstock.experimental.torchvision as transforms
from penstock.experimental.torchvision.translations import TRANSLATIONS
from penstock.tests.checkout import ROOT

from .torchvision_library import load_torchvision

PAGE = ROOT / "docs" / "torchvision.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_programs_run_in_their_order(photo_tree, tmp_path, monkeypatch, capsys):
    load_torchvision()
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    monkeypatch.chdir(tmp_path)
    Path("photos").symlink_to(photo_tree.root)
    image.fromarray(np.full((60, 80, 3), 9, np.uint8)).save("photo.jpg")
    names = {"__name__": "an_example"}
    for program in re.findall(r"```python\n(.*?)```", TEXT, re.S):
        exec(compile(program, str(PAGE), "exec"), names)
    report = re.search(r"```text\n(.*?)```", TEXT, re.S)[1]
    assert capsys.readouterr().out == (
        f"(8, 3, 224, 224) CHW\n{report}"
        "(2, 50, 50, 3) [[25.0, 5.0, 45.0, 25.0]] (2, 50, 50)\n"
        "(50, 50) torch.Size([3, 50, 50])\n(80, 60)\n"
    )


def test_the_table_names_every_transform():
    lines = re.findall(r"^\| (`.*?) \| ", TEXT, re.MULTILINE)
    named = {name for line in lines for name in re.findall(r"`(\w+)`", line)} - {"antialias"}
    public = {name for name in transforms.__all__ if hasattr(getattr(transforms, name), "add_to")}
    assert named == set(TRANSLATIONS) | public - {"Transform"}
