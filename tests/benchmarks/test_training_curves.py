"""Losses of networks beside each loader."""

from __future__ import annotations

import json
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from penstock.benchmarks import training_loop
from penstock.benchmarks.training_curves import drawing, summaries
from penstock.tests.torchvision_library import load_torchvision


@pytest.mark.slow
def test_networks_train_and_their_losses_are_drawn(photo_tree, tmp_path, monkeypatch, capsys):
    load_torchvision()
    drawn, file = tmp_path / "curve.svg", tmp_path / "record.json"
    line = f"x --curve {drawn} --folder {photo_tree.root} --json {file} --loaders penstock-cpu"
    line += " --steps 3 --seeds 1 --batch 2 --cpu-threads 1"
    monkeypatch.setattr(sys, "argv", line.split())
    assert training_loop.main() == 0
    (curve,) = json.loads(file.read_text())["figures"]
    assert (curve["name"], curve["compared"], curve["wrong"]) == ("penstock-cpu", 4, 0)
    assert np.isfinite(curve["losses"]).all()
    assert "0 of 4 samples wrong" in capsys.readouterr().out
    assert ElementTree.parse(drawn).getroot().tag.endswith("svg")


def test_the_drawing_says_whether_means_lie_among_the_other_runs():
    losses = np.exp(-np.arange(20) / 5)
    shifted = {"low": -0.1, "mid": 0.0, "high": 1.0}
    runs = {
        name: [((losses + shift + spread).tolist(), 10, 0) for spread in (-0.2, 0.0, 0.2)]
        for name, shift in shifted.items()
    }
    curves = summaries(runs)
    assert [curve.within for curve in curves] == pytest.approx([1.0, 1.0, 0.0])
    assert [curve.compared for curve in curves] == [30] * 3
    texts = [element.text or "" for element in ElementTree.fromstring(drawing(curves, 100)).iter()]
    assert any("high: loss" in text and "0% of the points" in text for text in texts)
