"""Users' functions in Python workers: results, errors, deaths, and what is left behind."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest

from penstock import fn, pipeline_def, types
from penstock.engine.errors import ArgumentError, PipelineStopped, WorkerError
from penstock.plugin.pytorch import fn as torch_fn

from ...readers.processes import assert_soon, children

pytestmark = pytest.mark.usefixtures("importable_tests")


@pytest.fixture(autouse=True)
def nothing_is_left():
    before = children()
    yield
    assert_soon(lambda: set(children()) <= set(before))  # some end late


def numbers(batch_size=6, sizes=(2, 3)):
    """Return a source of int32 arrays that are filled with their number."""

    def source(info):
        return np.full((sizes[info.idx_in_epoch % len(sizes)], 4), info.idx_in_epoch, np.int32)

    return source


def define(function, *, sizes=(2, 3), batch_size=6, on_error="raise", **arguments):
    options = {"parallel": True} | arguments

    @pipeline_def(batch_size=batch_size, num_threads=1, py_num_workers=2, on_error=on_error, seed=3)
    def definition():
        data = fn.external_source(numbers(sizes=sizes), batch=False)
        results = fn.python_function(data, function=function, **options)
        return tuple(results) if isinstance(results, list) else results

    return definition()


def rows(output):
    return [row.tolist() for row in output.rows()]


def test_workers_compute_what_the_process_computes():
    def function(x):
        return x * 2 + 1, np.float64(os.getpid()), [x.sum(), -1]

    outputs = []
    for parallel in (True, False):
        with define(function, num_outputs=3, parallel=parallel, output_layouts=["XY"]) as pipe:
            batches = [pipe.run() for _ in range(3)]
            processes = {int(p) for _, pid, _ in batches for p in pid.as_array()}
            assert (os.getpid() in processes) == (not parallel)
            assert len(processes) == (2 if parallel else 1)
            outputs.append([(rows(a), a.layout(), rows(c)) for a, _, c in batches])
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize("shape", [(300, 400), (3, 5), (), (0, 4)])
def test_results_of_any_size_form_one_array_from_the_second_batch_on(shape):
    with define(lambda x: np.full(shape, x.flat[0], np.uint16), batch_size=20) as pipe:
        for number in range(3):
            (out,) = pipe.run()
            expected = np.arange(20) + 20 * number
            array = out.as_array()
            assert array.shape == (20, *shape)
            assert array.dtype == np.uint16
            expected = expected.reshape(20, *[1] * len(shape))
            assert np.array_equal(array, np.broadcast_to(expected, array.shape))
        assert np.shares_memory(out.dense(), out.at(19)) == bool(array.size)


def test_results_of_several_shapes():
    with define(lambda x: np.zeros((int(x.flat[0]) % 3, 70000), bool)) as pipe:
        for number in range(2):
            (out,) = pipe.run()
            assert [s[0] for s in out.shape()] == [(6 * number + i) % 3 for i in range(6)]


def test_whole_batches():
    def function(xs):
        assert isinstance(xs, list)
        return np.stack([x[0] for x in xs]), [x.astype(np.float32) for x in xs]

    with define(function, num_outputs=2, batch_processing=True) as pipe:
        for number in range(3):
            first, second = pipe.run()
            assert first.as_array()[:, 0].tolist() == list(range(6 * number, 6 * number + 6))
            assert second.shape() == [(2 + i % 2, 4) for i in range(6)]


def test_inputs_may_be_changed_and_views_of_them_returned():
    def function(x):
        x += 1
        return x[:1]

    @pipeline_def(batch_size=3, num_threads=1, py_num_workers=1)
    def definition():
        data = fn.external_source(lambda i: np.full((3, 200, 100), i, np.int64))
        return fn.python_function(data, function=function, parallel=True), data

    with definition() as pipe:
        for number in range(3):
            out, data = pipe.run()
            assert np.unique(out.as_array()) == [number + 1]
            assert np.unique(data.as_array()) == [number]


def test_no_output_and_no_input(tmp_path):
    def function():
        with (tmp_path / "calls").open("a") as file:
            file.write("x")

    @pipeline_def(batch_size=3, num_threads=1, py_num_workers=1)
    def definition():
        fn.python_function(function=function, num_outputs=0, parallel=True)
        return fn.external_source(lambda i: np.full((3, 2), i))

    with definition() as pipe:
        pipe.run()
    assert len((tmp_path / "calls").read_text()) >= 3


def test_an_error_has_its_type_and_the_trace_of_the_function():
    def helper(x):
        raise KeyError(f"cannot use {x.flat[0]}")

    def function(x):
        return helper(x) if x.flat[0] == 4 else x

    with define(function) as pipe, pytest.raises(KeyError, match="cannot use 4") as caught:
        pipe.run()
    assert "in helper" in str(caught.value.__cause__)
    assert "cannot use" in str(caught.value.__cause__)
    assert any("python_function" in note for note in caught.value.__notes__)


class TwoArgumentsError(Exception):
    """An error that no pickle carries."""

    def __init__(self, one, two):
        super().__init__(f"{one} {two}")


def test_an_error_that_cannot_be_pickled_keeps_its_text():
    def function(x):
        raise TwoArgumentsError(1, 2)

    with define(function) as pipe, pytest.raises(WorkerError, match="TwoArgumentsError: 1 2"):
        pipe.run()


def test_bad_samples_are_replaced():
    def function(x):
        if x.flat[0] in (1, 8):
            raise ValueError("bad")
        return x

    with define(function, on_error="replace") as pipe:
        for number, bad in ((0, 1), (1, 2)):
            (out,) = pipe.run()
            assert out.valid.tolist() == [i != bad for i in range(6)]
            good = [int(out.at(i).flat[0]) for i in range(6) if i != bad]
            assert good == [6 * number + i for i in range(6) if i != bad]


def test_all_samples_are_bad():
    def function(x):
        raise ValueError("never")

    with define(function, on_error="replace") as pipe, pytest.raises(ValueError, match="never"):
        pipe.run()


@pytest.mark.parametrize(
    ("end", "text"),
    [
        (lambda: os._exit(7), "ended with exit status 7"),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "SIGKILL"),
    ],
)
@pytest.mark.parametrize("batch_processing", [False, True])
def test_a_death_names_the_sample(end, text, batch_processing):
    def function(x):
        if batch_processing or x.flat[0] == 9:
            end()
        return x

    with define(function, batch_processing=batch_processing) as pipe:
        with pytest.raises(WorkerError, match=text) as caught:
            list(zip(range(4), pipe, strict=False))
        where = "batch 0" if batch_processing else "sample 3 of batch 1"
        assert f"of fn.python_function for {where}" in str(caught.value)
        with pytest.raises(PipelineStopped):
            pipe.run()


def test_a_death_is_seen_though_a_child_of_the_worker_lives():
    def function(x):
        if os.fork() == 0:
            import time

            time.sleep(3)
            os._exit(0)
        os._exit(1)

    with define(function) as pipe, pytest.raises(WorkerError, match="exit status 1"):
        pipe.run()


def test_sys_exit_reaches_the_caller():
    def function(x):
        raise SystemExit(3)

    with define(function, batch_processing=True) as pipe, pytest.raises(SystemExit):
        pipe.run()


def test_wrong_results_are_errors_of_the_sample():
    for function, text in [
        (lambda x: None, "returned None"),
        (lambda x: "text", "is str; return an array"),
        (lambda x: x if x.flat[0] else x * 1.5, "agree in dtype"),
        (lambda x: np.array([object()]), "elements of type object"),
    ]:
        with define(function) as pipe, pytest.raises(ArgumentError, match=text):
            pipe.run()


def test_a_worker_keeps_its_own_modules():
    def function(x):
        import types as module

        module.penstock_calls = getattr(module, "penstock_calls", 0) + 1
        return np.int64(os.getpid()), np.int64(module.penstock_calls)

    with define(function, num_outputs=2) as pipe:
        pids, calls = pipe.run()
        for pid in set(pids.as_array().tolist()):
            own = calls.as_array()[pids.as_array() == pid]
            assert own.tolist() == list(range(1, len(own) + 1))


def test_branches_of_an_if():
    @pipeline_def(batch_size=6, num_threads=1, py_num_workers=2, enable_conditionals=True, seed=1)
    def definition(parallel):
        data = fn.external_source(numbers(sizes=(2,)), batch=False)
        if fn.reductions.max(data) % 3 == 0:
            result = fn.python_function(
                data, function=lambda x, rng: x + rng.integers(9, dtype=np.int32), parallel=parallel
            )
        else:
            result = data
        return result

    outputs = []
    for parallel in (True, False):
        with definition(parallel) as pipe:
            outputs.append([rows(pipe.run()[0]) for _ in range(2)])
    assert outputs[0] == outputs[1]


def test_tensors_of_pytorch():
    torch = pytest.importorskip("torch", reason="the functions work on its tensors")

    def function(x, rng):
        assert isinstance(x, torch.Tensor)
        return x.float() + torch.from_numpy(rng.random(4))

    outputs = []
    for parallel in (True, False):

        @pipeline_def(batch_size=4, num_threads=1, py_num_workers=1, seed=2)
        def definition(parallel):
            data = fn.external_source(numbers(), batch=False)
            return torch_fn.torch_python_function(data, function=function, parallel=parallel)

        with definition(parallel) as pipe:
            outputs.append(rows(pipe.run()[0]))
    assert outputs[0] == outputs[1]


def test_what_is_refused():
    with pytest.raises(ArgumentError, match="on the CPU only"):
        fn.python_function(function=lambda: 1, parallel=True, device="gpu")


def test_there_must_be_workers():
    @pipeline_def(batch_size=1, num_threads=1, py_num_workers=0)
    def definition():
        return fn.python_function(function=lambda: np.zeros(2), parallel=True)

    with pytest.raises(ArgumentError, match="py_num_workers is 0"):
        definition().build()


def test_the_limit_advises_more_workers():
    def function(x):
        for _ in range(20000):
            pass
        return x

    with define(function) as pipe:
        for _ in range(5):
            pipe.run()
        limit = pipe.stats().limit
    assert limit.name in ("Python workers", "consumer")
    if limit.name == "Python workers":  # beside other programs, no argument is advised
        assert "py_num_workers" in limit.remedies[0] or "idle machine" in limit.remedies[0]


def test_worker_processes_of_operators_beside_python_workers():
    @pipeline_def(batch_size=4, num_threads=1, py_num_workers=1, exec_processes=True)
    def definition():
        data = fn.external_source(numbers(), batch=False)
        data = fn.python_function(data, function=lambda x: x + 1, parallel=True)
        return fn.python_function(fn.cast(data * 2, dtype=types.FLOAT), function=np.negative)

    with definition() as pipe:
        (out,) = pipe.run()
    assert [int(row.flat[0]) for row in out.rows()] == [-2, -4, -6, -8]


def test_debug_mode_calls_the_function_in_this_process():
    @pipeline_def(batch_size=2, num_threads=1, debug=True)
    def definition():
        return fn.python_function(function=lambda: np.int64(os.getpid()), parallel=True)

    assert definition().run()[0].as_array().tolist() == [os.getpid()] * 2
