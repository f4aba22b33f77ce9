"""The clock of a benchmark, with pipelines whose speed is known."""

from __future__ import annotations

import time

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.cli.benchmark.measure import measure
from penstock.cli.commands import CommandFailed


class Steady:
    """A pipeline that hands out ten samples a batch, after a slow start."""

    def __init__(self, seconds, start=0.0):
        self.seconds, self.start, self.closed = seconds, start, False

    def build(self):
        time.sleep(self.start)

    def run(self):
        time.sleep(self.seconds)
        return (range(10),)

    def close(self):
        self.closed = True


def test_the_steady_rate_leaves_out_the_start():
    made = []

    def open_():
        made.append(Steady(0.01, start=0.2))
        return made[-1]

    speed = measure(open_, 0.3)
    assert 50 < speed.steady < 1010  # a sleep lasts at least its time, on a busy machine longer
    assert speed.cold < speed.steady
    assert speed.first_batch_s > 0.2
    assert speed.lowest <= speed.steady <= speed.highest
    assert speed.samples == pytest.approx(speed.steady * speed.seconds)
    assert speed.figures is None
    assert made[0].closed


def three_batches(**options):
    pipeline = Pipeline(batch_size=2, num_threads=1)
    with pipeline:
        source = fn.external_source(source=[np.zeros((2, 3), np.uint8)] * 3, **options)
        pipeline.set_outputs(source)
    return pipeline


def test_sources_that_end_start_over():
    speed = measure(lambda: three_batches(cycle="raise"), 0.05)
    assert speed.samples > 6
    assert speed.figures.samples == speed.samples


def test_sources_that_cannot_start_over():
    with pytest.raises(CommandFailed, match="the data ended before the time was over"):
        measure(three_batches, 1)
