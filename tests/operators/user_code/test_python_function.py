from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn, pipeline_def
from penstock.engine.errors import ArgumentError

IMAGES = [np.arange(6, dtype=np.int32).reshape(2, 3), np.arange(3, dtype=np.int32).reshape(1, 3)]


def run(function, inputs=1, outputs=None, **arguments):
    """Apply the function to IMAGES; return what the pipeline hands out."""

    @pipeline_def(batch_size=2, num_threads=1)
    def definition():
        data = fn.external_source(lambda: IMAGES, layout="HW")
        result = fn.python_function(*[data] * inputs, function=function, **arguments)
        return data if result is None else result

    with definition() as pipe:
        return pipe.run()


def test_by_sample():
    (out,) = run(lambda x: x + 1)
    assert [out.at(i).tolist() for i in range(2)] == [(x + 1).tolist() for x in IMAGES]
    assert out.layout() == ""


def test_several_inputs_and_outputs():
    total, first = run(
        lambda a, b: (a + b, a[0, 1]), inputs=2, num_outputs=2, output_layouts=["HW"]
    )
    assert total.at(1).tolist() == (2 * IMAGES[1]).tolist()
    assert total.layout() == "HW"
    assert first.as_array().tolist() == [1, 1]
    assert first.as_array().shape == (2,)


def test_whole_batch():
    (out,) = run(lambda xs: [x.sum() for x in xs], batch_processing=True)
    assert out.as_array().tolist() == [15, 3]
    (out,) = run(lambda xs: np.array([len(xs)] * 2), batch_processing=True)
    assert out.as_array().tolist() == [2, 2]


def test_no_input():
    (out,) = run(lambda: np.zeros(3, np.uint8), inputs=0)
    assert out.as_array().shape == (2, 3)


def test_no_output_still_runs():
    seen = []
    run(lambda x: seen.append(x.shape), num_outputs=0)
    assert seen[:2] == [(2, 3), (1, 3)]


def test_returned_buffer_may_be_used_again():
    buffer = np.zeros(1)

    def function(x):
        buffer[0] = x.size
        return buffer

    assert run(function)[0].as_array().tolist() == [[6], [3]]


def test_one_in_a_tuple():
    assert run(lambda x: (x,))[0].shape() == [(2, 3), (1, 3)]


@pytest.mark.parametrize(
    ("function", "arguments", "text"),
    [
        (lambda x: None, {}, "returned None"),
        (lambda x: x, {"num_outputs": 0}, "must return None, not ndarray"),
        (lambda x: x, {"num_outputs": 2}, "a tuple of 2, not a ndarray"),
        (lambda x: (x, x, x), {"num_outputs": 2}, "a tuple of 2, not a tuple of 3"),
        (lambda x: "text", {}, "is str; return an array"),
        (lambda x: x if len(x) == 2 else x[0], {}, "agree in dtype and number of dimensions"),
        (lambda x: x if len(x) == 2 else x * 1.5, {}, "agree in dtype and number of dimensions"),
        (lambda x: x, {"output_layouts": "HWC"}, "'HWC', which does not describe"),
        (lambda x: x[:1], {"batch_processing": True}, "1 samples for a batch of 2"),
    ],
)
def test_bad_results(function, arguments, text):
    with pytest.raises(ArgumentError, match=text):
        run(function, **arguments)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"num_outputs": -1}, "must be int, at least 0"),
        ({"output_layouts": 5}, "is a string"),
        ({"output_layouts": ["HW", "C"]}, "has 2 layouts, but num_outputs is 1"),
    ],
)
def test_bad_arguments(arguments, text):
    with pytest.raises(ArgumentError, match=text):
        run(lambda x: x, **arguments)


def test_must_be_callable():
    with pytest.raises(ArgumentError, match="not callable"):
        run(5)


