"""However a pipeline is stopped, nothing hangs and no thread stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from penstock import PipelineStopped
from penstock.engine import threads
from penstock.engine.run import run_threads
from penstock.tests.checkout import SOURCES

from ..toys import (
    Call,
    Numbers,
    call,
    make,
    own_threads,
)


def test_a_consumer_in_another_thread_is_woken_by_close():
    in_operator, go_on = threading.Event(), threading.Event()
    seen = []

    def wait(row, x):
        in_operator.set()
        go_on.wait(30)
        return x

    pipe = make(lambda: call(Call, call(Numbers)[0], function=wait))

    def consume():
        try:
            pipe.run()
        except PipelineStopped as stopped:
            seen.append(stopped)

    consumer = threading.Thread(target=consume)
    consumer.start()
    assert in_operator.wait(30)
    threading.Timer(0.05, go_on.set).start()
    pipe.close()
    consumer.join(30)
    assert "closed" in str(seen[0])


def test_a_stage_that_hangs_is_left_behind_with_a_warning(tuned):
    tuned(run_threads, JOIN_SECONDS=0.1)
    in_operator, go_on = threading.Event(), threading.Event()

    def hang(row, x):
        in_operator.set()
        go_on.wait()
        return x

    pipe = make(lambda: call(Call, call(Numbers)[0], function=hang), num_threads=1)
    pipe.schedule_run()
    assert in_operator.wait(30)
    with pytest.warns(ResourceWarning, match="penstock-worker-0 did not stop"):
        pipe.close()
    go_on.set()
    for thread in own_threads():
        thread.join(30)
    assert own_threads() == []


def script(body, **options):
    """Start a Python process that has a pipeline of slow or quick operators at hand."""
    prelude = f"""
import sys, os, signal, time, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it
import numpy as np
from penstock import Pipeline, PipelineStopped
from penstock.engine import threads
from penstock.engine.graph.functions import apply
from penstock.engine.graph.operator import SampleOperator, BatchOperator
threads.EXIT_SECONDS = {options.get("exit_seconds", threads.EXIT_SECONDS)}
begun = threading.Event()
class Slow(SampleOperator):
    name = "slow"
    def sample(self, row):
        os.write(1, b"begun\\n")  # whole, while other threads write
        begun.set()
        time.sleep({options.get("sleep", 0)})
        return np.zeros(3)
def make():
    pipe = Pipeline(batch_size=4, num_threads=2, prefetch_queue_depth=3)
    pipe.define(lambda: apply(Slow, (), {{}}, None))
    return pipe
"""
    return subprocess.Popen(
        [sys.executable, "-c", prelude + body],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
    )


def test_the_interpreter_ends_without_close():
    process = script("pipe = make()\npipe.run()\npipe.run()\n")
    _, errors = process.communicate(timeout=200)
    assert (process.returncode, errors) == (0, "")


@pytest.mark.slow
def test_the_interpreter_ends_though_a_stage_is_stuck():
    process = script("pipe = make()\npipe.schedule_run()\nbegun.wait()\n", sleep=60, exit_seconds=2)
    assert process.stdout.readline() == "begun\n"
    started = time.monotonic()
    _, errors = process.communicate(timeout=200)
    assert (process.returncode, errors) == (0, "")
    assert time.monotonic() - started < 20  # of the operator's 60 s


def test_the_interpreter_ends_though_a_stage_is_in_a_library_of_c_plus_plus():
    """Such a thread would end the process with SIGABRT while the interpreter ends."""
    process = script(
        """
import cv2
picture = np.zeros((300, 300), np.uint8)
class Busy(Slow):
    def sample(self, row):
        begun.set()
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            cv2.medianBlur(picture, 31)
        return picture
pipe = Pipeline(batch_size=4, num_threads=2)
pipe.define(lambda: apply(Busy, (), {}, None))
pipe.schedule_run()
begun.wait()
pipe.close()
"""
    )
    _, errors = process.communicate(timeout=200)
    assert (process.returncode, errors) == (0, "")


@pytest.mark.slow
def test_an_interrupt_at_the_keyboard_ends_a_wait():
    process = script("make().run()\n", sleep=60, exit_seconds=2)
    assert process.stdout.readline() == "begun\n"
    process.send_signal(signal.SIGINT)
    started = time.monotonic()
    _, errors = process.communicate(timeout=200)
    assert time.monotonic() - started < 20  # of the operator's 60 s
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert process.returncode == -signal.SIGINT


def test_a_forked_child_is_told_and_does_not_hang():
    process = script(
        """
import warnings
warnings.simplefilter("ignore")
pipe = make()
pipe.run()
pipe._run.executor._delivery._lock.acquire()  # as if a thread held it at the moment of the fork
child = os.fork()
if child == 0:
    for method in (pipe.run, pipe.schedule_run, pipe.share_outputs):
        try:
            method()
        except PipelineStopped as error:
            assert "fork" in str(error)
    pipe.reset()
    pipe.close()
    del pipe
    sys.exit(7)
pipe._run.executor._delivery._lock.release()
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
pipe.run()
"""
    )
    _, errors = process.communicate(timeout=200)
    assert (process.returncode, errors) == (0, "")


def test_a_pipeline_built_before_a_fork_starts_in_the_child():
    process = script(
        """
pipe = make()
pipe.build()
child = os.fork()
pipe.run()
if child:
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""
    )
    _, errors = process.communicate(timeout=200)
    assert (process.returncode, errors) == (0, "")
