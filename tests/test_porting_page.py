"""docs/porting.md: its program runs, and the names that it calls missing are missing."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import penstock
from penstock.engine.graph.operator import OPERATORS
from penstock.tests.checkout import ROOT

PAGE = ROOT / "docs" / "porting.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_program_runs(tmp_path, monkeypatch, capsys):
    pytest.importorskip("torch")
    image = pytest.importorskip("PIL.Image")
    monkeypatch.chdir(tmp_path)
    for i in range(12):
        Path(f"photos/{i % 2}").mkdir(parents=True, exist_ok=True)
        pixels = np.random.default_rng(i).integers(0, 256, (40, 50, 3), dtype=np.uint8)
        image.fromarray(pixels).save(f"photos/{i % 2}/{i}.png")
    names = {"__name__": "an_example"}
    for program in re.findall(r"```python\n(.*?)```", TEXT, re.S):
        exec(compile(program, str(PAGE), "exec"), names)
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["torch.Size([4, 3, 32, 32]) torch.Size([4, 1])"] * 6


def test_what_is_called_missing_is_missing():
    for owner, name in (
        (penstock.ops, "register_cpu_op"),
        (penstock.ops, "register_gpu_op"),
        (penstock.tensors.TensorCPU, "b"),
    ):
        assert name in TEXT
        assert not hasattr(owner, name)


def test_members_of_pipelines_that_are_named_exist():
    for name in ("serialize", "save_graph_to_dot_file", "executor_statistics", "add_sink"):
        assert f"`{name}`" in TEXT
        assert hasattr(penstock.Pipeline, name)


def test_rows_of_tables_are_whole():
    tables = re.findall(r"(?:^\|.*\|$\n)+", TEXT, re.MULTILINE)
    assert len(tables) == 2
    for table in tables:
        assert len({line.count("|") for line in table.splitlines()}) == 1


def test_operators_that_are_named_exist():
    for name in re.findall(r"fn\.([a-z_]+\.?[a-z_]*)", TEXT):
        assert name in OPERATORS or any(operator.startswith(f"{name}.") for operator in OPERATORS)
