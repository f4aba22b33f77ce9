"""Other programs on the cores."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from time import monotonic, process_time

import pytest

from penstock.cli.benchmark.others import OtherPrograms, busy_machine, look_first
from penstock.engine.machine import busy_core_seconds, own_core_seconds, usable_cores

FOREVER = [sys.executable, "-c", "while True: pass"]


@pytest.fixture
def at_work():
    """A process that computes until the test ends, and that is no child of this one."""
    shell = ["sh", "-c", '"$@" > /dev/null & echo $!', "sh", *FOREVER]
    number = int(subprocess.run(shell, stdout=subprocess.PIPE, check=True).stdout)
    yield
    os.kill(number, signal.SIGKILL)


@pytest.mark.skipif(busy_core_seconds() == 0, reason="the system does not say what cores do")
def test_a_program_beside_this_one(at_work):
    others = OtherPrograms()
    deadline = monotonic() + 60
    while others.cores() < 0.2:
        assert monotonic() < deadline
    assert others.cores() <= 1.2 * usable_cores()


def test_processes_that_this_one_started_are_no_others():
    before = own_core_seconds() - process_time()
    nested = f"import subprocess; subprocess.run({FOREVER})"
    deadline = monotonic() + 60
    with subprocess.Popen([sys.executable, "-c", nested], start_new_session=True) as process:
        while own_core_seconds() - process_time() < before + 0.2:  # the grandchild computes
            assert monotonic() < deadline
        os.killpg(process.pid, signal.SIGKILL)


def test_a_busy_machine_is_named_before_the_measurement(capsys, monkeypatch):
    for cores, said in ((usable_cores(), True), (0.05 * usable_cores(), False)):
        monkeypatch.setattr(OtherPrograms, "cores", lambda self, cores=cores: cores)
        look_first()
        assert ("figures will mean nothing" in capsys.readouterr().err) == said


def test_few_cores_are_not_worth_a_word():
    assert busy_machine(0.05 * usable_cores()) == ""
    assert f"other programs used {usable_cores():.1f} of" in busy_machine(usable_cores())
