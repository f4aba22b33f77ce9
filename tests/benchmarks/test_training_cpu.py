"""Starts of pipelines: their batches are compared, too."""

from __future__ import annotations

import pytest

from penstock.benchmarks import training_cpu
from penstock.benchmarks.training_cpu import early_images, first_batch, load


@pytest.mark.parametrize("measure", [first_batch, early_images])
def test_the_batches_of_a_start_are_compared(photo_tree, monkeypatch, measure):
    monkeypatch.setattr(training_cpu, "EARLY_SECONDS", 0.5)
    looked = measure(load("penstock"), photo_tree.root, batch_size=16, num_threads=2)
    assert looked.figure > 0
    assert looked.compared
    assert not looked.wrong
