"""The processes that call users' code: their start, their end, and what they leave."""

from __future__ import annotations

import gc
import os
import signal
import threading
from pathlib import Path

import numpy as np
import pytest

from penstock import fn, pipeline_def
from penstock.engine.errors import PipelineStopped, WorkerError
from penstock.engine.tensors import arena

from ...interpreters import output_of
from ...readers.processes import alive, assert_soon, children


@pytest.fixture(autouse=True)
def nothing_is_left():
    before = children()
    yield
    assert_soon(lambda: set(children()) <= set(before))  # some end late


def shared_memory():
    """Return how many arenas this process has open."""
    names = Path("/proc/self/fd").iterdir()
    return sum("memfd:penstock" in os.readlink(name) for name in names if name.is_symlink())


def define(function=os.getpid, workers=2, **options):
    @pipeline_def(batch_size=4, num_threads=1, py_num_workers=workers, **options)
    def definition():
        return fn.python_function(function=lambda: np.int64(function()), parallel=True)

    return definition()


def test_workers_start_when_the_pipeline_is_built():
    pipe = define()
    before = children()
    pipe.start_py_workers()
    workers = set(children()) - set(before)
    assert len(workers) == 2
    seen = set()

    def seen_workers():  # one may compute a whole batch
        seen.update(pipe.run()[0].as_array().tolist())
        return seen >= workers

    assert_soon(seen_workers)
    assert seen == workers
    pipe.close()
    assert not any(map(alive, workers))


def test_a_pipeline_that_is_dropped_ends_its_workers():
    gc.collect()
    before = set(children()), shared_memory()
    define().run()
    gc.collect()
    assert_soon(lambda: set(children()) <= before[0] and shared_memory() <= before[1])


def test_close_ends_calls_that_would_last():
    def function():
        threading.Event().wait()

    pipe = define(function)
    pipe.schedule_run()
    errors = []

    def wait():
        try:
            pipe.run()
        except PipelineStopped as error:
            errors.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    pipe.close()
    thread.join()
    assert errors


@pytest.fixture
def interruptible():
    """Interrupts reach this process, though jobs in the background ignore them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_ends_the_workers(interruptible):
    def function():
        threading.Event().wait()

    def interrupt():
        os.kill(os.getpid(), signal.SIGINT)

    pipe = define(function)
    pipe.build()
    timer = threading.Timer(0.3, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        pipe.run()
    timer.join()


def test_several_pipelines():
    pipes = [define(workers=1) for _ in range(2)]
    pids = [int(pipe.run()[0].at(0)) for pipe in pipes]
    assert len({*pids, os.getpid()}) == 3
    for pipe in pipes:
        pipe.close()


@pytest.mark.parametrize("arguments", [(), ({"protocol": 4}, {"fix_imports": False})])
def test_picklers(arguments):
    cloudpickle = pytest.importorskip("cloudpickle", reason="it is the pickler")
    pickler = (cloudpickle, *arguments) if arguments else cloudpickle
    with define(workers=1, py_start_method="spawn", py_callback_pickler=pickler) as pipe:
        assert int(pipe.run()[0].at(0)) != os.getpid()


def test_what_is_no_pickler():
    with pytest.raises(ValueError, match="py_callback_pickler must be"):
        define(py_callback_pickler=5).build()


def test_a_pipeline_that_is_built_before_a_fork_does_not_run_in_the_child():
    with define(workers=1) as pipe:
        pipe.build()
        pid = os.fork()
        if not pid:
            try:
                pipe.run()
            except PipelineStopped:
                os._exit(7)
            finally:
                os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
        assert pipe.run()


PROGRAM = """
import os, threading
import numpy as np
from penstock import fn, pipeline_def

class Source:
    "A source that no pickle carries, of a class of the program."
    def __init__(self):
        self.lock = threading.Lock()
    def __call__(self, info):
        with self.lock:
            print("called", flush=True)
            return np.full((200, 200), info.idx_in_epoch)

@pipeline_def(batch_size=2, num_threads=1, py_num_workers=2, py_start_method="{start}")
def definition(source):
    return fn.external_source(source, parallel=True, batch=False)

class MyError(Exception):
    def __init__(self, one, two):
        super().__init__(one, two)

def by_name(info):
    if info.iteration == 2:
        raise MyError(1, two=2)
    return np.full((200, 200), info.idx_in_epoch + len(__name__))

if __name__ == "__main__":
    source = Source() if "{start}" == "fork" else by_name
    pipe, other = definition(source), definition(source)
    pipe.build()
    other.build()
    print(int(pipe.run()[0].at(1)[0, 0]))
    try:
        for _ in range(5 if source is by_name else 0):
            pipe.run()
    except MyError as error:
        assert error.args == (1, 2)
        print("mine")
"""


@pytest.mark.slow
@pytest.mark.parametrize(("start", "last"), [("fork", "1"), ("spawn", "9")])
def test_a_program_of_one_file_needs_no_close(start, last):
    """Its warnings are errors, and the standard error is empty."""
    lines = output_of(PROGRAM.replace("{start}", start)).split()
    assert last in lines
    assert ("called" in lines) == (start == "fork")
    assert ("mine" in lines) == (start == "spawn")


def test_little_shared_memory_is_enough(tuned):
    tuned(arena, MAX_ARENA_BYTES=arena.MIN_ARENA_BYTES // 8, MIN_ARENA_BYTES=1 << 40)

    @pipeline_def(batch_size=4, num_threads=1, py_num_workers=2)
    def definition():
        data = fn.external_source(lambda i: np.full((4, 500, 500), i), parallel=True)
        return fn.python_function(data, function=lambda x: x + 1, parallel=True)

    pipe = definition()
    with pytest.warns(RuntimeWarning, match="KiB"):
        pipe.build()
    with pipe:
        for number in range(4):
            assert np.unique(pipe.run()[0].as_array()) == [number + 1]


def test_a_worker_that_has_died_between_two_calls():
    with define(workers=1) as pipe:
        (pid,) = set(pipe.run()[0].as_array())
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(WorkerError, match="SIGKILL"):
            list(zip(range(6), pipe, strict=False))
