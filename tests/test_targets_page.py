"""docs/targets.md: its programs print what the page says."""

import re
from pathlib import Path

import cv2
import numpy as np
import pytest

from penstock.tests.checkout import ROOT

pytest.importorskip("torch", reason="PyTorch is not installed")

TEXT = (ROOT / "docs" / "targets.md").read_text("utf-8")
BLOCKS = re.findall(r"```(text|python)\n(.*?)```", TEXT, re.S)
TABLE = BLOCKS[0][1]
PROGRAMS = [(code, text) for (_, code), (_, text) in zip(BLOCKS[1::2], BLOCKS[2::2], strict=True)]


@pytest.fixture
def pets(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("pets.csv").write_text(TABLE)
    noise = np.random.default_rng(0)
    names = [f"photos/{line.split(',')[0]}" for line in TABLE.splitlines()[1:]]
    names += [f"flowers/{name}/{number:02d}" for name in ("iris", "rose") for number in range(30)]
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(f"{name}.jpg", noise.integers(0, 255, (80, 90, 3), np.uint8))


def test_the_programs(pets, capsys):
    names = {}
    assert len(PROGRAMS) == 3
    for code, printed in PROGRAMS:
        exec(compile(code, "targets.md", "exec"), names)
        assert capsys.readouterr().out == printed
