"""Workers: how many there are, what they are, and how they change."""

from __future__ import annotations

import math
import os
import sys
import threading
from pathlib import Path

import pytest

from penstock.engine.control.workers import may_be_processes
from penstock.engine.run.workers.choice import Chooser

from ....readers.processes import assert_soon
from ...toys import Affine, Call, Numbers, call, make, own_threads, rows_of

ROOT = Path(__file__).resolve().parents[4]


def names():
    return [thread.name for thread in own_threads()]


@pytest.mark.parametrize(
    ("count", "processes", "possible"),
    [(16, None, True), (2, None, True), (1, None, False), (1, True, True), (16, False, False)],
)
def test_processes_are_for_several_workers_or_on_demand(
    monkeypatch, limited, count, processes, possible
):
    limited(Chooser, scaling_threads=1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)))
    assert may_be_processes(count, processes, Chooser.limits) == possible


@pytest.mark.parametrize("threads", [1, 3, 12])
def test_at_first_there_are_eight_threads_at_most(threads, limited):
    limited(Chooser, blocked_ns=1 << 62)  # a busy machine blocks threads, too
    with make(lambda: call(Affine, call(Numbers)[0]), num_threads=threads) as pipe:
        pipe.run()
        assert sum("worker" in name for name in names()) == min(8, threads)


def test_heavy_samples_get_all_threads(limited):
    limited(Chooser, heavy_cpu_ns=1, min_computing=0.0)
    with make(lambda: call(Affine, call(Numbers)[0]), num_threads=12, batch_size=24) as pipe:
        for _ in range(3):
            pipe.run()
        assert_soon(lambda: sum("worker" in name for name in names()) == 12)
    assert own_threads() == []


def test_the_first_threads_go_on_where_no_others_can_be_had(limited, monkeypatch):
    limited(Chooser, heavy_cpu_ns=1, min_computing=0.0)
    start, refused = threading.Thread.start, []

    def start_some(thread):
        if thread.name == "penstock-worker-8":
            refused.append(thread)
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_some)
    with make(lambda: call(Affine, call(Numbers)[0]), num_threads=12) as pipe:
        assert_soon(lambda: pipe.run() and refused)
        for _ in range(20):
            assert len(rows_of(pipe.run())[0]) > 0
        assert sum("worker" in name for name in names()) == 8


def test_slow_processes_give_way_to_threads_again(limited, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    long = 1 << 62
    limited(
        Chooser,
        proven_ns=0,
        scaling_threads=0,
        hardly_waiting=math.inf,
        blocked_ns=long,
        min_speed=1e9,
    )
    with make(lambda: call(Affine, call(Numbers)[0]), num_threads=2) as pipe:
        expected = rows_of(pipe.run())
        assert_soon(lambda: pipe.run() and pipe.stats().why_threads)
        assert "fewer samples a second" in pipe.stats().why_threads
        assert pipe.stats().workers == "threads"
        for _ in range(10):
            rows = rows_of(pipe.run())
        assert len(rows[0]) == len(expected[0])
    assert own_threads() == []


def test_an_error_of_a_row_is_no_end_of_a_thread():
    def fail(row, x):
        raise ValueError("bad row")

    pipe = make(lambda: call(Call, call(Numbers)[0], function=fail), on_error="raise")
    with pytest.raises(ValueError, match="bad row"):
        pipe.run()
    assert own_threads() == []


def test_closing_ends_threads_that_others_have_replaced_twice():
    with make(lambda: call(Affine, call(Numbers)[0]), num_threads=2) as pipe:
        pipe.run()
        replaced = pipe._run.executor._workers
        for _ in range(4):  # as if processes and threads took over by turns, without a batch
            crew = replaced._new_threads()
            replaced._replace(crew)
            crew.grow(2)
        assert sum("worker" in name for name in names()) >= 2  # the others may have ended
    assert own_threads() == []
