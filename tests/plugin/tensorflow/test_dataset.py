"""`DALIDataset`: epochs, dtypes and shapes, memory, errors."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn

from .conftest import flat, values

tf = pytest.importorskip("tensorflow", reason="TensorFlow is not installed")

from penstock.plugin import tf as penstock_tf  # noqa: E402
from penstock.plugin.tf import DALIDataset  # noqa: E402
from penstock.plugin.tf.specs import fitted  # noqa: E402


def test_each_iterator_is_an_epoch(pairs):
    dataset = DALIDataset(pairs(), reader_name="Reader")
    assert len(dataset) == 3
    epochs = [values(dataset) for _ in range(3)]
    assert all(sorted(flat(epoch)) == list(range(12)) for epoch in epochs)
    assert epochs[0] != epochs[1] != epochs[2]
    assert [len(epoch) for epoch in values_of_tuples(dataset.repeat(2))] == [4] * 6


def values_of_tuples(dataset):
    return [np.ravel(first) for first, _ in dataset]


def test_loops_in_functions_and_behind_other_data_sets(pairs):
    dataset = DALIDataset(pairs(), reader_name="Reader")

    @tf.function
    def total():
        result = 0.0
        for number, twice in dataset:
            result += tf.reduce_sum(number) + tf.reduce_sum(twice)
        return result

    assert [float(total()) for _ in range(2)] == [198.0, 198.0]
    mapped = dataset.map(lambda number, twice: number + twice).prefetch(2).take(2)
    assert [batch.shape for batch in mapped] == [(4, 1)] * 2
    assert sorted(flat(values(dataset))) == list(range(12))  # the loop above was broken off


def test_graphs_of_the_first_tensorflow(pairs):
    with tf.Graph().as_default():
        dataset = DALIDataset(pairs(), reader_name="Reader")
        iterator = tf.compat.v1.data.make_initializable_iterator(dataset)
        number, twice = iterator.get_next()
        with tf.compat.v1.Session() as session:
            session.run(iterator.initializer)
            batches = [session.run((number, twice)) for _ in range(3)]
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(number)
    assert all((2 * a == b).all() for a, b in batches)
    assert sorted(np.ravel([a for a, _ in batches])) == list(range(12))


def test_without_an_epoch_a_reader_has_no_end(pairs):
    dataset = DALIDataset(pairs(), (tf.float32, tf.float32), ((4, 1), (4,)))
    assert [spec.shape.as_list() for spec in dataset.element_spec] == [[4, 1], [4]]
    assert int(dataset.cardinality()) == tf.data.UNKNOWN_CARDINALITY
    assert sum(1 for _ in dataset.take(10)) == 10


def test_sources_end_the_loop_and_start_over(feed_numbers):
    dataset = DALIDataset(feed_numbers(lambda i: i))
    assert values(dataset) == [[0] * 4, [1] * 4, [2] * 4] == values(dataset)


def test_sources_of_one_run_have_their_first_batch_too(feed_numbers):
    dataset = DALIDataset(feed_numbers(iter(range(3))))  # the first batch has told the dtype
    assert values(dataset) == [[0] * 4, [1] * 4, [2] * 4]


def test_a_look_at_the_first_batch_takes_nothing(pairs):
    dataset = DALIDataset(pairs(), reader_name="Reader")
    state = dataset.state_dict()
    first = np.ravel(next(iter(dataset))[0]).tolist()
    epoch = values(dataset)
    assert epoch[0] == first
    assert sorted(flat(epoch)) == list(range(12))
    again = DALIDataset(pairs(), reader_name="Reader")
    again.load_state_dict(state)
    assert values(again) == epoch


@pytest.mark.parametrize(
    "dtype",
    ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int64", "float16", "float64"],
)
def test_dtypes(feed, dtype):
    rows = np.arange(12).reshape(4, 3).astype(dtype)
    (batch,) = DALIDataset(feed([rows]))
    assert batch[0].dtype == tf.as_dtype(dtype)
    np.testing.assert_array_equal(batch[0], rows)


def test_tensors_share_the_pipeline_s_memory():
    seen = []

    def image():
        return np.ones((64, 64, 3), np.uint8)

    pipeline = Pipeline(batch_size=8, num_threads=1)
    with pipeline:
        pipeline.set_outputs(fn.flip(fn.external_source(image, batch=False), horizontal=1))
    dataset = DALIDataset(pipeline)
    run = pipeline.run
    pipeline.run = lambda: seen.append(run()) or seen[-1]
    for (batch,), _ in zip(dataset.skip(1), range(3), strict=False):
        address = np.asarray(batch).ctypes.data
        assert address in [outputs[0].as_array().ctypes.data for outputs in seen]
        assert address % 64 == 0


def test_memory_that_is_not_aligned_is_copied(feed):
    memory = np.zeros(4 * 1000 + 1, np.float32)
    rows = memory[1:].reshape(4, 1000)
    rows[:] = np.arange(1000)
    assert rows.ctypes.data % 64
    for (batch,) in DALIDataset(feed([rows] * 3)):
        np.testing.assert_array_equal(tf.sqrt(batch) * 0 + batch, rows)


def test_kept_batches_stay_right(feed):
    batches = [np.full((4, 50_000), k, np.float32) for k in range(20)]
    kept = [batch for (batch,) in DALIDataset(feed(batches))]
    assert [float(batch[3, -1]) for batch in kept] == list(range(20))


def test_memory_does_not_grow():
    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    pipeline = Pipeline(batch_size=4, num_threads=1)
    with pipeline:
        pipeline.set_outputs(fn.constant(fdata=[1.0], shape=[64, 256]) + np.float32(1))
    dataset = DALIDataset(pipeline)
    sizes = []
    for i, _ in enumerate(dataset.take(1000)):
        if i in (100, 999):
            sizes.append(resident())
    assert sizes[1] - sizes[0] < 64 << 20  # of 1000 batches, 250 MiB
    pipeline.close()


def test_the_pipeline_goes_with_the_data_set(pairs, pipelines):
    dataset = DALIDataset(pairs(), reader_name="Reader")
    pipeline = weakref.ref(pipelines.pop())
    mapped = dataset.map(lambda number, twice: number)
    del dataset
    assert len(list(mapped)) == 3  # the mapped data set keeps it
    del mapped
    gc.collect()
    assert pipeline() is None


def test_one_iterator_at_a_time(pairs):
    dataset = DALIDataset(pairs(), reader_name="Reader")
    first = iter(dataset)
    next(first), next(first)
    second = iter(dataset)
    next(second)
    with pytest.raises(tf.errors.InvalidArgumentError, match="another iterator of the same data"):
        next(first)
    next(second)


def test_errors_of_the_pipeline_arrive_whole(pipelines):
    def source(sample):
        if sample.idx_in_epoch == 9:
            raise ValueError("record 9 of shard.tar " + "is damaged " * 500 + "at its end")
        return np.zeros(3, np.float32)

    pipeline = Pipeline(batch_size=4, num_threads=1)
    pipelines.append(pipeline)
    with pipeline:
        pipeline.set_outputs(fn.external_source(source, batch=False, name="samples"))
    iterator = iter(DALIDataset(pipeline))
    assert next(iterator)[0].shape == (4, 3)
    next(iterator)
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        next(iterator)
    for part in ("record 9 of shard.tar", "damaged at its end", "sample 1 of batch 2", "'samples'"):
        assert part in str(caught.value)
    with pytest.raises(tf.errors.OpError, match="an earlier error stopped the pipeline"):
        next(iterator)


def test_samples_of_several_shapes_are_refused(feed):
    ragged = [np.zeros((i + 1, 2), np.float32) for i in range(4)]
    dataset = DALIDataset(feed([ragged]), tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"output at index 0 .* not uniform"):
        next(iter(dataset))
    single = [[np.zeros((i + 1, 2), np.float32)] for i in range(4)]
    dataset = DALIDataset(feed(single, batch_size=1), tf.float32, (None, 2))
    assert [batch.shape for (batch,) in dataset] == [(1, 2), (2, 2), (3, 2), (4, 2)]


def test_declared_dtypes_and_shapes_are_checked(feed):
    rows = np.zeros((4, 1, 3), np.int32)
    for dtype, shape, match in [
        (tf.float32, None, r"Expected \(output_types\[0\]\): float32, got .*: int32"),
        (tf.int32, (4, 1, 4), r"Expected \(output_shapes\[0\]\): \(4, 1, 4\), .* \(4, 1, 3\)"),
        (tf.int32, (4, 4), "not compatible with the shape"),
        (tf.int32, (5, 1, 3), "not compatible with the shape"),
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=match):
            next(iter(DALIDataset(feed([rows]), dtype, shape)))
    for shape in [None, (None, 3), (4, None, 3), (4, 3)]:
        ((batch,),) = DALIDataset(feed([rows]), tf.int32, shape)
        assert batch.shape == ((4, 3) if shape and len(shape) == 2 else (4, 1, 3))


@pytest.mark.parametrize(
    ("shape", "declared", "result"),
    [
        ((1, 5, 1), (5,), (5,)),
        ((1, 1, 1), (), ()),
        ((2, 1, 1), (None, 1), (2, 1)),
        ((0, 3), (None, 3), (0, 3)),
        ((2, 3), (6,), None),
        ((1, 2, 1), (1, 2, 1, 1), None),
    ],
)
def test_extents_of_one_may_be_left_out(shape, declared, result):
    array, spec = np.zeros(shape), tf.TensorSpec(declared, tf.float64)
    if result is None:
        with pytest.raises(ArgumentError, match="not compatible"):
            fitted(array, spec, 0)
    else:
        assert fitted(array, spec, 0).shape == result


def test_batches_of_other_sizes(feed):
    rows = [np.zeros((n, 2), np.float32) for n in (4, 4, 1)]
    dataset = DALIDataset(feed(rows))
    assert dataset.element_spec[0].shape.as_list() == [None, 2]
    assert [batch.shape[0] for (batch,) in dataset] == [4, 4, 1]


def test_arguments(pairs):
    with pytest.raises(TypeError, match=r"should be provided as single tf\.DType"):
        DALIDataset(pairs(), ("float32", "float32"))
    with pytest.raises(TypeError, match="`output_dtypes` should be provided"):
        DALIDataset(pairs(), output_shapes=((4, 1), (4, 1)))
    with pytest.raises(ValueError, match=r"same sequence length.* length 1.* length 2"):
        DALIDataset(pairs(), (tf.float32, tf.float32), ((4, 1),))
    with pytest.raises(ValueError, match=r"same sequence length.* is no tuple: 4,"):
        DALIDataset(pairs(), (tf.float32, tf.float32), 4)
    with pytest.raises(ArgumentError, match=r"has 2 output\(s\), but output_dtypes declares 1"):
        DALIDataset(pairs(), tf.float32)
    with pytest.raises(TypeError, match="pipeline must be a Pipeline"):
        DALIDataset("pipeline")
    with pytest.raises(ArgumentError, match="Both arguments were provided"):
        DALIDataset(pairs(), (tf.float32,), dtypes=tf.float32)
    with pytest.warns(DeprecationWarning, match="Use of argument `dtypes` is deprecated"):
        dataset = DALIDataset(pairs(), dtypes=[tf.float32, tf.float32])
    assert dataset.element_spec[1].shape.rank is None


def test_arguments_of_the_pipeline(pairs):
    pipeline = pairs()
    dataset = DALIDataset(pipeline, batch_size=3, num_threads=2, reader_name="Reader")
    assert (pipeline.max_batch_size, pipeline.num_threads) == (3, 2)
    assert [len(batch) for batch in values(dataset)] == [3] * 4
    pipeline = pairs()
    DALIDataset(pipeline, exec_separated=True, cpu_prefetch_queue_depth=5)
    assert (pipeline.cpu_queue_size, pipeline.gpu_queue_size) == (5, 2)
    pipeline.build()
    DALIDataset(pipeline, batch_size=4)
    with pytest.raises(ArgumentError, match=r"is built with {'batch_size': 4}, so it cannot take"):
        DALIDataset(pipeline, batch_size=5)


def test_outputs_with_names(pipelines, numbered_files):
    pipeline = Pipeline(batch_size=4, num_threads=1)
    pipelines.append(pipeline)

    def definition():
        _, label = fn.readers.file(files=numbered_files[:8], name="Reader")
        return {"label": label, "twice": label * np.int32(2)}

    pipeline.define(definition)
    dataset = DALIDataset(pipeline, reader_name="Reader")
    assert list(dataset.element_spec) == ["label", "twice"]
    for batch in dataset:
        np.testing.assert_array_equal(2 * batch["label"], batch["twice"])


def test_partial_batches(pairs):
    dataset = DALIDataset(pairs(10), reader_name="Reader", last_batch_policy="partial")
    assert [len(batch) for batch in values(dataset)] == [4, 4, 2]


def test_outputs_on_any_device_come_to_the_host(device, pipelines):
    rows = np.arange(8, dtype=np.float32).reshape(4, 2)
    pipeline = Pipeline(batch_size=4, num_threads=1)
    pipelines.append(pipeline)
    with pipeline:
        pipeline.set_outputs(fn.external_source(lambda i: rows, device=device))
    for (batch,) in DALIDataset(pipeline, tf.float32).take(3):
        np.testing.assert_array_equal(batch, rows)


def test_operator_of_the_first_tensorflow(pairs):
    operator = penstock_tf.DALIIterator()
    with tf.Graph().as_default():
        tensors = operator(
            pipeline=pairs(), shapes=[(4, 1), (4,)], dtypes=[tf.float32] * 2, num_threads=1
        )
        assert [tensor.shape.as_list() for tensor in tensors] == [[4, 1], [4]]
        with tf.compat.v1.Session() as session:
            batches = [session.run(tensors) for _ in range(3)]
    assert sorted(np.ravel([number for number, _ in batches])) == list(range(12))
    stored = pairs().serialize()
    number, _ = operator(serialized_pipeline=stored, dtypes=[tf.float32] * 2, batch_size=2)
    assert number.shape == (2, 1)


def test_the_raw_operator_takes_stored_pipelines_with_two_queues(pairs):
    number, _, *rest = penstock_tf.DALIRawIterator()(
        serialized_pipeline=pairs().serialize(),
        shapes=[(4, 1), (4,)],
        dtypes=[tf.float32] * 2,
        exec_separated=True,
        cpu_prefetch_queue_depth=3,
        gpu_prefetch_queue_depth=1,
    )
    assert number.shape == (4, 1)
    assert not rest
    indices, values, extents, _ = penstock_tf.DALIRawIterator()(
        serialized_pipeline=pairs().serialize(), dtypes=[tf.float32] * 2, sparse=[True, False]
    )
    assert (indices.shape[0], values.shape, extents.numpy().tolist()) == (4, (4,), [4, 1])


def test_the_operator_takes_unknown_shapes_and_makes_sparse_tensors(pipelines):
    rows = [np.full((n, 2), n, np.float32) for n in (1, 3, 2)]
    pipeline = Pipeline(batch_size=3, num_threads=1)
    pipelines.append(pipeline)
    with pipeline:
        numbers = fn.external_source(lambda: [np.array([n]) for n in (5, 6, 7)])
        pipeline.set_outputs(numbers, fn.external_source(lambda: rows))
    operator = penstock_tf.DALIIterator()
    with tf.Graph().as_default():
        numbers, boxes = operator(
            pipeline=pipeline,
            shapes=[(), ()],
            dtypes=[tf.int64, tf.float32],
            sparse=[False, True],
        )
        assert numbers.shape.rank is None
        dense = tf.sparse.to_dense(boxes)
        with tf.compat.v1.Session() as session:
            numbers, boxes, dense = session.run((numbers, boxes, dense))
    assert numbers.tolist() == [[5], [6], [7]]
    assert boxes.dense_shape.tolist() == [3, 3, 2]
    assert len(boxes.indices) == len(boxes.values) == 12
    for row, padded in zip(rows, dense, strict=True):
        np.testing.assert_array_equal(padded[: len(row)], row)
        assert not padded[len(row) :].any()


def test_what_programs_ask_first():
    assert penstock_tf.dataset_compatible_tensorflow()
    assert penstock_tf.dataset_inputs_compatible_tensorflow()
    assert penstock_tf.dataset_distributed_compatible_tensorflow()
    assert not penstock_tf.dataset_options().autotune.enabled
