"""Nothing hangs: workers that die, errors everywhere, and loops that are left early."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
import weakref

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch.utils.data import default_collate  # noqa: E402  (only where PyTorch is)

from penstock import ArgumentError, Pipeline, PipelineStopped, fn  # noqa: E402  (only where PyTorch is)
from penstock.engine import closing  # noqa: E402  (only where PyTorch is)
from penstock.engine.closing import finish_closing  # noqa: E402  (only where PyTorch is)
from penstock.plugin.pytorch.experimental.proxy import DALIServer, DataLoader  # noqa: E402


def cropped():
    """A pipeline that fails for numbers above 1."""
    numbers = fn.external_source(name="numbers")
    return fn.crop(np.zeros((8, 8, 1), np.uint8), crop=(4, 4), crop_pos_x=numbers)


def values(loader):
    return [batch.tolist() for batch in loader]


@pytest.fixture
def works(items, row):
    """Checks that a server serves a whole loop."""

    def check(server, workers=1):
        data = items(lambda i: server.proxy(row(i)))
        loader = DataLoader(server, data, batch_size=4, num_workers=workers)
        assert [x for batch in values(loader) for x, *_ in batch] == list(range(0, 20, 2))

    return check


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_worker_that_kills_itself_in_a_batch_is_an_error(serve, items, row, works, place):
    server = serve()

    def dying(i):
        if i == 6 and place == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        output = server.proxy(row(i))
        if i == 6:
            os.kill(os.getpid(), signal.SIGKILL)
        return output

    with server:
        loader = DataLoader(server, items(dying), batch_size=2, num_workers=2)
        with pytest.raises(RuntimeError, match="DataLoader worker"):
            values(loader)
        works(server)


def test_a_worker_that_is_killed_from_outside_is_an_error(serve, items, row, works):
    server = serve()

    def slow(i):
        time.sleep(0.05)
        return os.getpid(), server.proxy(row(i))

    loader = DataLoader(server, items(slow, 400), batch_size=2, num_workers=2)

    def kill_the_second():
        for i, (worker, _) in enumerate(loader):
            if i == 1:
                os.kill(int(worker[0]), signal.SIGKILL)

    with pytest.raises(RuntimeError, match="DataLoader worker"):
        kill_the_second()
    works(server)


def test_a_worker_that_dies_while_the_pipeline_computes_leaves_the_server_whole(
    serve, items, row, works
):
    def slow(x):
        time.sleep(0.2)
        return x * 2

    server = serve(lambda: fn.python_function(fn.external_source(name="numbers"), function=slow))

    def dying(i):
        if i == 8:
            time.sleep(0.3)
            os.kill(os.getpid(), signal.SIGKILL)
        return server.proxy(row(i))

    loader = DataLoader(server, items(dying), batch_size=4, num_workers=1)
    with pytest.raises(RuntimeError, match="DataLoader worker"):
        values(loader)
    works(server)


@pytest.mark.parametrize("workers", [0, 2])
def test_an_error_of_the_pipeline_ends_its_batch_alone(serve, items, workers):
    server = serve(cropped)
    data = items(lambda i: server.proxy(np.float32(5 if i == 3 else 0.5)))
    batches = iter(DataLoader(server, data, batch_size=2, num_workers=workers))
    assert next(batches).shape == (2, 4, 4, 1)
    with pytest.raises(ArgumentError, match="position along W is 5") as caught:
        next(batches)
    assert "in fn.crop" in "".join(caught.value.__notes__)
    assert [len(batch) for batch in batches] == [2, 2, 2]


@pytest.mark.parametrize("workers", [0, 2])
def test_inputs_that_the_pipeline_refuses_end_their_batch_alone(serve, items, workers):
    server = serve()
    data = items(lambda i: server.proxy(np.zeros(3 if i != 2 else (3, 1), np.float32)))
    batches = iter(DataLoader(server, data, batch_size=2, num_workers=workers))
    next(batches)
    with pytest.raises(ArgumentError, match="must agree in dtype and number of dimensions"):
        next(batches)
    assert len(list(batches)) == 3


def test_a_batch_that_is_larger_than_the_pipelines_is_an_error(serve, items, row):
    server = serve(batch_size=2)
    loader = DataLoader(server, items(lambda i: server.proxy(row(i))), batch_size=3)
    with pytest.raises(ArgumentError, match="a batch of 3 samples is too large"):
        next(iter(loader))


@pytest.mark.parametrize("workers", [0, 2])
def test_an_error_of_the_data_set_is_raised_in_the_loop(serve, items, row, works, workers):
    server = serve()

    def failing(i):
        output = server.proxy(row(i))
        if i == 5:
            raise KeyError("no such sample")
        return output

    batches = iter(DataLoader(server, items(failing), batch_size=2, num_workers=workers))
    next(batches)
    next(batches)
    with pytest.raises(KeyError, match="no such sample"):
        next(batches)
    works(server)


@pytest.mark.parametrize("workers", [0, 1])
def test_an_input_that_is_no_array_is_an_error_in_the_data_set(serve, items, workers):
    server = serve()
    loader = DataLoader(server, items(lambda i: server.proxy(lambda: i)), num_workers=workers)
    with pytest.raises(ArgumentError, match="input 'numbers' is a function; expected an array"):
        next(iter(loader))


@pytest.mark.parametrize("persistent", [False, True])
def test_a_loop_that_is_left_early_leaves_nothing_behind(serve, items, row, persistent):
    server = serve()
    loader = DataLoader(
        server,
        items(lambda i: server.proxy(row(i)), 40),
        batch_size=2,
        num_workers=2,
        persistent_workers=persistent,
    )
    for _ in range(3):
        for batch in loader:
            assert batch[:, 0].tolist() == [0, 2]
            break
    assert [x for batch in values(loader) for x, *_ in batch] == list(range(0, 80, 2))


def test_runs_that_nobody_can_ask_for_are_not_computed(serve, row):
    computed = []

    def noted(x):
        computed.append(int(x[0]))
        return x

    server = serve(
        lambda: fn.python_function(fn.external_source(name="numbers"), function=noted),
        batch_size=1,
        prefetch_queue_depth=1,
    )
    kept = [server.proxy(row(i)) for i in range(6)]
    server.submit(kept)
    del kept[1:5]
    gc.collect()
    assert [int(x[0]) for x in server.produce_data(kept)] == [0, 5]
    assert computed == [0, 5]


def test_the_pipeline_works_ahead_while_the_program_works(serve, items):
    computed = []

    def noted(x):
        computed.append(int(x))
        return x

    server = serve(
        lambda: fn.python_function(fn.external_source(name="data"), function=noted), batch_size=1
    )
    loader = DataLoader(
        server, items(lambda i: server.proxy(np.int32(i)), 60), num_workers=1, prefetch_factor=8
    )
    batches = iter(loader)  # whose workers end with it
    first = int(next(batches))
    while max(computed) <= first:  # the time limit of the test ends a wait in vain
        time.sleep(0.01)


def test_an_exception_in_the_training_loop_ends_the_server(serve, items, row):
    server = serve()
    loader = DataLoader(server, items(lambda i: server.proxy(row(i))), batch_size=2, num_workers=2)

    def train():
        with server:
            for batch in loader:
                batch[0, 0].item() / 0

    with pytest.raises(ZeroDivisionError):
        train()
    assert server._thread is None


def test_garbage_collection_ends_threads_and_processes(items, row):
    before = set(threading.enumerate())
    pipeline = Pipeline(2, num_threads=2)
    with pipeline:
        pipeline.set_outputs(fn.external_source(name="numbers") * 2)
    server = DALIServer(pipeline)
    transform = server.proxy
    loader = DataLoader(
        server, items(lambda i: (os.getpid(), transform(row(i)))), batch_size=2, num_workers=2
    )
    batches = iter(loader)
    worker = int(next(batches)[0][0])
    gone = weakref.ref(server)
    del pipeline, server, loader, batches
    gc.collect()
    assert gone() is None
    finish_closing()
    left = [t for t in set(threading.enumerate()) - before if t.name != closing.THREAD_NAME]
    assert left == []
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)


def test_a_signal_in_the_middle_of_a_batch_leaves_the_server_whole(serve, row, works):
    slowly = threading.Event()

    def slow(x):
        slowly.wait(0.5)
        return x * 2

    server = serve(lambda: fn.python_function(fn.external_source(name="numbers"), function=slow))

    def interrupt(*_):
        slowly.set()
        raise TimeoutError("a signal")

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        outputs = [server.proxy(row(i)) for i in range(4)]
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(TimeoutError, match="a signal"):
            server.produce_data(outputs)
        assert [int(x[0]) for x in server.produce_data(outputs)] == [0, 2, 4, 6]
    finally:
        signal.signal(signal.SIGALRM, before)
    works(server)


FILES = (
    "experimental/proxy/",
    "engine/pipeline/fed_batches.py",
    "engine/run/executor.py",
    "user_code/external_source.py",
)


def interrupted(line, work):
    """Call `work`, and raise TimeoutError at a line of the server; return whether it has so many.

    Args:
        line: number of the line among those that this thread executes.
        work: a function.
    """
    left = line

    def trace(frame, event, _):
        nonlocal left
        if not any(name in frame.f_code.co_filename for name in FILES):
            return None
        if event == "line":
            left -= 1
            if left == 0:
                raise TimeoutError("at a line")
        return trace

    sys.settrace(trace)
    try:
        work()
    except TimeoutError:
        return True
    finally:
        sys.settrace(None)
    return left <= 0


def test_an_exception_at_any_line_leaves_the_server_whole(serve, row):
    server = serve(batch_size=2)
    line = 1
    while True:
        outputs = [server.proxy(row(line + i)) for i in range(6)]  # three batches
        batches = [default_collate(outputs[:2]), *outputs[2:]]
        reached = interrupted(line, lambda batches=batches: server.produce_data(batches))
        first, *others = server.produce_data(batches)
        seen = [*first[:, 0].tolist(), *(int(x[0]) for x in others)]
        assert seen == [2 * (line + i) for i in range(6)], line
        if not reached:
            break
        line += 3
    assert line > 300


def test_batches_of_a_closed_pipeline_are_an_error(serve, row):
    server = serve()
    output = server.proxy(row(1))
    server.submit(output)
    server._batches.close()
    with pytest.raises(PipelineStopped, match="the pipeline is closed"):
        server.produce_data(output)


def test_the_end_of_a_source_of_the_pipeline_is_an_error(serve, row):
    def both():
        own = fn.external_source([row(0)[None]], batch=True)
        return fn.external_source(name="numbers") + own

    server = serve(both, batch_size=1)
    assert server.produce_data(server.proxy(row(1))).tolist() == [1, 1, 1]
    with pytest.raises(PipelineStopped, match="has no more data"):
        server.produce_data(server.proxy(row(1)))


def test_a_server_goes_on_after_its_end(serve, row):
    server = serve()
    with server:
        left = server.proxy(row(1))
        server.submit(left)
    assert server._thread is None
    assert server.produce_data(left).tolist() == [2, 2, 2]
    assert server._thread is not None
    server.stop_thread()
    server.stop_thread()
