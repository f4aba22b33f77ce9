"""docs/keras.md: its programs run, and the loss falls."""

from __future__ import annotations

import re

import pytest

from penstock.tests.checkout import ROOT

keras = pytest.importorskip("keras", reason="Keras is not installed")

PAGE = ROOT / "docs" / "keras.md"
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)


# Keras 3.15 converts tensors in a way that NumPy calls deprecated.
@pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept a copy")
def test_the_programs_run(photo_tree, tmp_path, monkeypatch):
    (tmp_path / "photos").symlink_to(photo_tree.root)
    monkeypatch.chdir(tmp_path)
    keras.utils.set_random_seed(1)
    names = {"__name__": "an_example"}
    for program in PROGRAMS:
        assert len(program.splitlines()) <= 40
        exec(compile(program, str(PAGE), "exec"), names)
    losses = [float(loss) for loss in names["losses"]]
    assert len(losses) == 3
    assert losses[2] < losses[0]
    assert names["data"].num_batches == 4
    assert (tmp_path / "data_backup.json").exists()
