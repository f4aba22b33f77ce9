"""Samples as the source of `fn.external_source`."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from penstock import datasets
from penstock.cli.benchmark import sample_source
from penstock.cli.benchmark.sample_source import SampleSource
from penstock.datasets import Sample
from penstock.testing import made


@pytest.mark.parametrize("together", [1, 4, 64])
def test_samples_come_in_order_again_and_again(tmp_path, monkeypatch, together):
    monkeypatch.setattr(sample_source, "SAMPLES_AT_ONCE", together)
    root = made.write(tmp_path / "a", made.images(6))
    with datasets.open_dataset(root) as dataset:
        source = SampleSource(dataset, ["image", "label", "text"])
        for number in range(14):
            image, label, text = source(SimpleNamespace(idx_in_epoch=number))
            assert image.tobytes() == made.jpeg(number % 6)
            assert label.tolist() == [number % 6 % 2]
            assert text.size == 0


def test_texts_are_bytes(tmp_path):
    root = made.write(tmp_path / "a", [Sample("a", {"text": "schön"})])
    with datasets.open_dataset(root) as dataset:
        (text,) = SampleSource(dataset, ["text"])(SimpleNamespace(idx_in_epoch=0))
    assert text.tobytes().decode() == "schön"