def test_user_exceptions_keep_their_type():
    def function(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine") as caught:
        run(function)
    assert any("python_function" in note for note in caught.value.__notes__)


def failing(*bad, policy="raise", batch_size=4, batches=3):
    """Run a function that fails for some numbers; return the batches, with their `valid`."""

    def function(number):
        if int(number) in bad:
            raise KeyError(f"cannot process {int(number)}")
        return number * 10

    pipe = Pipeline(batch_size=batch_size, num_threads=1, on_error=policy)
    with pipe:
        source = (np.arange(4 * k, 4 * k + batch_size) for k in range(batches))
        data = fn.external_source(source)
        twice = fn.python_function(data, function=function)
        pipe.set_outputs(fn.python_function(twice, function=lambda x: x + 1))
    with pipe:
        outputs = [pipe.run()[0] for _ in range(batches)]
        return [out.as_array().tolist() for out in outputs], [out.valid.tolist() for out in outputs]


@pytest.mark.parametrize("policy", ["skip", "replace"])
def test_a_sample_that_the_function_refuses_is_replaced(policy):
    numbers, valid = failing(4, 6, policy=policy)
    assert numbers == [[1, 11, 21, 31], [71, 51, 51, 71], [81, 91, 101, 111]]
    assert valid == [[True] * 4, [False, True, False, True], [True] * 4]


def test_the_error_names_sample_and_operator():
    with pytest.raises(KeyError, match="cannot process 5") as caught:
        failing(5, 6)
    notes = "\n".join(caught.value.__notes__)
    assert "fn.python_function" in notes
    assert "sample 1 of batch 1" in notes


@pytest.mark.parametrize("policy", ["skip", "replace"])
def test_a_function_that_refuses_all_samples_ends_the_run(policy):
    with pytest.raises(KeyError, match="cannot process 0") as caught:
        failing(0, 1, 2, 3, policy=policy)
    assert any("sample 0" in note for note in caught.value.__notes__)


def test_the_file_of_a_refused_sample_is_named(tmp_path):
    for name in "ab":
        (tmp_path / name).write_bytes(b"x")

    def function(data):
        raise ValueError("never")

    pipe = Pipeline(batch_size=2, num_threads=1)
    with pipe:
        files = [str(tmp_path / name) for name in "ab"]
        data, _ = fn.readers.file(files=files)
        pipe.set_outputs(fn.python_function(data, function=function))
    with pytest.raises(ValueError, match="never") as caught:
        pipe.run()
    assert any(str(tmp_path / "a") in note for note in caught.value.__notes__)


# `python_function(device="gpu")`: arrays on the device go in and come out.
ROWS = [np.arange(n * 3, dtype=np.float32).reshape(n, 3) for n in (2, 5, 1)]


def applied(function, rows=ROWS, batches=1, **options):
    """Return the outputs of a function of some batches, on the host."""
    pipe = Pipeline(batch_size=len(rows), num_threads=1)
    with pipe:
        data = fn.external_source(lambda: rows).gpu()
        results = fn.python_function(data, device="gpu", function=function, **options)
        several = isinstance(results, tuple | list)
        pipe.set_outputs(*(results if several else [results]))
    with pipe:
        outputs = [pipe.run() for _ in range(batches)][-1]
        return [[np.array(row) for row in output.as_cpu().rows()] for output in outputs]


def test_samples_of_several_shapes(device_stage):
    (result,) = applied(lambda x: x[:, ::-1] * 2, batches=3)
    for row, given in zip(result, ROWS, strict=True):
        np.testing.assert_array_equal(row, given[:, ::-1] * 2)


def test_arrays_are_views_of_the_batch_on_the_device(device_stage):
    seen = []

    def look(x):
        seen.append(x.__cuda_array_interface__["data"][0])
        return x

    dense = [np.full((64, 8), i, np.uint8) for i in range(4)]
    (result,) = applied(look, dense)
    assert np.diff(seen[:4]).tolist() == [64 * 8] * 3
    np.testing.assert_array_equal(np.stack(result), np.stack(dense))


def test_whole_batches_and_several_outputs(device_stage):
    def both(rows):
        assert isinstance(rows, list)
        return [row[:1] for row in rows], [row + 1 for row in rows]

    first, second = applied(both, num_outputs=2, batch_processing=True, output_layouts=["HW"])
    for one, other, given in zip(first, second, ROWS, strict=True):
        np.testing.assert_array_equal(one, given[:1])
        np.testing.assert_array_equal(other, given + 1)


def test_an_array_over_samples(device_stage):
    kept = []

    def same(rows):
        kept.append(rows[0][:2])
        return kept[0].reshape(3, 2)  # always the same memory, so it has to be copied

    (result,) = applied(same, batches=2, batch_processing=True)
    np.testing.assert_array_equal(np.stack(result), ROWS[0][:2].reshape(3, 2))


def test_batches_come_in_order(device_stage):
    seen = []
    pipe = Pipeline(batch_size=1, num_threads=4, prefetch_queue_depth=4)
    with pipe:
        number = fn.external_source(lambda k: [np.array([k])])
        fn.python_function(number.gpu(), device="gpu", function=seen.append, num_outputs=0)
        pipe.set_outputs(number)
    with pipe:
        for _ in range(10):
            pipe.run()
    assert [int(x.get()[0]) for x in seen[:10]] == list(range(10))


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (lambda x: np.zeros(3), {}, "ndarray data in host memory, but must be on the GPU"),
        (lambda x: None, {}, "returned None"),
        (lambda x: (x, x), {}, "tuple"),
        (lambda x: x, {"num_outputs": 2}, "must return a tuple of 2"),
        (lambda x: x, {"output_layouts": "HWC"}, "layout 'HWC'"),
        (lambda x: x[0] if len(x) == 5 else x, {}, "must agree in dtype and number of dim"),
        (lambda rows: rows[:2], {"batch_processing": True}, "2 samples for a batch of 3"),
    ],
)
def test_what_does_not_fit_is_refused(device_stage, function, options, message):
    with pytest.raises(ArgumentError, match=message) as caught:
        applied(function, **options)
    assert any("python_function" in note and "GPU stage" in note for note in caught.value.__notes__)


def test_the_functions_own_error_is_raised(device_stage):
    def fails(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        applied(fails)


@pytest.mark.gpu
def test_cupy_works_on_the_pipelines_stream(cupy):
    streams = []

    def function(x):
        streams.append(cupy.cuda.get_current_stream().ptr)
        return cupy.sqrt(x)

    (result,) = applied(function, batches=10)
    assert len(set(streams)) == 1
    assert streams[0] not in (0, 1, 2)
    for row, given in zip(result, ROWS, strict=True):
        np.testing.assert_allclose(row, np.sqrt(given), rtol=1e-6)


@pytest.mark.gpu
def test_torch_in_the_function(cupy):
    torch = pytest.importorskip("torch")
    rows = [np.full((512, 512), i, np.int32) for i in range(4)]

    def function(x):
        tensor = torch.from_dlpack(x)
        torch.cuda._sleep(2_000_000)
        return tensor + 1

    (result,) = applied(function, rows, batches=5)
    assert [int(row.min()) for row in result] == [int(row.max()) for row in result] == [1, 2, 3, 4]
