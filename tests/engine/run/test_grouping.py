"""How many batches are computed together follows from the consumer's waiting, and from memory."""

from operator import attrgetter
from types import SimpleNamespace

import numpy as np
import pytest

from penstock.engine.control.readings import Readings
from penstock.engine.graph.rules import BatchRules
from penstock.engine.order.selection import Selection
from penstock.engine.run.budget import Budget
from penstock.engine.run.config import PipelineConfig
from penstock.engine.run.grouping import (
    PAUSE_BATCHES,
    Grouping,
    SharedSampleError,
    check_samples,
    parts_by_epoch,
)

SECOND = 10**9


def plan(*, uses_gpu=True, sources=(), independent=True, varies=True, together=5000, conditions=()):
    reader = SimpleNamespace(operator=SimpleNamespace(most_together=lambda _: together))
    operators = [
        SimpleNamespace(batches=BatchRules(sample_independent=True, nondeterministic=varies)),
        SimpleNamespace(batches=BatchRules(sample_independent=independent)),
    ]
    nodes = [SimpleNamespace(operator=operator) for operator in operators]
    return SimpleNamespace(
        uses_gpu=uses_gpu,
        sources=sources,
        nodes=nodes,
        readers=[reader],
        output_conditions=((), conditions),
    )


def grouping(batch_size=32, options=None, **parts):
    config = PipelineConfig(batch_size, **(options or {}))
    return Grouping(plan(**parts), config, budgets(host=4 << 30, device=4 << 30), {})


def budgets(host, device):
    pools = {"taken_bytes": host, "taken_device_bytes": device}
    return [
        Budget(SimpleNamespace(budget=limit, room=limit), attrgetter(name))
        for name, limit in pools.items()
    ]


class Run:
    """A run whose consumer takes batches at a steady pace."""

    def __init__(self, grouping):
        self.grouping = grouping
        self.taken = self.now = self.waited = 0

    def take(self, batches, *, waiting, ms=1.0):
        """Take batches, each after so long, of which a part is waiting; return the counts."""
        counts = [self.grouping.groups.together]
        for _ in range(batches):
            self.taken += 1
            self.now += int(ms * 1e6)
            self.waited += int(waiting * ms * 1e6)
            self.grouping.choose(Readings(self.now, self.taken, self.waited))
            if self.grouping.groups.together != counts[-1]:
                counts.append(self.grouping.groups.together)
        return counts


def test_groups_grow_while_the_consumer_waits_and_shrink_when_it_does_not():
    run = Run(grouping())
    assert run.take(200, waiting=0.9) == [1, 2, 4, 8]
    assert run.take(2000, waiting=0.9) == [8, 16]
    assert run.take(100, waiting=0.1) == [16]
    assert run.take(200, waiting=0.0) == [16, 8]  # small groups stay


def test_small_groups_do_not_ask_whether_the_consumer_waits():
    run = Run(grouping())
    assert run.take(200, waiting=0.0) == [1, 2, 4, 8]
    assert run.take(200, waiting=0.0, ms=40) == [8, 4, 2]  # a group of 2 takes 80 ms
    assert run.take(200, waiting=0.0, ms=20) == [2, 4]
    assert Run(grouping(256)).take(200, waiting=0.0) == [1]


