"""Worker processes: the same results as threads, and nothing left behind however they end."""

from __future__ import annotations

import gc
import math
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from penstock import ArgumentError, PipelineStopped, WorkerError, fn
from penstock.engine.graph.operator import OPERATORS, SampleOperator
from penstock.engine.run.workers.choice import Chooser
from penstock.tests.checkout import SOURCES

from ...readers.processes import assert_soon, command_of
from ..run.test_executor import alternating
from ..toys import Affine, BatchCall, Call, Feed, Noise, Numbers, assert_same, call, make, rows_of

ROOT = Path(__file__).resolve().parents[3]
ROWS = 64 * 1024


@pytest.fixture(autouse=True)
def _no_process_left_behind(monkeypatch):
    # pytest finds the modules of tests by itself; worker processes have to find them, too.
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    yield
    gc.collect()
    assert_soon(lambda: not children())


def children():
    """Return the ids of this process' children, those that nobody has waited for included."""
    stats = Path("/proc").glob("[0-9]*/stat")
    pids = [int(stat.parent.name) for stat in stats if is_child(stat)]
    return [pid for pid in pids if b"resource_tracker" not in command_of(pid)]


def is_child(stat):
    try:
        return int(state_of(stat)[1]) == os.getpid()
    except OSError:  # it has just ended
        return False


def state_of(stat):
    """Return the fields of a process' state that follow its name."""
    return stat.read_text().rpartition(")")[2].split()


def one_process(define, **options):
    """Make a pipeline with one worker process: a test's time is what processes take to start."""
    return make(define, **{"exec_processes": True, "num_threads": 1, **options})


def assert_threads_and_processes_agree(define, batches=6, **options):
    """Assert that threads and processes return the same batches; return these."""
    results = []
    for processes in (False, True):
        with make(define, exec_processes=processes, **options) as pipe:
            results.append([rows_of(pipe.run()) for _ in range(batches)])
            assert pipe.stats().workers == ("processes" if processes else "threads")
    assert_same(*results)
    return results[1]


# Results


@pytest.mark.parametrize(("batch_size", "depth"), [(4, 1), (7, 3), (64, 2)])
def test_the_results_are_those_of_threads(batch_size, depth):
    assert_threads_and_processes_agree(
        alternating, batch_size=batch_size, prefetch_queue_depth=depth
    )


def uneven(row, x):
    """Rows of one shape, of several shapes and of several types, in turn by batch."""
    number = int(x[0])
    kind = number // 8 % 4
    shape = (300, 40) if kind < 2 else (30 * (1 + number % 3), 40)
    out = row.empty(shape, np.float32 if kind < 3 or number % 2 else np.int16)
    out[...] = number
    return out


def odd_rows(row, x):
    """A scalar in the row's memory, nothing at all, a reversed view, a text."""
    scalar = row.empty((), np.int64)
    scalar[...] = x[0]
    return scalar, row.empty((0, 5), np.int16, 1), x[::-1], np.array(f"number {x[0]}")


def late_shape(row, x):
    """From the third batch on, rows are longer than they were."""
    return np.full((40 if x[0] < 16 else 50, 100), x[0], np.float64)


def test_rows_of_all_kinds():
    def define():
        data, _ = call(Numbers, size=100)
        odd = call(Call, data, function=odd_rows, count=4)
        return (call(Call, data, function=uneven), call(Call, data, function=late_shape), *odd)

    assert_threads_and_processes_agree(define, 12, batch_size=8)


def test_large_rows_are_dense_and_stay_right():
    def define():
        data, labels = call(Numbers, side=ROWS)
        return call(Affine, data, a=2.0), labels

    with make(define, batch_size=2, exec_processes=True, prefetch_queue_depth=3) as pipe:
        kept = [pipe.run() for _ in range(10)]
        assert all(data.is_dense_tensor() for data, _ in kept)
        one = kept[0][0].as_array()
        assert pipe.stats().lent_bytes >= 10 * one.nbytes
    for number, (data, labels) in enumerate(kept):
        first = 2 * number % 20
        assert (data.as_array() == [[2 * first], [2 * first + 2]]).all()
        assert labels.as_array().tolist() == [first, first + 1]
    pool = pipe._run.pool
    del kept, data, one
    assert pool.lent_bytes == 0


