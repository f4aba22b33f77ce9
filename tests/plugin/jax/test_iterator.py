"""Arrays of JAX from pipelines: their memory, types, and what cannot be."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn
from penstock.engine.tensors.alignment import aligned

from ..conftest import column

jax = pytest.importorskip("jax", reason="the plugin of JAX needs JAX")

from penstock.plugin.jax import (  # noqa: E402
    DALIGenericIterator,
    GenericIterator,
    LastBatchPolicy,
)


def test_epochs_of_dictionaries(numbers):
    with GenericIterator(numbers(6, 2), ["label"], reader_name="Reader", auto_reset=True) as it:
        for _ in range(2):
            epoch = [batch["label"] for batch in it]
            assert all(isinstance(array, jax.Array) for array in epoch)
            assert [array.shape for array in epoch] == [(2, 1)] * 3
    np.testing.assert_array_equal(epoch[1], column([2, 3]))


def test_tuples(numbers):
    with GenericIterator(
        numbers(4, 2), ["x"], reader_name="Reader", batch_form="tuple", with_valid=True
    ) as it:
        x, valid = next(it)
    assert (x.tolist(), valid.tolist()) == ([[0], [1]], [True, True])


def address(array):
    return int(array.ctypes.data)


@pytest.mark.parametrize("dtype", [np.uint8, np.bool_, np.int16, np.float16, np.float32])
def test_arrays_share_the_memory_of_outputs(feed, dtype):
    rows = aligned(np.ones((4, 3), dtype))
    array = next(GenericIterator(feed([rows]), ["x"]))["x"]
    assert array.dtype == dtype
    assert array.unsafe_buffer_pointer() == address(rows)
    assert not array.committed  # so that it may meet arrays on other devices


def test_arrays_on_other_devices_share_it_too(feed, cpus):
    rows = aligned(np.ones((4, 3), np.float32))
    (sharded,) = next(GenericIterator(feed([rows]), ["x"], devices=[cpus[2]])).values()
    assert sharded.shape == (1, 4, 3)
    assert sharded.devices() == {cpus[2]}
    assert sharded.addressable_data(0).unsafe_buffer_pointer() == address(rows)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.float64])
def test_numbers_of_64_bits_become_32_bits(feed, dtype):
    rows = np.arange(8, dtype=dtype).reshape(4, 2)
    array = next(GenericIterator(feed([rows]), ["x"]))["x"]
    assert array.dtype == np.dtype(f"{np.dtype(dtype).kind}4")
    np.testing.assert_array_equal(array, rows)


def test_arrays_stay_right_when_memory_is_used_again(feed):
    batches = [np.full((4, 50_000), k, np.float32) for k in range(30)]
    kept = [batch["x"] for batch in DALIGenericIterator(feed(batches), ["x"])]
    assert [float(array[0, 0]) for array in kept] == list(range(30))


def pipeline_of_batches(batch_of, batch_size=4):
    with Pipeline(batch_size=batch_size, num_threads=1) as pipe:
        pipe.set_outputs(fn.external_source(batch_of))
    return pipe


def test_results_that_are_under_way_stay_right():
    """JAX computes in threads of its own, after Python has dropped the arrays."""
    numbers = iter(range(100))
    pipe = pipeline_of_batches(lambda: np.full((4, 100_000), next(numbers), np.float32))
    total = jax.jit(lambda x: (x @ x.T).sum())
    with GenericIterator(pipe, ["x"], size=400) as batches:
        sums = [total(next(batches)["x"]) for _ in range(30)]
    np.testing.assert_allclose(sums, [16e5 * i * i for i in range(30)], rtol=1e-4)


def test_donated_arrays_do_no_harm():
    """A compiled function may write its result over a donated argument."""
    with Pipeline(batch_size=4, num_threads=1) as pipe:
        data = fn.external_source(lambda: np.ones((4, 50_000), np.float32))
        pipe.set_outputs(data, data)
    more = jax.jit(lambda x: x + 1, donate_argnums=0)
    with GenericIterator(pipe, ["x", "y"], size=40) as batches:
        for _ in range(4):
            batch = next(batches)
            assert float(more(batch["x"]).sum()) == 4e5
            assert float(batch["y"].sum()) == 2e5


def test_memory_goes_back_when_arrays_are_gone():
    pipe = pipeline_of_batches(lambda: np.zeros((4, 100_000), np.float32))
    with GenericIterator(pipe, ["x"], size=400) as batches:
        addresses = set()
        for _ in range(20):
            array = next(batches)["x"]
            addresses.add(array.unsafe_buffer_pointer())
            del array
        assert len(addresses) < 10


def test_an_array_outlives_its_pipeline():
    pipe = pipeline_of_batches(lambda: np.full((4, 50_000), 7, np.float32))
    with GenericIterator(pipe, ["x"], size=400) as batches:
        array = next(batches)["x"]
    del pipe, batches
    gc.collect()
    assert float(array.min()) == float(array.max()) == 7


def resident_bytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def test_memory_stays_flat():
    pipe = pipeline_of_batches(lambda: np.zeros((4, 20_000), np.float32))
    with GenericIterator(pipe, ["x"], size=8000) as batches:
        for _ in range(100):
            next(batches)
        before = resident_bytes()
        for _ in range(1000):  # of 320 KB
            next(batches)
        assert resident_bytes() - before < 32 << 20


def test_valid_marks_padding(numbers):
    pipeline = numbers(3, 2, pad_last_batch=True)
    batches = list(GenericIterator(pipeline, ["x"], reader_name="Reader", with_valid=True))
    assert [batch["valid"].tolist() for batch in batches] == [[True, True], [True, False]]


def test_a_state_goes_on_in_the_middle_of_an_epoch(numbers):
    batches = GenericIterator(numbers(8, 2), ["x"], reader_name="Reader")
    next(batches)
    state = batches.state_dict()
    again = GenericIterator(numbers(8, 2), ["x"], reader_name="Reader")
    again.load_state_dict(state)
    assert [batch["x"].tolist() for batch in again] == [[[2], [3]], [[4], [5]], [[6], [7]]]


def test_what_cannot_be(numbers, feed):
    with pytest.raises(ArgumentError, match=r"no LastBatchPolicy\.PARTIAL"):
        GenericIterator(numbers(4, 2), ["x"], 4, last_batch_policy=LastBatchPolicy.PARTIAL)
    iterator = GenericIterator(feed([[np.ones(1), np.ones(2)]]), ["label"])
    with pytest.raises(ArgumentError, match=r"form no single tensor.* pad them, and return `fn"):
        next(iterator)
    with pytest.raises(TypeError, match="has no argument 'shardings'"):
        GenericIterator(numbers(4, 2), ["x"], 4, shardings=None)


def test_errors_carry_the_text_of_the_pipeline():
    def broken(sample):
        raise KeyError("the third column")

    with Pipeline(batch_size=2, num_threads=1) as pipe:
        data = fn.external_source(lambda: np.zeros((2, 3)))
        pipe.set_outputs(fn.python_function(data, function=broken))
    with GenericIterator(pipe, ["x"], size=4) as batches, pytest.raises(KeyError) as caught:
        next(batches)
    assert "the third column" in str(caught.value)
    assert any("fn.python_function" in note for note in caught.value.__notes__)


def test_the_module_says_what_is_missing():
    script = "import sys; sys.modules['jax'] = None; import penstock.plugin.jax"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert "penstock.plugin.jax needs JAX" in done.stderr


@pytest.mark.gpu
def test_gpu_batches_are_not_copied(numbered_files, pipelines):
    if jax.default_backend() != "gpu":
        pytest.skip("JAX sees no GPU")
    pipeline = Pipeline(batch_size=2, num_threads=1, device_id=0)
    with pipeline:
        _, label = fn.readers.file(files=numbered_files[:4], name="R")
        pipeline.set_outputs(label.gpu())
    pipelines.append(pipeline)
    (output,) = pipeline.run()
    assert jax.dlpack.from_dlpack(output).unsafe_buffer_pointer() == output.data_ptr()
    iterator = GenericIterator(pipeline, ["x"], 4, auto_reset=True)
    kept = [np.asarray(batch["x"] * 2) for _ in range(20) for batch in iterator]
    assert {int(array[1, 0] - array[0, 0]) for array in kept} == {2}
