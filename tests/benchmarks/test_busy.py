"""Busy processes that run beside a measurement."""

from __future__ import annotations

import os
import time
from pathlib import Path

from penstock.benchmarks.busy import beside, busy_processes


def children() -> list[str]:
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def test_busy_processes_end_with_the_block():
    before = children()
    with busy_processes(2):
        started = sorted(set(children()) - set(before))
        assert len(started) == 2
        time.sleep(0.2)
    assert children() == before


def test_a_turn_runs_beside_them():
    assert beside(1, lambda: float(len(children()))) >= 1
