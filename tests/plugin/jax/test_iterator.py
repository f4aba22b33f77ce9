"""JAX arrays from pipelines."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn

from ..conftest import column

jax = pytest.importorskip("jax")

from penstock.plugin.jax import DALIGenericIterator, GenericIterator, LastBatchPolicy  # noqa: E402


def test_epochs_of_dictionaries(numbers):
    with GenericIterator(numbers(6, 2), ["label"], reader_name="Reader", auto_reset=True) as it:
        for _ in range(2):
            epoch = [batch["label"] for batch in it]
            assert all(isinstance(array, jax.Array) for array in epoch)
            assert [array.shape for array in epoch] == [(2, 1)] * 3
    np.testing.assert_array_equal(epoch[1], column([2, 3]))


def test_arrays_stay_right_when_memory_is_used_again(feed):
    batches = [np.full((4, 50_000), k, np.float32) for k in range(30)]
    kept = [batch["x"] for batch in DALIGenericIterator(feed(batches), ["x"])]
    assert [float(array[0, 0]) for array in kept] == list(range(30))


def test_types(feed):
    for dtype in (np.uint8, np.int16, np.float16, np.bool_):
        (array,) = next(GenericIterator(feed([np.ones((4, 2), dtype)]), ["x"])).values()
        assert array.dtype == dtype


def test_one_device_of_a_sharding(numbers):
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("batch",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("batch"))
    batch = next(GenericIterator(numbers(4, 2), ["x"], reader_name="Reader", sharding=sharding))
    assert batch["x"].sharding == sharding
    np.testing.assert_array_equal(batch["x"], column([0, 1]))
    with pytest.raises(ArgumentError, match=r"2 pipelines were given for 1 device"):
        GenericIterator([numbers(4, 2), numbers(4, 2)], ["x"], 4, sharding=sharding)


def test_several_devices(numbers):
    devices = jax.local_devices()
    if len(devices) < 2:
        pytest.skip("one device; XLA_FLAGS=--xla_force_host_platform_device_count=2 makes two")
    mesh = jax.sharding.Mesh(np.array(devices[:2]), ("batch",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("batch"))
    shards = [numbers(8, 2, rank=i, ranks=2) for i in range(2)]
    batch = next(GenericIterator(shards, ["x"], reader_name="Reader", sharding=sharding))
    np.testing.assert_array_equal(batch["x"], column([0, 1, 4, 5]))


def test_valid_marks_padding(numbers):
    pipeline = numbers(3, 2, pad_last_batch=True)
    batches = list(GenericIterator(pipeline, ["x"], reader_name="Reader", with_valid=True))
    assert [batch["valid"].tolist() for batch in batches] == [[True, True], [True, False]]


def test_what_cannot_be(numbers, feed):
    with pytest.raises(ArgumentError, match=r"no LastBatchPolicy\.PARTIAL"):
        GenericIterator(numbers(4, 2), ["x"], 4, last_batch_policy=LastBatchPolicy.PARTIAL)
    iterator = GenericIterator(feed([[np.ones(1), np.ones(2)]]), ["label"])
    with pytest.raises(ArgumentError, match="form no single tensor"):
        next(iterator)


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
