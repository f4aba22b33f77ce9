"""Arrays of JAX from pipelines: their memory, types, and what cannot be."""

from __future__ import annotations

import gc
import subprocess
import sys
from types import MappingProxyType

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn
from penstock.engine.tensors.alignment import aligned

jax = pytest.importorskip("jax", reason="the plugin of JAX needs JAX")

from penstock.plugin.jax import (  # noqa: E402
    GenericIterator,
)
from penstock.testing.iterators import IteratorConformance  # noqa: E402


class TestGenericIterator(IteratorConformance):
    iterator = GenericIterator
    tensor = jax.Array
    dtypes = MappingProxyType({"int64": "int32", "uint64": "uint32", "float64": "float32"})


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


def test_what_cannot_be(numbers, feed):
    iterator = GenericIterator(feed([[np.ones(1), np.ones(2)]]), ["label"])
    with pytest.raises(ArgumentError, match=r"form no single tensor.* pad them, and return `fn"):
        next(iterator)
    with pytest.raises(TypeError, match="has no argument 'shardings'"):
        GenericIterator(numbers(4, 2), ["x"], 4, shardings=None)


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
