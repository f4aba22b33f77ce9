"""docs/paddle.md: its programs run, the loss falls, and the table of types holds."""

from __future__ import annotations

import re

import numpy as np
import pytest

from penstock.tensors import TensorListCPU

paddle = pytest.importorskip("paddle", reason="PaddlePaddle is not installed")

from penstock.plugin.paddle import to_paddle_type  # noqa: E402
from penstock.tests.checkout import ROOT  # noqa: E402

PAGE = ROOT / "docs" / "paddle.md"
TEXT = PAGE.read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", TEXT, re.S)


def test_the_programs_run(photo_tree, tmp_path, monkeypatch, capsys):
    (tmp_path / "photos").symlink_to(photo_tree.root)
    monkeypatch.chdir(tmp_path)
    paddle.seed(1)
    names = {"__name__": "an_example"}
    for program in PROGRAMS:
        assert len(program.splitlines()) <= 40
        exec(compile(program, str(PAGE), "exec"), names)
    epochs = np.reshape(names["losses"], (3, -1)).mean(1)
    assert epochs.shape == (3,)
    assert epochs[2] < epochs[0]
    said = re.findall(r"^print\(.*\)  # (.*)$", TEXT, re.M)
    assert capsys.readouterr().out.splitlines() == said


def test_the_table_of_types():
    same, *rows = re.findall(r"^\| (\w[\w, ]*) \| ([^|]*) \|$", TEXT, re.M)[1:]
    pairs = [(name, name) for name in same[0].split(", ")]
    pairs += [(name, made.partition(",")[0]) for name, made in rows if "error" not in made]
    assert len(pairs) == 11
    for name, made in pairs:
        kind = to_paddle_type(TensorListCPU(np.ones((1, 1), name)))
        assert paddle.zeros([1], kind).dtype == getattr(paddle, made)
