"""Data sets of TensorFlow that feed pipelines."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn

tf = pytest.importorskip("tensorflow", reason="TensorFlow is not installed")

from penstock.plugin.tf import DALIDataset  # noqa: E402
from penstock.plugin.tf.experimental import DALIDatasetWithInputs, Input  # noqa: E402


@pytest.fixture
def fed(pipelines):
    """Makes a pipeline of placeholders, each of which is padded."""

    def make(batch_size=3, **placeholders):
        pipeline = Pipeline(batch_size, num_threads=1)
        pipelines.append(pipeline)
        with pipeline:
            sources = [fn.external_source(name=k, **v) for k, v in placeholders.items()]
            pipeline.set_outputs(*(fn.pad(source) for source in sources))
        return pipeline

    return make


def samples(count):
    """Return a data set in which sample i is a row of i + 1 times i."""
    return tf.data.Dataset.range(count).map(tf.autograph.experimental.do_not_convert(row))


def row(i):
    return tf.fill([i + 1], i)


def test_samples_of_several_shapes(fed):
    dataset = DALIDatasetWithInputs(
        fed(a={}), tf.int64, (None, None), input_datasets={"a": samples(7)}
    )
    for _ in range(2):  # each iterator starts the inputs over
        batches = [batch.numpy() for (batch,) in dataset]
        np.testing.assert_array_equal(batches[0], [[0, 0, 0], [1, 1, 0], [2, 2, 2]])
        assert [batch.shape for batch in batches] == [(3, 3), (3, 6)]  # one sample is left out


def test_batches_and_samples(fed):
    whole = tf.data.Dataset.from_tensor_slices(np.arange(24, dtype=np.int16).reshape(4, 3, 2))
    scalars = tf.data.Dataset.range(100)
    inputs = {"a": Input(whole, batch=True), "b": scalars, "c": Input(whole, batch=None)}
    dataset = DALIDataset(
        fed(a={}, b={}, c={}), (tf.int16, tf.int64, tf.int16), input_datasets=inputs
    )
    batches = list(dataset)
    assert len(batches) == 4  # the shortest input ends them
    for i, (a, b, c) in enumerate(batches):
        np.testing.assert_array_equal(a, np.arange(6).reshape(3, 2) + 6 * i)
        np.testing.assert_array_equal(a, c)
        np.testing.assert_array_equal(b, np.arange(3) + 3 * i)


def test_records_of_encoded_images(photo_tree, tmp_path, pipelines):
    paths = [str(path) for path in photo_tree.files[:4]]
    with tf.io.TFRecordWriter(str(tmp_path / "photos")) as writer:
        for path in paths:
            writer.write(tf.io.read_file(path).numpy())
    pipeline = Pipeline(batch_size=4, num_threads=1)
    pipelines.append(pipeline)
    with pipeline:
        encoded = fn.external_source(name="encoded")
        pipeline.set_outputs(fn.resize(fn.decoders.image(encoded), size=(32, 32)))
    records = tf.data.TFRecordDataset(str(tmp_path / "photos"))
    ((images,),) = DALIDataset(pipeline, tf.uint8, input_datasets={"encoded": records})
    with Pipeline(batch_size=4, num_threads=1) as other:
        encoded, _ = fn.readers.file(files=paths)
        other.set_outputs(fn.resize(fn.decoders.image(encoded), size=(32, 32)))
        (expected,) = other.run()
    np.testing.assert_array_equal(images, expected.as_array())


def test_layouts(fed):
    for placeholder, layout in [({}, "XY"), ({"layout": "XY"}, None)]:
        pipeline = fed(a=placeholder)
        dataset = tf.data.Dataset.from_tensors(np.zeros((2, 3))).repeat(3)
        run, seen = pipeline.run, []
        pipeline.run = lambda run=run, seen=seen: seen.append(run()) or seen[-1]
        list(DALIDataset(pipeline, tf.float64, input_datasets={"a": Input(dataset, layout=layout)}))
        assert [outputs[0].layout() for outputs in seen] == ["XY"]


def test_inputs_in_graphs_of_the_first_tensorflow(fed):
    with tf.Graph().as_default():
        dataset = DALIDataset(fed(a={}), tf.int64, input_datasets={"a": samples(6)})
        batch = tf.compat.v1.data.make_one_shot_iterator(dataset).get_next()[0]
        with tf.compat.v1.Session() as session:
            assert [session.run(batch).shape for _ in range(2)] == [(3, 3), (3, 6)]


def test_inputs_beside_a_source(pipelines):
    pipeline = Pipeline(batch_size=2, num_threads=1)
    pipelines.append(pipeline)
    with pipeline:
        counted = fn.external_source(lambda i: [np.int64(i)] * 2, name="counted")
        pipeline.set_outputs(fn.external_source(name="a") + counted)
    dataset = DALIDataset(pipeline, tf.int64, input_datasets={"a": tf.data.Dataset.range(6)})
    assert [batch.numpy().tolist() for (batch,) in dataset] == [[0, 1], [3, 4], [6, 7]]


def test_what_is_refused(fed, pipelines):
    numbers = tf.data.Dataset.range(9)
    for inputs in ["a", numbers, [numbers], {"a": "text"}, {3: numbers}]:
        with pytest.raises(TypeError, match="`input_datasets` must be a dictionary that maps"):
            DALIDataset(fed(a={}), tf.int64, input_datasets=inputs)
    with pytest.raises(TypeError, match="must be instances of"):
        Input([1, 2])
    with pytest.raises(ArgumentError, match=r"not assigned any inputs(.|\n)*\['b'\]"):
        DALIDataset(fed(a={}, b={}), (tf.int64,) * 2, input_datasets={"a": numbers})
    with pytest.raises(ArgumentError, match="placeholder node with name='c'"):
        DALIDataset(fed(a={}), tf.int64, input_datasets={"a": numbers, "c": numbers})
    source = fed(a={"source": lambda: [1, 2, 3]})
    with pytest.raises(ArgumentError, match="because it has a `source`"):
        DALIDataset(source, tf.int64, input_datasets={"a": numbers})
    with pytest.raises(ArgumentError, match="need output_dtypes"):
        DALIDataset(fed(a={}), input_datasets={"a": numbers})
    pair = tf.data.Dataset.zip((numbers, numbers))
    with pytest.raises(ArgumentError, match="one tensor in each element"):
        DALIDataset(fed(a={}), tf.int64, input_datasets={"a": pair})
    texts = tf.data.Dataset.from_tensors(["x", "y"])
    with pytest.raises(ArgumentError, match="takes strings as samples"):
        DALIDataset(fed(a={}), tf.uint8, input_datasets={"a": texts})
    with pytest.raises(ArgumentError, match="``num_outputs`` is only valid when using ``source``"):
        DALIDataset(fed(a={"num_outputs": 1}), tf.int64, input_datasets={"a": numbers})
    unnamed = Pipeline(batch_size=3, num_threads=1)
    pipelines.append(unnamed)
    with unnamed:
        unnamed.set_outputs(fn.external_source())
    with pytest.raises(ArgumentError, match="that was not named"):
        DALIDataset(unnamed, tf.int64, input_datasets={})


def test_wrong_data_of_an_input(fed):
    dataset = DALIDataset(fed(a={"ndim": 2}), tf.int64, input_datasets={"a": samples(6)})
    with pytest.raises(tf.errors.InvalidArgumentError, match="declared to have 2 dimensions"):
        next(iter(dataset))


@pytest.mark.parametrize("source_first", [True, False])
def test_a_source_that_ends_before_the_inputs(pipelines, source_first):
    def counting(i):
        if i == 2:
            raise StopIteration
        return [np.int64(0)] * 2

    pipeline = Pipeline(batch_size=2, num_threads=1)
    pipelines.append(pipeline)
    with pipeline:
        zeros = fn.external_source(counting) if source_first else None
        numbers = fn.external_source(name="numbers")
        zeros = zeros if source_first else fn.external_source(counting)
        pipeline.set_outputs(numbers + zeros)
    inputs = {"numbers": tf.data.Dataset.range(12)}
    dataset = DALIDataset(pipeline, tf.int64, input_datasets=inputs)
    for _ in range(3):
        assert [batch.numpy().tolist() for (batch,) in dataset] == [[0, 1], [2, 3]]
