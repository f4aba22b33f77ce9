"""Figures of stages, and of the time between two moments."""

from __future__ import annotations

import pytest

from penstock.engine.work.figures import StageFigures

from ..toys import Numbers, call, make
from .test_limit import DECODE, GPU, READ, figures


def test_stages_have_threads_load_and_the_part_that_computes():
    assert figures(DECODE, READ, GPU, lanes=2).stages() == [
        StageFigures("feeder", 1, 0.9, pytest.approx(8 / 9)),
        StageFigures("workers", 2, 0.75, pytest.approx(14 / 15)),
        StageFigures("device", 2, 0.95, None),
    ]
    assert figures(DECODE, workers_cpu_s=99.0).stages()[0].computing == 1.0
    assert figures(wall_s=0.0).load("workers") == 0.0


def test_the_time_between_two_moments():
    before = figures(DECODE, READ, skipped={"skip": 2})
    slower = [
        DECODE.__class__(**vars(DECODE) | {"busy_s": 16.0}),
        READ.__class__(**vars(READ) | {"busy_s": 19.0}),
    ]
    after = figures(
        *slower,
        batches=14,
        samples=1400,
        wall_s=12.0,
        cpu_s=21.0,
        skipped={"skip": 2, "replace": 1},
    )
    between = after.since(before)
    assert (between.batches, between.samples, between.wall_s) == (4, 400, 2.0)
    assert [(op.name, op.busy_s) for op in between.operators] == [("read", 10.0), ("decode", 1.0)]
    assert between.operators[1].per_sample_us == pytest.approx(2500)
    assert between.cpu_s == 1.0
    assert between.skipped == {"replace": 1}
    assert between.num_threads == after.num_threads


def test_the_figures_of_a_pipeline_in_its_steady_state():
    with make(lambda: call(Numbers)) as pipe:
        for _ in range(4):
            pipe.run()
        before = pipe.stats()
        for _ in range(6):
            pipe.run()
        between = pipe.stats().since(before)
    assert (between.batches, between.samples) == (6, 24)
    assert 0 < between.wall_s < before.wall_s + between.wall_s
    assert 0 <= between.feeder_cpu_s <= between.cpu_s + 0.01
    assert between.cores >= 1
    assert between.limit.name
