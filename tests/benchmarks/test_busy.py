"""Busy processes that run beside a measurement."""

from __future__ import annotations

import os
from pathlib import Path

from penstock.benchmarks.busy import beside, busy_processes


def children() -> list[str]:
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def test_busy_processes_end_with_the_block():
    before = set(children())
    with busy_processes(2):
        started = set(children()) - before
        assert len(started) == 2
    assert not started & set(children())


def test_a_turn_runs_beside_them():
    assert beside(1, lambda: float(len(children()))) >= 1
