"""The process that reads, as the one that asks it sees it."""

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from penstock.engine.processes import helper_processes
from penstock.readers.process import reading_process
from penstock.readers.process.reading_process import ReadingProcess
from penstock.tests.readers.squares import Squares

from ..processes import start


@pytest.fixture
def process(pool):
    """A process that reads samples, once it has been started."""
    process = ReadingProcess(pool.arena, 2, {}, 1, Squares())
    yield process
    process.close()


@pytest.fixture
def request_for(pool):
    """Returns a request for a sample, and the memory that it is read to."""

    def request_for(index):
        memory = pool.empty((1 << 20,))
        memory[:] = 7
        return ("samples", np.array([index]), pool.arena.offset(memory), memory.size), memory

    return request_for


def test_several_threads_ask_at_once(process, request_for):
    start(process)
    made = [request_for(size) for size in range(100, 130)]
    with ThreadPoolExecutor(6) as threads:
        answers = threads.map(lambda each: process.ask(*each[0]), made)
    for index, (used, _), (_, memory) in zip(range(100, 130), answers, made, strict=True):
        assert used >= index**2
        assert set(memory[: index**2].tolist()) == {index}
    assert process.why == ""


def test_it_copies_past_the_caches(pool, monkeypatch):
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.malloc.check=0")
    process = ReadingProcess(pool.arena, 2)
    variables = Path(f"/proc/{start(process)}/environ").read_text()
    variables = variables.replace("\0", ":")  # the C library cuts the text, too
    limit = f"glibc.cpu.x86_non_temporal_threshold={reading_process.LONG_COPY_BYTES}"
    process.close()
    assert f"GLIBC_TUNABLES={limit}:glibc.malloc.check=0" in variables


def test_it_may_die_three_times(process, request_for):
    request, _ = request_for(10)
    for _ in range(3):
        os.kill(start(process), signal.SIGKILL)
        while process.is_there:
            process.ask(*request)
        assert "was ended by the signal SIGKILL" in process.why
    process.count(helper_processes.WORTH_STARTING_SECONDS)
    assert "penstock-starter" not in [thread.name for thread in threading.enumerate()]
    assert process.ask(*request) is None


def test_closing_ends_it(process, request_for):
    pid = start(process)
    process.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert process.ask(*request_for(10)[0]) is None


def test_closing_while_it_starts(process):
    process.count(helper_processes.WORTH_STARTING_SECONDS)
    process.close()
    process.close()
    assert process.ask("samples", np.array([1]), 0, 0) is None
