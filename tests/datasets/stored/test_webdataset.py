"""WebDataset archives of other programs."""

from __future__ import annotations

import pytest

from penstock.datasets import open_dataset
from penstock.engine.errors import DecodeError
from penstock.tests.readers import tars


def test_components_follow_from_the_extensions(tmp_path):
    files = {"a/x.jpg": b"..", "a/x.left.png": b"..", "a/x.cls": b"7", "a%2Ey.json": b"{}"}
    tars.write(tmp_path / "a.tar", tars.archive(files)[:-1024])
    samples = open_dataset(tmp_path / "a.tar").read([0, 1])
    assert [sample.key for sample in samples] == ["a/x", "a%2Ey"]
    assert list(samples[0].components) == ["image", "left", "label"]
    assert samples[0].components["label"] == 7


def test_damaged_components_are_named(tmp_path):
    entries = [tars.entry(b"%d.cls" % i, b"x" if i == 15 else b"1") for i in range(30)]
    path = tars.write(tmp_path / "a.tar", *entries)
    dataset = open_dataset(path)
    with pytest.raises(DecodeError, match=r"record 15.*\.cls: b'x' is no integer"):
        dataset.read([14, 15])
