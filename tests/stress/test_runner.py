"""The runner of the stress program, with small attacks that go wrong in known ways."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from penstock.tests.checkout import SOURCES

pytestmark = pytest.mark.slow
PROGRAM = """
import sys, time
from penstock.tests.stress.runner import Case, Runner
from penstock.tests.stress.test_runner import TOYS

runner = Runner(TOYS, workers=2, limit=5)
for attempt in runner.run([Case(name, 5) for name in sys.argv[1:]], time.monotonic() + 60):
    print(repr((attempt.case.attack, attempt.failure, attempt.text[-900:])))
"""
kept = []


def fine(seed):
    assert seed == 5


def wrong(seed):
    raise ValueError(f"seed {seed}")


def crashes(_):
    os.kill(os.getpid(), signal.SIGSEGV)


def hangs(_):
    threading.Event().wait()


def leaks_a_descriptor(_):
    kept.append(os.open("/dev/null", os.O_RDONLY))


def opens_a_cache(_):
    if not kept:
        kept.append(os.open("/dev/null", os.O_RDONLY))


def leaks_a_thread(_):
    threading.Thread(target=time.sleep, args=(60,), name="left").start()


def leaves_a_process(_):
    # The session of its own hides the process from the case's process group.
    command = "import subprocess; subprocess.Popen(['sleep', '60'], start_new_session=True)"
    subprocess.run([sys.executable, "-c", command], check=True)


TOYS = {
    toy.__name__: toy
    for toy in (
        fine,
        wrong,
        crashes,
        hangs,
        leaks_a_descriptor,
        opens_a_cache,
        leaks_a_thread,
        leaves_a_process,
    )
}


@pytest.fixture(scope="module")
def attempts():
    """The failure and the text of each toy."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *TOYS],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        check=True,
    )
    ends = [eval(line) for line in done.stdout.splitlines()]
    return {name: (failure, text) for name, failure, text in ends}


@pytest.mark.parametrize(
    ("name", "failure", "words"),
    [
        ("fine", "", ""),
        ("opens_a_cache", "", ""),
        ("wrong", "wrong", "ValueError: seed 5"),
        ("crashes", "crash", "Segmentation fault"),
        ("hangs", "hang", "in hangs"),
        ("leaks_a_descriptor", "leak", "1 x descriptor of /dev/null"),
        ("leaks_a_thread", "leak", "1 x thread left"),
        ("leaves_a_process", "leak", "sleep 60"),
    ],
)
def test_each_end_is_told_from_the_others(attempts, name, failure, words):
    assert attempts[name][0] == failure
    assert words in attempts[name][1]


def test_the_program_runs_one_case_and_prints_its_table(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "penstock.tests.stress", "--only", "resumes", "--cases", "2"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
    )
    assert "seed 0, 2 workers, attacks: resumes" in done.stdout
    assert "resumes                    2         0" in done.stdout
    assert done.returncode == 0, done.stdout