def test_inputs_may_lie_anywhere_and_batches_be_empty():
    big = np.arange(160_000.0).reshape(4, 200, 200)

    def define():
        data = call(Feed, source=lambda number: big[: number % 2 * 4].transpose(0, 2, 1))
        return call(Affine, data, b=1.0), call(Noise, data)

    results = assert_threads_and_processes_agree(define, 30, batch_size=4)
    np.testing.assert_array_equal(results[1][0][3], big[3].T + 1)


def test_what_a_batch_function_does_is_done_here():
    seen = []

    def look(batch, x):
        seen.append(os.getpid())
        return x

    assert_threads_and_processes_agree(
        lambda: call(Affine, call(BatchCall, call(Noise, call(Numbers)[0]), function=look)),
        num_threads=1,
    )
    assert set(seen) == {os.getpid()}


def test_memory_is_flat_and_all_given_back():
    define = lambda: call(Affine, call(Numbers, side=ROWS, prefetch_queue_depth=0)[0])  # noqa: E731
    with make(define, batch_size=2, exec_processes=True) as pipe:
        for _ in range(10):
            pipe.run()
        before = pipe._run.pool.arena.reserve(0)
        for _ in range(100):
            pipe.run()
        assert pipe._run.pool.arena.reserve(0) - before <= 8 * 2 * ROWS * 8
    assert pipe._run.pool.lent_bytes == pipe._run.pool.idle_bytes == 0


def test_a_checkpoint_holds_for_either():
    define = lambda: call(Noise, call(Numbers, random_shuffle=True)[0])  # noqa: E731
    with one_process(define) as pipe:
        pipe.run()
        saved = pipe.checkpoint()
        expected = [rows_of(pipe.run()) for _ in range(3)]
    with make(define, exec_processes=False, checkpoint=saved) as pipe:
        assert_same([rows_of(pipe.run()) for _ in range(3)], expected)


def test_operators_can_be_passed_on():
    kinds = {k for k in OPERATORS.values() if issubclass(k, SampleOperator)}
    assert len(kinds) > 30
    assert all(pickle.loads(pickle.dumps(kind)) is kind for kind in kinds)


def test_the_training_pipeline(photo_tree):
    def define():
        encoded, labels = fn.readers.file(file_root=photo_tree.root, random_shuffle=True)
        whole = fn.decoders.image(encoded)
        images = fn.resize(fn.decoders.image_random_crop(encoded), size=(32, 48))
        mirror = fn.random.coin_flip()
        bright = (images[:, :, :1] * fn.random.uniform(range=(0.5, 1.0))) > 60
        images = fn.crop_mirror_normalize(
            images, mean=[1, 2, 3], output_layout="CHW", mirror=mirror
        )
        return whole, images, bright, fn.rotate(whole, angle=30.0), labels

    assert_threads_and_processes_agree(define, 3, batch_size=16)


def test_figures():
    with one_process(alternating) as pipe:
        for _ in range(5):
            pipe.run()
        stats = pipe.stats()
    assert {op.stage for op in stats.operators if op.operator == "toy.noise"} == {"workers"}
    assert stats.workers_wait_s > 0
    assert stats.workers_cpu_s > 0
    assert "1 worker processes" in str(stats)


# Errors


class TwoArguments(Exception):  # noqa: N818
    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


def fail_at_nine(row, x):
    if x[0] == 9:
        raise KeyError("nine")
    if x[0] == 14:
        raise TwoArguments("no 14", "please")
    return x


