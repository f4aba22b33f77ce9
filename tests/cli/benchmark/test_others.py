"""Other programs on the cores."""

from __future__ import annotations

import subprocess
import sys
from time import monotonic

import pytest

from penstock.cli.benchmark.others import OtherPrograms, busy_machine
from penstock.engine.machine import busy_core_seconds, usable_cores


@pytest.fixture
def at_work():
    """A process that computes until the test ends."""
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        yield
        process.kill()


@pytest.mark.skipif(busy_core_seconds() == 0, reason="the system does not say what cores do")
def test_a_program_beside_this_one(at_work):
    others = OtherPrograms()
    deadline = monotonic() + 60
    while others.cores() < 0.2:
        assert monotonic() < deadline
    assert others.cores() <= 1.2 * usable_cores()


def test_few_cores_are_not_worth_a_word():
    assert busy_machine(0.05 * usable_cores()) == ""
    assert f"other programs used {usable_cores():.1f} of" in busy_machine(usable_cores())
