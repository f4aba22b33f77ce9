"""Interrupts at the lines of a pipeline's start, run and stop: no thread stays, and close works.

By default these tests interrupt some lines, chosen in steps that cover all parts of the work.
PENSTOCK_INTERRUPTS=all interrupts every line.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from penstock import PipelineStopped
from penstock.engine.closing import finish_closing
from penstock.engine.run import run_threads
from penstock.tests.checkout import PACKAGE

from ...readers.processes import command_of
from ...tracing import leaves_with
from ..toys import Affine, Numbers, call, make, own_threads

ENGINE = str(PACKAGE / "engine")


class InterruptError(BaseException):
    """Stands for a KeyboardInterrupt."""


class SignalError(OSError):
    """Stands for an exception of a signal's handler that code might mistake for its own."""


class Hook:
    """Raises an exception at the n-th line that this thread executes in the engine."""

    def __init__(self, at, error):
        self.left = at
        self.error = error
        self.fired = False

    def __call__(self, frame, event, argument):
        if event == "line" and not self.fired and not leaves_with(frame):
            self.left -= 1
            if self.left <= 0:
                self.fired = True
                raise self.error
        return self if frame.f_code.co_filename.startswith(ENGINE) else None


@pytest.fixture(autouse=True)
def _less_patience(tuned):
    """After an interrupt between two certain lines, `close` waits its whole time in vain."""
    tuned(run_threads, JOIN_SECONDS=5.0)


@pytest.fixture(autouse=True)
def _modules_are_found(monkeypatch):
    """Worker processes import this module, which pytest finds by itself."""
    monkeypatch.setattr(sys, "path", [str(Path(__file__).resolve().parents[3]), *sys.path])


def define():
    return call(Affine, call(Numbers)[0])


def children():
    """Return the ids of this process' children that have not ended."""
    pids = [
        int(stat.parent.name)
        for stat in Path("/proc").glob("[0-9]*/stat")
        if (fields := state_of(stat)) and int(fields[1]) == os.getpid() and fields[0] != "Z"
    ]
    return [pid for pid in pids if b"resource_tracker" not in command_of(pid)]


def state_of(stat):
    """Return the fields of a process' state that follow its name; none if it has ended."""
    try:
        return stat.read_text().rpartition(")")[2].split()
    except OSError:
        return []


def interrupted(work, at, error):
    """Run `work`, and return whether the hook's exception was raised meanwhile."""
    hook = Hook(at, error)
    before = sys.gettrace()
    sys.settrace(hook)
    try:
        work()
    except (InterruptError, OSError, PipelineStopped):
        pass
    finally:
        sys.settrace(before)
    return hook.fired


EVERY_LINE = os.environ.get("PENSTOCK_INTERRUPTS") == "all"
pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.timeout(4 * 3600 if EVERY_LINE else 240),  # a process starts for each line
]


def lines(first, step):
    """Yield the numbers of the lines to interrupt; callers stop where a line is not reached."""
    for count, at in enumerate(range(first, sys.maxsize, 1 if EVERY_LINE else step)):
        if count % 50 == 49:
            gc.collect()  # tracebacks keep pipelines, and so their addresses, in cycles
        yield at


@pytest.mark.slow
@pytest.mark.parametrize("error", [InterruptError, SignalError])
def test_an_interrupt_of_the_first_run_leaves_no_thread(error):
    for at in lines(1, 11):
        pipe = make(define, exec_processes=False)
        fired = interrupted(pipe.run, at, error)
        pipe.close()
        assert own_threads() == [], f"line {at}"
        if not fired:
            break
    assert at > 300


@pytest.mark.slow
def test_a_second_close_completes_an_interrupted_one():
    for at in lines(1, 1):
        pipe = make(define, exec_processes=False)
        pipe.run()
        source = pipe._as_built().plan.inputs[0].operator.source
        fired = interrupted(pipe.close, at, InterruptError)
        pipe.close()
        assert own_threads() == [], f"line {at}"
        assert source.closed >= 1
        with pytest.raises(PipelineStopped):
            pipe.run()
        if not fired:
            break
    assert at > 40


def test_after_an_interrupted_run_the_next_one_does_not_hang():
    for at in lines(1, 1):
        with make(lambda: call(Numbers, size=1000)[1], exec_processes=False, batch_size=1) as pipe:
            before = [int(pipe.run()[0].as_array()[0]) for _ in range(2)]
            fired = interrupted(pipe.run, at, InterruptError)
            after = []
            with suppress(PipelineStopped):  # an interrupt may stop the pipeline
                after += [int(pipe.run()[0].as_array()[0]) for _ in range(4)]
        assert before == [0, 1]
        assert after in ([], [2, 3, 4, 5], [3, 4, 5, 6]), f"line {at}"
        assert own_threads() == [], f"line {at}"
        if not fired:
            break
    assert at > 40


@pytest.mark.slow
@pytest.mark.parametrize("work", ["run", "close"])
def test_an_interrupt_leaves_no_worker_process(work):
    for at in lines(3, 211 if work == "run" else 41):
        pipe = make(define, exec_processes=True, num_threads=1)
        if work == "close":
            pipe.run()
        fired = interrupted(getattr(pipe, work), at, InterruptError)
        pipe.close()
        assert own_threads() == [], f"line {at}"
        gc.collect()
        finish_closing()
        assert children() == [], f"line {at}"
        if not fired:
            break
    assert at > 40


def test_threads_may_start_and_run_one_pipeline_together():
    numbers, errors = [], []
    with make(lambda: call(Numbers, size=400)[1]) as pipe:

        def work():
            try:
                for _ in range(25):
                    numbers.extend(int(label) for label in pipe.run()[0].as_array())
            except Exception as error:
                errors.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(40)
    assert errors == []
    assert sorted(numbers) == list(range(400))