def test_errors_arrive_as_they_were_raised():
    caught = []
    for processes in (False, True):
        pipe = make(
            lambda: call(Call, call(Numbers)[0], function=fail_at_nine),
            exec_processes=processes,
            num_threads=1,
        )
        pipe.run()
        pipe.run()
        with pytest.raises(KeyError, match="nine") as error:
            pipe.run()
        caught.append(error.value)
        with pytest.raises(PipelineStopped):
            pipe.run()
    threads, processes = caught
    place = [note.replace(str(ROOT), "") for note in processes.__notes__]
    assert [note.split(":")[0] for note in threads.__notes__] == [
        note.split(":")[0] for note in processes.__notes__
    ]
    assert "sample 1 of batch 2" in "".join(place)
    assert "in fail_at_nine" in str(processes.__cause__)


def test_errors_that_cannot_be_passed_on_are_told():
    pipe = one_process(lambda: call(Call, call(Numbers)[0], function=fail_at_fourteen))
    for _ in range(3):
        pipe.run()
    with pytest.raises(WorkerError, match=r"TwoArguments: no 14 and please") as caught:
        pipe.run()
    assert "CPU stage" in caught.value.__notes__[0]


def fail_at_fourteen(row, x):
    return x if x[0] == 9 else fail_at_nine(row, x)


@pytest.mark.parametrize("policy", ["skip", "replace"])
def test_bad_samples_are_dealt_with_in_the_same_way(policy):
    def define():
        data, labels = call(Numbers, size=40, bad=[3], random_shuffle=True)
        return call(Call, data, function=fail_at_nine), labels

    assert_threads_and_processes_agree(define, 8, on_error=policy, batch_size=8)


# The end of a process


def end_at_nine(row, x):
    if x[0] == 9:
        os.kill(os.getpid(), signal.SIGSEGV)
    return x


def leave_at_nine(row, x):
    if x[0] == 9:
        os._exit(3)
    return x


def leave(row, x):
    os._exit(4)


@pytest.mark.parametrize(
    ("function", "fate"),
    [(end_at_nine, "was ended by the signal SIGSEGV"), (leave_at_nine, "exit status 3")],
)
def test_a_process_that_dies_is_told_with_its_sample(function, fate):
    pipe = one_process(lambda: call(Call, call(Numbers)[0], function=function))
    pipe.run()
    pipe.run()
    with pytest.raises(WorkerError, match=fate) as caught:
        pipe.run()
    assert "sample 1 of batch 2 (epoch 0, position 9), from numbers/9" in caught.value.__notes__[0]


@pytest.mark.slow
def test_nothing_hangs_though_all_processes_die():
    pipe = make(
        lambda: call(Call, call(Numbers)[0], function=leave),
        exec_processes=True,
        batch_size=2,
        prefetch_queue_depth=5,
    )
    with pytest.raises(WorkerError, match="exit status 4"):
        pipe.run()


def test_a_process_that_is_killed_while_idle_is_told():
    pipe = one_process(lambda: call(Affine, call(Numbers)[0]))
    for _ in range(4):
        pipe.run()
    for pid in children():
        os.kill(pid, signal.SIGKILL)
    with pytest.raises(WorkerError, match="SIGKILL"):
        _ = [pipe.run() for _ in range(10)]


def linger(row, x):
    Path(os.environ["PENSTOCK_TEST_BEGUN"]).touch()
    time.sleep(60)


def test_close_ends_processes_in_the_midst_of_a_row(tmp_path, monkeypatch):
    monkeypatch.setenv("PENSTOCK_TEST_BEGUN", str(tmp_path / "begun"))
    pipe = one_process(lambda: call(Call, call(Numbers)[0], function=linger))
    pipe.schedule_run()
    assert_soon((tmp_path / "begun").exists)
    started = time.monotonic()
    pipe.close()
    assert_soon(lambda: not children())
    assert time.monotonic() - started < 20  # of the operator's 60 s


