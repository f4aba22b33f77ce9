"""docs/auto_augmentation.md: its programs run, and its tables name all augmentations."""

from __future__ import annotations

import re

import numpy as np
import pytest
from PIL import Image

from penstock.auto_aug import augmentations
from penstock.auto_aug.core import Augmentation
from penstock.tests.checkout import ROOT

from .operators.pictures import picture

PAGE = ROOT / "docs" / "auto_augmentation.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.fixture
def names(tmp_path, monkeypatch):
    """Run all programs of the page; return their names."""
    monkeypatch.chdir(tmp_path)
    Image.fromarray(picture(60, 80)).save("photo.jpg")
    names = {"__name__": "an_example"}
    for program in re.findall(r"```python\n(.*?)```", TEXT, re.S):
        exec(compile(program, str(PAGE), "exec"), names)
    return names


def test_the_programs_run(names, tmp_path):
    drawn = np.asarray(Image.open(tmp_path / "gallery.png"))
    assert drawn.shape == (15 * 60, 7 * 80, 3)
    tiles = drawn.reshape(15, 60, 7, 80, 3).swapaxes(1, 2)
    assert (tiles != names["photograph"]).any(axis=(2, 3, 4)).sum() > 80
    for i in range(10):
        (tmp_path / "classes" / str(i)).mkdir(parents=True)
        Image.fromarray(picture(50 + i, 70)).save(tmp_path / "classes" / str(i) / "a.jpg")
    with names["training"](str(tmp_path / "classes")) as pipe:
        images, labels = pipe.run()
        assert images.as_array().shape == (8, 3, 64, 64)
        np.testing.assert_allclose(labels.as_array().sum(axis=1), 1, atol=1e-6)
    for define in ("by_policy", "one_of"):
        with names[define]() as pipe:
            (images,) = pipe.run()
            assert len({row.tobytes() for row in images.rows()}) > 1
    with names["detection"]() as pipe:
        images, boxes, masks = pipe.run()
        assert images.as_array().shape == (8, 60, 80, 3)
        assert boxes.as_array().shape == (8, 1, 4)
        assert masks.as_array().shape == (8, 60, 80, 1)


def test_the_table_names_all_augmentations():
    there = {
        name for name, function in vars(augmentations).items() if isinstance(function, Augmentation)
    }
    (table,) = re.findall(r"\| augmentation \| its parameter \|\n((?:\|.*\n)+)", TEXT)
    assert set(re.findall(r"`([a-z_]+)`", table.replace("`shape`", ""))) == there
