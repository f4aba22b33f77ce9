"""The process that maps files: nothing is lost whenever it ends, and it ends with its owner."""

import gc
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import penstock
from penstock import fn, types
from penstock.engine.errors import SourceError
from penstock.engine.processes import helper_processes
from penstock.engine.processes.channel import Channel
from penstock.readers.npy.region import RegionOfInterest
from penstock.tests.checkout import SOURCES

from ..mapped import (
    TRUSTED,
    be_eager,
    large,
    mapped_bytes,
    new_reading,
    pipe_of,
    run_until_mapped,
    save_all,
    volumes,
)
from ..processes import alive, assert_soon, children, end_lost_processes


@pytest.fixture(autouse=True)
def _nothing_left_behind(monkeypatch):
    be_eager(monkeypatch.setattr)
    end_lost_processes()
    yield
    gc.collect()
    assert_soon(lambda: not children())


@pytest.fixture
def reading():
    made = new_reading()
    yield made
    made.close()


def cut_short_while_mapped(reading, paths, monkeypatch):
    """Cut a file short at the moment that it is to be copied; return what is raised."""
    ask = helper_processes._LivingProcesses.send

    def late(helper, request):
        os.truncate(paths[1], 20_000)
        return ask(helper, request)

    reading.use(paths, "1:, 1:")  # expects nothing of the files
    with monkeypatch.context() as patch:
        patch.setattr(helper_processes._LivingProcesses, "send", late)
        with pytest.raises(SourceError, match=r"1\.npy: .*was cut short") as caught:
            reading.read()
    return caught


def test_a_file_that_is_cut_short_while_it_is_mapped(reading, tmp_path, monkeypatch):
    arrays = volumes()
    paths = save_all(tmp_path, arrays)
    reading.use(paths, "1:, 1:").started()
    cut_short_while_mapped(reading, paths, monkeypatch)
    np.testing.assert_array_equal(
        reading.use(paths[2:], "1:, 1:").all_mapped()[1], arrays[3][1:, 1:]
    )


def test_the_process_may_be_killed_by_that(reading, tmp_path, monkeypatch):
    arrays = volumes()
    paths = save_all(tmp_path, arrays)
    reading.use(paths, "1:, 1:").started()
    for _ in range(TRUSTED):
        reading.all_mapped()
    (pid,) = children()
    cut_short_while_mapped(reading, paths, monkeypatch)
    assert "ended with exit status 7" in reading.source.path_used  # SIGBUS
    assert not alive(pid)
    reading.use(paths[2:], "1:, 1:").started()  # another process
    np.testing.assert_array_equal(reading.all_mapped(), np.stack(arrays[2:])[:, 1:, 1:])


def test_a_bad_file_in_a_pipeline(tmp_path, monkeypatch):
    arrays, paths = large(tmp_path)
    with pipe_of(paths, on_error="skip", prefetch_queue_depth=1) as pipe:
        run_until_mapped(pipe)
        os.truncate(paths[1], 20_000)
        for _ in range(6):
            (found,) = pipe.run()
        good = [found.valid[i] and found.source_info()[i] for i in range(4)]
        assert good == [str(paths[0]), False, str(paths[2]), str(paths[3])]
        for row, array in zip(found.as_array()[[0, 2, 3]], [arrays[0], *arrays[2:]], strict=True):
            np.testing.assert_array_equal(row, array[1:, 1:])


def stop(pid):
    """Stop a process: it does nothing from now on."""
    os.kill(pid, signal.SIGSTOP)
    threads = list(Path(f"/proc/{pid}/task").glob("*/stat"))
    assert_soon(lambda: all(" T " in thread.read_text() for thread in threads))


def test_a_process_that_is_killed_while_it_copies(reading, tmp_path, monkeypatch):
    arrays = volumes()
    reading.use(save_all(tmp_path, arrays), "1:, 1:").started()
    (pid,) = children()
    stop(pid)
    asked = threading.Event()
    send = Channel.send

    def noted(channel, message):
        send(channel, message)
        asked.set()

    monkeypatch.setattr(Channel, "send", noted)
    found = []
    thread = threading.Thread(target=lambda: found.append(reading.read()))
    thread.start()
    asked.wait()
    os.kill(pid, signal.SIGKILL)
    thread.join()
    np.testing.assert_array_equal(found[0], np.stack(arrays)[:, 1:, 1:])
    assert "SIGKILL" in reading.source.path_used
    reading.started()
    assert children() != [pid]


def test_the_process_dies_while_batches_are_begun(reading, tmp_path):
    arrays = volumes()
    source = reading.use(save_all(tmp_path, arrays), "1:, 1:").started().source
    shape = {"start": None, "shape": (8, 20, 30)}
    source.samples.region = RegionOfInterest(shape, (), None, "error")
    given = np.arange(4), reading.pool.empty, {"start": np.zeros((4, 3), np.int64)}
    source.read(*given)
    (pid,) = children()
    stop(pid)
    begun = [source.start(*given) for _ in range(2)]
    assert all(pending.elsewhere for pending in begun)
    os.kill(pid, signal.SIGKILL)
    for pending in begun:
        (found,) = pending.result()
        np.testing.assert_array_equal(found, np.stack(arrays)[:, :8, :20, :30])
    (found,) = source.read(*given)
    np.testing.assert_array_equal(found, np.stack(arrays)[:, :8, :20, :30])