SCRIPT = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it
from penstock.tests.engine.toys import Call, Numbers, call, make
from penstock.tests.engine.processes.test_worker_process import children, linger
pipe = make(lambda: call(Call, call(Numbers)[0], function=linger), exec_processes=True)
pipe.schedule_run()
print(*children(), flush=True)
sys.stdin.readline()
"""


def started(body, tmp_path):
    """Start a Python process with a pipeline at work; return it and its workers' ids."""
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT + body],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={
            **os.environ,
            "PYTHONPATH": str(SOURCES),
            "PENSTOCK_TEST_BEGUN": str(tmp_path / "begun"),
        },
    )
    workers = [int(pid) for pid in process.stdout.readline().split()]
    assert len(workers) == 2
    assert_soon((tmp_path / "begun").exists)
    return process, workers


def alive(pid):
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and state_of(stat)[0] != "Z"


@pytest.mark.slow
def test_no_process_outlives_the_interpreter(tmp_path):
    process, pids = started("", tmp_path)
    _, errors = process.communicate("\n", timeout=200)
    assert (process.returncode, errors) == (0, "")
    assert not any(map(alive, pids))


@pytest.mark.slow
def test_an_interrupt_at_the_keyboard_is_told_once(tmp_path):
    process, pids = started("pipe.run()", tmp_path)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=200)
    assert process.returncode == -signal.SIGINT
    assert errors.count("Traceback") == 1
    assert not any(map(alive, pids))


@pytest.mark.slow
def test_processes_end_when_their_parent_is_killed(tmp_path):
    process, pids = started("", tmp_path)
    process.kill()
    process.communicate(timeout=200)
    assert_soon(lambda: not any(map(alive, pids)))


# Which workers there are


@pytest.fixture
def _eager(limited):
    """Processes are tried after the first batch, on any machine, and never given up."""
    long = 1 << 62
    limited(
        Chooser,
        proven_ns=0,
        scaling_threads=0,
        hardly_waiting=math.inf,
        blocked_ns=long,
        min_speed=0.0,
    )


@pytest.mark.usefixtures("_eager")
def test_processes_take_over_where_samples_are_light():
    with make(alternating, exec_processes=False) as pipe:
        expected = [rows_of(pipe.run()) for _ in range(20)]
        assert pipe.stats().workers == "threads"
    with make(alternating) as pipe:
        batches = [rows_of(pipe.run()) for _ in range(10)]
        assert_soon(lambda: pipe.stats().workers == "processes")
        batches += [rows_of(pipe.run()) for _ in range(10)]
        assert len(children()) == 2
        assert pipe.stats().workers_cpu_s > 0
    assert_same(batches, expected)


@pytest.mark.usefixtures("_eager")
def test_threads_stay_where_an_operator_cannot_be_passed_on():
    def define():
        return call(Call, call(Numbers)[0], function=lambda row, x: x)

    with make(define) as pipe:
        pipe.run()
        assert_soon(lambda: pipe.stats().why_threads)
        assert [row[0] for row in rows_of(pipe.run())[0]] == [4, 5, 6, 7]
        stats = pipe.stats()
    assert stats.workers == "threads"
    assert "toy.call ('toy_call_1'" in stats.why_threads
    assert "no worker processes: " in str(stats)
    pipe = make(define, exec_processes=True)
    with pytest.raises(ArgumentError, match=r"toy_call_1.* cannot be pickled"):
        pipe.run()


def refuse():
    raise RuntimeError("not here")


class Unwelcome:
    """Can be pickled, but not unpickled."""

    def __reduce__(self):
        return refuse, ()


def test_a_process_that_cannot_start_says_why():
    pipe = one_process(lambda: call(Call, call(Numbers)[0], function=Unwelcome()))
    with pytest.raises(WorkerError, match="could not start: RuntimeError: not here"):
        pipe.run()


@pytest.mark.usefixtures("_eager")
def test_closing_does_not_wait_for_processes_to_start():
    pipe = make(alternating)
    pipe.run()
    assert_soon(children)
    pipe.close()
    assert_soon(lambda: not children())


def test_without_sample_operators_there_are_no_processes():
    with make(lambda: call(Numbers), exec_processes=True) as pipe:
        pipe.run()
        assert children() == []
