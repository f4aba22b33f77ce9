"""Statistics: plausible figures, and the name of what is slow."""

from __future__ import annotations

import time

import numpy as np
import pytest

from penstock.engine.control.readings import Decision
from penstock.engine.work.stats import Clocks, OperatorStats, PipelineStats

from ...readers.processes import assert_soon
from ..toys import Affine, BatchCall, Call, Feed, Numbers, call, make
from .test_limit import USUAL


def slow(seconds):
    def function(_, x):
        time.sleep(seconds)
        return x if isinstance(x, np.ndarray) else x.as_array()

    return function


def in_workers():
    data, _ = call(Numbers)
    return call(Affine, call(Call, data, function=slow(0.01), name="snail"))


def in_feeder():
    data, _ = call(Numbers)
    return call(Affine, call(BatchCall, data, function=slow(0.03), name="tortoise"))


def measured(define):
    with make(define) as pipe:
        for _ in range(8):
            pipe.run()
        return pipe.stats()


def test_figures_add_up():
    stats = measured(in_workers)
    assert (stats.batches, stats.samples, stats.num_threads) == (8, 32, 2)
    names = [operator.name for operator in stats.operators]
    assert names[0] == "snail"
    assert sorted(names) == ["snail", "toy_affine_2", "toy_numbers_0"]
    stages = {operator.name: operator.stage for operator in stats.operators}
    assert stages == {"snail": "workers", "toy_affine_2": "workers", "toy_numbers_0": "feeder"}
    assert stats.operators[0].busy_s >= 32 * 0.01
    assert stats.operators[0].per_sample_us >= 10_000
    busy = sum(op.busy_s for op in stats.operators if op.stage == "workers")
    assert busy + stats.workers_wait_s <= 2 * stats.wall_s + 0.1
    assert 0 < stats.consumer_wait_s <= stats.wall_s
    assert 0 <= stats.memory_wait_s <= stats.feeder_wait_s <= stats.wall_s + 0.1
    assert stats.skipped == {}


def test_the_slow_operator_is_named():
    bottleneck = measured(in_workers).bottleneck
    assert "toy.call (snail)" in bottleneck
    assert "2 threads" in bottleneck
    bottleneck = measured(in_feeder).bottleneck
    assert "toy.batch_call (tortoise)" in bottleneck
    assert "one thread" in bottleneck


def test_the_time_of_a_user_s_source_counts():
    def source(_):
        time.sleep(0.01)
        return np.zeros((4, 1))

    stats = measured(lambda: call(Feed, source=source))
    (operator,) = stats.operators
    assert (operator.name, operator.stage) == ("toy_feed_0", "feeder")
    assert operator.busy_s >= 8 * 0.01


def figures(**changes):
    """Figures of ten seconds in which the consumer waited for half the time."""
    operators = (
        OperatorStats("decode", "decoders.image", "workers", 12.0, 1000.0),
        OperatorStats("read", "readers.file", "feeder", 5.0, 10.0),
        OperatorStats("normalize", "crop_mirror_normalize", "device", 1.0, 5.0),
    )
    usual = USUAL | {"consumer_wait_s": 5.0, "workers_cpu_s": 11.0, "operators": operators}
    return PipelineStats(**usual | changes)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({}, "decoders.image (decode)"),
        ({"num_threads": 4}, "readers.file (read)"),
        ({"consumer_wait_s": 0.5}, "the consumer"),
        ({"memory_wait_s": 3.0}, "memory"),
        ({"batches": 0}, "no batch"),
    ],
)
def test_the_bottleneck_is_what_keeps_its_threads_busy(changes, named):
    assert figures(**changes).bottleneck.startswith(named)


def test_threads_that_wait_for_one_another_are_too_many():
    assert "more of them help" in figures().bottleneck
    assert "fewer may be faster" in figures(workers_cpu_s=5.0).bottleneck


def test_a_slow_consumer_waits_for_nothing():
    def waits_less():
        time.sleep(0.02)
        pipe.run()
        stats = pipe.stats()
        return stats.consumer_wait_s < stats.feeder_wait_s

    # The start, and other programs on the machine, let the consumer wait for a while.
    with make(lambda: call(Numbers)) as pipe:
        assert_soon(waits_less)


def test_before_the_first_batch_and_after_the_end():
    pipe = make(in_workers)
    assert pipe.stats().bottleneck == "no batch was delivered yet"
    pipe.run()
    pipe.close()
    assert pipe.stats().batches == 1


def test_the_table():
    text = str(measured(in_workers))
    for part in ("32 samples in 8 batches", "toy.call (snail)", "us/sample", "bottleneck: "):
        assert part in text


def test_no_time_at_all_divides_by_nothing():
    empty = PipelineStats(0, 0, 0.0, 1, 0.0, 0.0, 0.0, 0.0, 0.0, (), 0, 0, {})
    assert "0 samples in 0 batches" in str(empty)


def test_columns_are_aligned_whatever_the_names():
    rows = tuple(
        OperatorStats(name, kind, "workers", 1234.5, 9.25)
        for name, kind in (("a", "resize"), ("a_very_long_name_of_an_operator" * 2, "x" * 40))
    )
    stats = PipelineStats(1, 2, 3.0, 1, 0.0, 0.0, 0.0, 0.0, 0.0, rows, 0, 0, {})
    head, first, second = str(stats).splitlines()[1:4]
    assert len(head) == len(first) == len(second)
    assert head.index("stage") == first.index("workers") == second.index("workers")
    assert first.endswith(" 1234.50        9.2")


def test_decisions_are_shown_with_what_the_rules_have_read():
    made = Decision("4 batches at once", "2 took 1.0 ms and 0.5 MB")
    stats = PipelineStats(
        1, 2, 3.0, 1, 0.0, 0.0, 0.0, 0.0, 0.0, (), 0, 0, {}, decisions={"reads": made}
    )
    assert "\nreads: 4 batches at once (2 took 1.0 ms and 0.5 MB)\n" in str(stats)


def test_a_batch_that_is_taken_is_read_once():
    clocks = Clocks(consumer_wait_ns=7)
    clocks.take(4)
    assert (clocks.batches, clocks.samples) == (clocks.readings.batches, 4)
    assert clocks.readings.consumer_ns == 7
    assert clocks.readings.now_ns > clocks.started_ns
