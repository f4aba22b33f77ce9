"""Jobs in child processes: what was found before a hang or crash is kept, and the rest goes on."""

from __future__ import annotations

import os
from time import monotonic

import pytest

from penstock.cli.probes.finding import Context
from penstock.cli.probes.jobs import run_jobs

from ...readers.processes import alive, assert_soon, command_of

LIMIT = 60  # seconds: to start a child takes long on a busy machine


def test_what_a_job_returns(odd_jobs):
    outcomes = run_jobs(odd_jobs, ["fine"], Context("/a \udcff"), limit=LIMIT)
    assert list(outcomes) == ["fine"]
    assert outcomes["fine"].fault == ""
    assert outcomes["fine"].result["detail"] == "path /a \udcff"


def test_a_job_that_raises_is_followed_by_the_next_in_one_child(odd_jobs):
    outcomes = run_jobs(odd_jobs, ["raises", "also fine"], Context(), limit=LIMIT)
    assert outcomes["raises"].fault == "ValueError: no such thing"
    assert outcomes["raises"].result is None
    assert outcomes["also fine"].result["values"]["pid"] != os.getpid()


def test_crashes_and_ends_are_named_and_the_others_still_run(odd_jobs):
    names = ["fine", "crashes", "ends", "also fine"]
    outcomes = run_jobs(odd_jobs, names, Context(), limit=LIMIT)
    assert list(outcomes) == names
    assert outcomes["crashes"].fault == "crashed with SIGSEGV (about to fail)"
    assert outcomes["ends"].fault == "ended with exit status 3"
    assert outcomes["fine"].result
    assert outcomes["also fine"].result


@pytest.mark.slow
def test_a_job_that_hangs_is_ended(odd_jobs):
    seen = []
    started = monotonic()
    names = ["fine", "hangs", "also fine"]
    outcomes = run_jobs(odd_jobs, names, Context(), limit=5, tick=seen.append)
    assert monotonic() - started >= 5
    assert outcomes["hangs"].fault == "gave no answer within 5 s (see --limit)"
    assert outcomes["fine"].result
    assert outcomes["also fine"].result
    assert "hangs" in seen


def test_a_module_that_cannot_be_imported():
    outcomes = run_jobs("no_such_module", ["one", "two"], Context(), limit=LIMIT)
    assert list(outcomes) == ["one", "two"]
    for outcome in outcomes.values():
        assert outcome.fault.startswith("ended with exit status 1 (ModuleNotFoundError")


def test_no_child_is_left_when_the_caller_is_interrupted(odd_jobs):
    pids = []

    def tick(name):
        if name == "hangs":
            pids.extend(_children())
            raise KeyboardInterrupt

    try:
        run_jobs(odd_jobs, ["hangs"], Context(), limit=LIMIT, tick=tick)
    except KeyboardInterrupt:
        assert len(pids) >= 1
        assert_soon(lambda: not any(map(alive, pids)))
    else:
        raise AssertionError("the interrupt was swallowed")


def _children():
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        pids = [int(pid) for pid in file.read().split()]
    return [pid for pid in pids if b"resource_tracker" not in command_of(pid)]
