"""docs/distributed.md: ranks that die, join and are too slow, with torchft itself."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

import pytest

pytest.importorskip("torchft", reason="`make test-frameworks` installs torchft")

from ..every_order import HOLDS_STEPS, ORDERS, opened, samples, written

pytestmark = pytest.mark.timeout(600)

LIGHTHOUSE = "--min_replicas 2 --join_timeout_ms 1000 --quorum_tick_ms 50"
LIGHTHOUSE += " --heartbeat_timeout_ms 10000 --bind [::]:0"


@pytest.fixture
def started(tmp_path):
    """Return a function that starts a rank; all that runs ends with the test."""
    written(tmp_path)
    log = tmp_path / "lighthouse.err"
    command = [Path(sys.executable).with_name("torchft_lighthouse"), *LIGHTHOUSE.split()]
    with log.open("w") as errors:
        running = [subprocess.Popen(command, stderr=errors, stdout=errors)]
    wait_for(lambda: re.search(r"listening on: (\S+)", log.read_text()))
    (address,) = re.findall(r"listening on: (\S+)", log.read_text())
    environment = {**os.environ, "TORCHFT_LIGHTHOUSE": address, "OMP_NUM_THREADS": "1"}

    def start(name):
        command = [sys.executable, "-m", "penstock.tests.plugin.torchft.worker"]
        with (tmp_path / f"{name}.err").open("w") as errors:
            command += [str(tmp_path), name]
            process = subprocess.Popen(command, env=environment, stderr=errors, stdout=errors)
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.wait()


def wait_for(condition):
    deadline = time.monotonic() + 250
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def lines(folder, name):
    path = folder / f"{name}.log"
    whole = path.read_text().rpartition("\n")[0] if path.exists() else ""
    return [json.loads(line) for line in whole.splitlines()]


def last_step(folder, name):
    """Return the last step that a rank has taken."""
    return max((line[1] for line in lines(folder, name) if line[0] == "taken"), default=-1)


def is_stopped(process):
    return Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def steps_of(folder, names):
    """Return what all ranks read in each step that was taken."""
    read, taken = defaultdict(list), defaultdict(set)
    for name in names:
        for kind, step, quorum, *more in lines(folder, name):
            if kind == "taken":
                taken[step].add(quorum)
            else:
                read[step, quorum].append(more)
    assert sorted(taken) == list(range(len(taken)))
    steps = []
    for step in range(len(taken)):
        (quorum,) = taken[step]
        ranks = sorted(read[step, quorum])
        assert [rank[:2] for rank in ranks] == [[i, len(ranks)] for i in range(len(ranks))]
        steps.append([rank[2] for rank in ranks])
    return steps


def undisturbed(name, folder, epochs):
    """Return how often each epoch of one rank has each sample."""
    with_one_rank = opened(name, folder)
    counts = [Counter(n for batch in with_one_rank for n in samples(batch)) for _ in range(epochs)]
    with_one_rank.close()
    return counts


def test_no_sample_is_lost_or_trained_twice(started, tmp_path):
    killed, slow, first = started("killed"), started("stopped"), started("first")
    wait_for(lambda: last_step(tmp_path, "first") > 3)
    (tmp_path / "killed").touch()
    wait_for(lambda: killed.poll() is not None)
    joined = started("joined")
    wait_for(lambda: last_step(tmp_path, "joined") > 0)
    (tmp_path / "stopped").touch()
    wait_for(lambda: is_stopped(slow))
    at = last_step(tmp_path, "first")
    wait_for(lambda: last_step(tmp_path, "first") > at + 3)  # without the slow rank
    (tmp_path / "stopped").unlink()
    slow.send_signal(signal.SIGCONT)
    wait_for(lambda: last_step(tmp_path, "stopped") > at + 3)
    written_whole = tmp_path / "steps.whole"  # ranks may look at any moment
    written_whole.write_text(str(last_step(tmp_path, "first") + 100))
    written_whole.rename(tmp_path / "steps")
    assert [process.wait(250) for process in (first, joined, slow, killed)] == [0, 0, 0, -9]

    steps = steps_of(tmp_path, ["first", "joined", "stopped", "killed"])
    assert {len(step) for step in steps} >= {2, 3}
    for name in [*ORDERS, *(f"{name}, held" for name in HOLDS_STEPS)]:
        seen, sizes = defaultdict(Counter), defaultdict(list)
        for step in steps:
            (epoch,) = {rank[name][0] for rank in step}
            seen[epoch].update(n for rank in step for n in rank[name][1])
            sizes[epoch].append(sum(rank[name][2] for rank in step))
        whole = len(seen) - 1  # the last epoch may have been left
        assert whole >= 2
        order = name.removesuffix(", held")
        assert [seen[epoch] for epoch in range(whole)] == undisturbed(order, tmp_path, whole), name
        if order != name:
            assert all(set(sizes[epoch][:-1]) == {9} for epoch in range(whole))
