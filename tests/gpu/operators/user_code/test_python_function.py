"""`python_function(device="gpu")`: arrays on the device go in and come out."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import ArgumentError

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
