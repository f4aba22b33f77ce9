"""docs/dynamic.md: the examples run, and print what the comments say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import penstock
from penstock.experimental import dynamic as ndd

PAGE = Path(penstock.__file__).resolve().parent / "docs" / "dynamic.md"
TEXT = PAGE.read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", TEXT, re.S)


def test_the_examples_run_and_print_what_they_say(photo_tree, tmp_path, capsys):
    pytest.importorskip("torch")
    paths = [str(path) for path in sorted(Path(photo_tree.root).rglob("*.jp*g"))[:3]]
    trained = []
    names = {
        "__name__": "an_example",
        "photograph": paths[0],
        "photographs": paths,
        "folder": str(photo_tree.root),
        "checkpoints": str(tmp_path),
        "train": lambda *tensors: trained.append([tuple(tensor.shape) for tensor in tensors]),
    }
    said, printed = [], []
    for program in PROGRAMS:
        exec(compile(program, str(PAGE), "exec"), names)
        printed += capsys.readouterr().out.splitlines()
        said += re.findall(r"^print\(.*\)  # ([\[(]\S*.*)$", program, re.M)
    assert printed[: len(said)] == said
    assert trained == [[(16, 32, 32, 3), (16, 1)]] * 8


def test_the_table_names_what_is_there():
    rows = re.findall(r"^\| (`ndd\..*?) \|", TEXT, re.M)
    found = {name for row in rows for name in re.findall(r"`ndd\.(\w+)", row)}
    assert len(found) > 5
    assert all(hasattr(ndd, name) for name in found)
