"""docs/proxy.md: its programs run as they stand, and its example is short."""

from __future__ import annotations

import re

import numpy as np
import pytest

from penstock.tests.checkout import ROOT

TEXT = (ROOT / "docs" / "proxy.md").read_text("utf-8")


def test_the_programs_run(tmp_path, monkeypatch, capsys):
    torch = pytest.importorskip("torch")
    image = pytest.importorskip("PIL.Image")
    for i in range(20):
        folder = tmp_path / "photos" / str(i % 2)
        folder.mkdir(parents=True, exist_ok=True)
        pixels = np.random.default_rng(i).integers(0, 256, (40 + i, 50, 3), np.uint8)
        image.fromarray(pixels).save(folder / f"{i}.jpg")
    monkeypatch.chdir(tmp_path)
    training, evaluation = re.findall(r"```python\n(.*?)```", TEXT, re.S)
    assert len(training.splitlines()) <= 40
    names = {"__name__": "an_example"}
    exec(compile(training, "proxy.md", "exec"), names)
    assert names["images"].shape == (4, 3, 32, 32)  # the last batch is short
    assert torch.isfinite(names["loss"])
    assert names["batches"].epoch == 3
    exec(compile(evaluation, "proxy.md", "exec"), names)
    printed = capsys.readouterr().out
    assert printed.count("Total batches processed: 3") == 2
    assert "Cache size: 2/2" in printed
