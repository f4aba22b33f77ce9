"""docs/dynamic.md: the examples run, and print what the comments say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from penstock.experimental import dynamic as ndd
from penstock.tests.checkout import ROOT

PAGE = ROOT / "docs" / "dynamic.md"
TEXT = PAGE.read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", TEXT, re.S)


def test_the_examples_run_and_print_what_they_say(photo_tree, tmp_path, monkeypatch, capsys):
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    Path("classes").symlink_to(photo_tree.root)
    Path("photos").mkdir()
    for i, path in enumerate(sorted(Path(photo_tree.root).rglob("*.jp*g"))[:3], 1):
        Path(f"photos/{i}.jpg").symlink_to(path)
    names = {"__name__": "an_example"}
    said, printed = [], []
    for program in PROGRAMS:
        exec(compile(program, str(PAGE), "exec"), names)
        printed += capsys.readouterr().out.splitlines()
        said += re.findall(r"^print\(.*\)  # ([\[(]\S*.*)$", program, re.M)
    trained = [line for line in printed if line.startswith("torch.Size")]
    assert [line for line in printed if line not in trained][: len(said)] == said
    assert trained == ["torch.Size([16, 32, 32, 3]) torch.Size([16, 1])"] * 8


def test_the_table_names_what_is_there():
    rows = re.findall(r"^\| (`ndd\..*?) \|", TEXT, re.M)
    found = {name for row in rows for name in re.findall(r"`ndd\.(\w+)", row)}
    assert len(found) > 5
    assert all(hasattr(ndd, name) for name in found)
