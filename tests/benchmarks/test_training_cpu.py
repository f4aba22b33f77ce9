"""When a pipeline has reached its steady rate."""

from __future__ import annotations

import pytest

from penstock.benchmarks import training_cpu
from penstock.benchmarks.training_cpu import first_batch, load, steady_after, until_steady


def test_a_steady_pipeline_is_steady_from_its_first_batch_on():
    assert steady_after([1, 2, 3, 4, 5, 6, 7, 8, 9]) == 1


@pytest.mark.parametrize("slow", [1, 2, 3])
def test_slow_batches_at_the_start_are_waited_for(slow):
    times = [float(i + 1) for i in range(slow)] + [slow + 0.1 * (i + 1) for i in range(30)]
    assert steady_after(times) == pytest.approx(slow, abs=0.6)


def test_a_pipeline_that_stays_slow_until_late_is_steady_late():
    assert steady_after([1, 2, 3, 3.5, 4, 4.5, 5, 5.5, 6]) == 3


def test_the_batches_of_a_start_are_compared(photo_tree, monkeypatch):
    monkeypatch.setattr(training_cpu, "COLD_SECONDS", 0.5)
    options = {"batch_size": 16, "num_threads": 2}
    for measure in (first_batch, until_steady):
        looked = measure(load("penstock"), photo_tree.root, **options)
        assert looked.figure > 0
        assert looked.compared
        assert not looked.wrong