def test_regions_of_each_sample_in_a_pipeline(tmp_path):
    arrays, paths = large(tmp_path)

    @penstock.pipeline_def(batch_size=4, num_threads=2, prefetch_queue_depth=3, on_error="skip")
    def regions():
        start = fn.random.uniform(range=[0, 20], shape=[3], dtype=types.INT32)
        files = [str(path) for path in paths]
        return fn.readers.numpy(files=files, roi_start=start, roi_shape=[9, 70, 60]), start

    def assert_right(found, starts, rows):
        for i in rows:
            z, y, x = starts[i]
            np.testing.assert_array_equal(found[i], arrays[i][z : z + 9, y : y + 70, x : x + 60])

    with regions() as pipe:
        assert_soon(
            lambda: pipe.run() and any("mapped" in o.remark for o in pipe.stats().operators)
        )
        for _ in range(30):
            found, starts = pipe.run()
            assert_right(found.as_array(), starts.as_array(), range(4))
        os.truncate(paths[1], 20_000)
        for _ in range(8):
            found, starts = pipe.run()
        assert found.valid.tolist() == [True, False, True, True]
        assert_right(found.as_array(), starts.as_array(), (0, 2, 3))


def starters():
    return [thread for thread in threading.enumerate() if thread.name == "penstock-starter"]


def test_no_process_is_started_again_and_again(reading, tmp_path):
    reading.use(save_all(tmp_path, volumes()), "1:, 1:")
    for _ in range(3):
        (pid,) = reading.started() and children()
        os.kill(pid, signal.SIGKILL)
        assert_soon(lambda pid=pid: reading.read() is not None and not alive(pid))
    for _ in range(20):
        reading.read()
    assert not children()
    assert_soon(lambda: not starters())  # the last one may be about to end


@pytest.mark.slow
def test_pipelines_have_processes_of_their_own(tmp_path):
    arrays, paths = large(tmp_path)
    expected = np.stack(arrays)[:, 1:, 1:]
    pipes = [pipe_of(paths) for _ in range(2)]
    for pipe in pipes:
        run_until_mapped(pipe)
    assert len(children()) == 2
    for pipe in pipes:
        np.testing.assert_array_equal(pipe.run()[0].as_array(), expected)
    pipes[0].close()
    assert len(children()) == 1
    np.testing.assert_array_equal(pipes[1].run()[0].as_array(), expected)
    pipes[1].close()
    assert not children()


@pytest.mark.slow
def test_a_pipeline_that_is_dropped_ends_its_process(tmp_path):
    _, paths = large(tmp_path)
    pipe = pipe_of(paths)
    run_until_mapped(pipe)
    del pipe
    gc.collect()
    assert_soon(lambda: not children())


def test_close_does_not_wait_for_the_process(tmp_path):
    _, paths = large(tmp_path)
    pipe = pipe_of(paths, prefetch_queue_depth=1)
    run_until_mapped(pipe)
    (pid,) = children()
    stop(pid)
    pipe.schedule_run()
    pipe.close()  # a thread that did not end would be a warning
    assert not children()


def test_a_reader_of_small_files_has_none(tmp_path):
    paths = save_all(tmp_path, volumes())
    with pipe_of(paths) as pipe:
        for _ in range(20):
            pipe.run()
        assert not mapped_bytes(pipe)
        assert pipe._run.pool.arena.descriptor == -1  # memory is not shared


SCRIPT = """
import os, sys
from penstock.tests.readers.mapped import be_eager, pipe_of, run_until_mapped
from penstock.tests.readers.processes import children
be_eager()
pipe = pipe_of(sys.argv[1:])
run_until_mapped(pipe)
"""


def started(body, paths):
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT + body, *map(str, paths)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
    )


@pytest.mark.slow
def test_the_process_ends_when_its_parent_is_killed(tmp_path):
    _, paths = large(tmp_path)
    process = started("print(*children(), flush=True); sys.stdin.readline()", paths)
    pid = int(process.stdout.readline())
    assert os.getpgid(pid) != os.getpgid(process.pid)  # an interrupt at the keyboard is not its
    process.kill()
    process.communicate(timeout=200)
    assert_soon(lambda: not alive(pid))


@pytest.mark.slow
def test_a_fork_reads_by_itself(tmp_path):
    _, paths = large(tmp_path)
    body = """
import warnings
import numpy as np
warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads, which is the point
reader = pipe._as_built().plan.readers[0].operator
everything = np.arange(4)
expected = pipe.run()[0].as_array()
before = reader.source._mapped.nbytes
child = os.fork()
if child == 0:
    (found,) = reader.source.read(everything, pipe._run.pool.empty)
    os._exit(int(not np.array_equal(found, expected) or reader.source._mapped.nbytes != before))
print(os.waitpid(child, 0)[1], np.array_equal(pipe.run()[0].as_array(), expected), len(children()))
pipe.close()
"""
    output, errors = started(body, paths).communicate(timeout=200)
    assert (output, errors) == ("0 True 1\n", "")