@pytest.mark.parametrize(("batch_size", "most"), [(1, 512), (200, 2), (256, 2), (257, 1), (999, 1)])
def test_groups_have_so_many_samples_at_most(batch_size, most):
    run = Run(grouping(batch_size))
    run.take(2000, waiting=0.7, ms=0.1)
    assert run.grouping.groups.together <= max(1, 256 // batch_size)
    assert run.take(20_000, waiting=0.7, ms=0.1)[-1] == most


def test_groups_of_fast_samples_become_larger_than_usual():
    run = Run(grouping(32))
    assert run.take(40_000, waiting=1.0, ms=0.5) == [1, 2, 4, 8, 16, 32, 16]  # these are no faster


def test_a_moment_of_waiting_makes_no_large_groups():
    run = Run(grouping(256))
    for _ in range(10):
        assert run.take(100, waiting=0.9, ms=15) == [1]  # for 1.5 s
        assert run.take(200, waiting=0.1, ms=15) == [1]
    assert run.take(200, waiting=0.9, ms=15) == [1, 2]
    assert run.take(10, waiting=0.0, ms=15) == [2, 1]


def test_a_consumer_that_hardly_waits_is_calm():
    run = Run(grouping())
    assert not run.grouping.groups.is_calm  # nothing is known yet
    for waiting, is_calm in ((0.01, True), (0.03, False), (1.0, False), (0.0, True)):
        run.take(200, waiting=waiting)
        assert run.grouping.groups.is_calm == is_calm


def test_a_consumer_that_pauses_at_times_gets_large_groups():
    run = Run(grouping(256))
    counts = set()
    for _ in range(20):
        run.take(40, waiting=0.97, ms=12)
        counts |= set(run.take(2, waiting=0.0, ms=12))  # while it writes to a log
    assert run.take(6, waiting=0.97, ms=12)[-1] == 2
    assert counts <= {1, 2}


@pytest.mark.parametrize(
    "parts",
    [
        {"uses_gpu": False},
        {"sources": [1]},
        {"independent": False},
        {"varies": False},
        {"together": 1},
        {"options": {"exec_async": False}},
        {"options": {"exec_pipelined": False}},
        {"conditions": [((0, 0), True)]},
    ],
)
def test_pipelines_without_groups(parts):
    assert Run(grouping(**parts)).take(100, waiting=1.0) == [1]


def test_a_decision_says_what_the_rule_has_read():
    run = Run(grouping())
    assert run.grouping._decisions == {}
    run.take(3, waiting=0.9)
    assert run.grouping._decisions["groups"] == (
        "2 batches are computed together",
        "the consumer waited 90% of the time",
    )


def test_slow_batches_are_not_grouped():
    assert Run(grouping()).take(100, waiting=1.0, ms=60) == [1]
    assert Run(grouping()).take(100, waiting=1.0, ms=30) == [1, 2]


def learned(count, host=0, device=0):
    return SimpleNamespace(count=count, taken_bytes=host, taken_device_bytes=device)


def test_groups_fit_into_a_part_of_the_memory():
    chosen = Grouping(plan(), PipelineConfig(32), budgets(host=8000, device=80_000), {})
    chosen.learn(learned(1, host=100, device=6600))  # 8000 / 4 / 100 = 20, 80000 / 4 / 6600 = 3.03
    assert Run(chosen).take(100, waiting=1.0) == [1, 2, 3]
    chosen.learn(learned(3, host=6000, device=3 * 1200))
    assert chosen._fitting == 1


def fail(run):
    group = SimpleNamespace(number=5, count=3, end=ValueError())
    parts = run.grouping.parts_after(group)
    assert parts == [range(5, 6), range(6, 7), range(7, 8)]


def test_after_a_failure_batches_are_computed_one_by_one_for_a_while():
    run = Run(grouping())
    run.take(100, waiting=1.0)
    for pause in (PAUSE_BATCHES, 2 * PAUSE_BATCHES, 4 * PAUSE_BATCHES):
        fail(run)
        assert run.take(pause, waiting=1.0) == [1]
        assert run.take(2, waiting=1.0) == [1, 2]
    run.grouping.learn(learned(2))
    fail(run)
    assert run.take(PAUSE_BATCHES, waiting=1.0) == [1]
    assert run.take(2, waiting=1.0)[-1] == 2


@pytest.mark.parametrize(
    ("lengths", "parts"),
    [
        ([8], [[5], [6], [7], [8]]),  # no epoch is to blame
        ([4, 4], [[5, 6], [7, 8]]),
        ([1, 7], [[5], [6, 7, 8]]),
        ([2, 6], [[5], [6, 7, 8]]),
        ([3, 2, 3], [[5], [6], [7], [8]]),
        ([6, 2], [[5, 6, 7], [8]]),
        ([7, 1], [[5, 6, 7], [8]]),
    ],
)
def test_a_group_is_cut_where_an_epoch_begins(lengths, parts):
    epoch = np.repeat(np.arange(len(lengths)), lengths)
    assert [list(each) for each in parts_by_epoch(range(5, 9), epoch)] == parts


def test_a_sample_that_comes_twice_ends_a_group_without_a_pause():
    index, epoch = np.array([1, 2, 0, 2]), np.array([0, 0, 0, 1])
    group = SimpleNamespace(number=7, count=2)
    valid = np.ones(4, bool)
    check_samples(group, Selection(np.arange(4), epoch, epoch, valid))
    with pytest.raises(SharedSampleError) as caught:
        check_samples(group, Selection(index, epoch, epoch, valid))
    group.end = caught.value
    run = Run(grouping())
    assert run.take(6, waiting=1.0) == [1, 2, 4]
    assert run.grouping.parts_after(group) == [range(7, 8), range(8, 9)]
    assert run.grouping.groups.together == 4
