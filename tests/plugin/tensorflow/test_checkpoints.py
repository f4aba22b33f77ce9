"""Iterators of TensorFlow that are saved and restored."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import CheckpointError, Pipeline, fn

from .conftest import flat, values

tf = pytest.importorskip("tensorflow", reason="TensorFlow is not installed")

from penstock.plugin.tf import DALIDataset  # noqa: E402


def rest(iterator):
    return [np.ravel(batch[0]).tolist() for batch in iterator]


@pytest.mark.parametrize("taken", [1, 2, 3])
@pytest.mark.parametrize("ahead", [0, 2])
def test_an_iterator_is_restored(pairs, tmp_path, taken, ahead):
    def batches():
        dataset = DALIDataset(pairs(enable_checkpointing=True), reader_name="Reader")
        return dataset.prefetch(ahead) if ahead else dataset

    dataset = batches()
    iterator = iter(dataset)
    for _ in range(taken):
        next(iterator)
    saver = tf.train.Checkpoint(iterator=iterator)
    path = saver.save(str(tmp_path / "run"))
    expected = rest(iterator)
    assert len(expected) == 3 - taken
    second = values(dataset)
    # TensorFlow asks for nothing more if all batches of the epoch were taken ahead.
    tells_the_end = ahead == 0 or taken == 1
    saver.restore(path)
    assert rest(iterator) == expected
    if tells_the_end:
        assert values(dataset) == second
    new = batches()  # as in another process
    iterator = iter(new)
    tf.train.Checkpoint(iterator=iterator).restore(path)
    assert rest(iterator) == expected
    if tells_the_end:
        assert values(new) == second


def test_iterators_take_turns(pairs):
    dataset = DALIDataset(pairs(enable_checkpointing=True), reader_name="Reader")
    first, second = iter(dataset), iter(dataset)
    batches = [next(each)[0].numpy().ravel().tolist() for _ in range(3) for each in (first, second)]
    for epoch in (batches[::2], batches[1::2]):
        assert sorted(flat(epoch)) == list(range(12))


def test_without_checkpointing_an_iterator_cannot_be_restored(pairs, tmp_path):
    iterator = iter(DALIDataset(pairs(), reader_name="Reader"))
    next(iterator)
    saver = tf.train.Checkpoint(iterator=iterator)
    path = saver.save(str(tmp_path / "run"))
    next(iterator)
    saver.restore(path)
    with pytest.raises(tf.errors.InvalidArgumentError, match="enable_checkpointing=True"):
        next(iterator)


def test_a_data_set_is_restored(pairs):
    dataset = DALIDataset(pairs(), reader_name="Reader")
    iterator = iter(dataset)
    next(iterator)
    saved = dataset.state_dict()
    expected = rest(iterator)
    second = values(dataset)
    new = DALIDataset(pairs(), reader_name="Reader")
    new.load_state_dict(saved)
    assert [values(new), values(new)] == [expected, second]
    with pytest.raises(CheckpointError, match="not what state_dict"):
        new.load_state_dict({})


def test_inputs_are_saved_with_the_iterator(pipelines, tmp_path):
    pipeline = Pipeline(batch_size=2, num_threads=1, enable_checkpointing=True, seed=3)
    pipelines.append(pipeline)
    with pipeline:
        noise = fn.random.uniform(range=[0.0, 1.0])
        pipeline.set_outputs(fn.external_source(name="numbers"), noise)
    inputs = {"numbers": tf.data.Dataset.range(12)}
    dataset = DALIDataset(pipeline, (tf.int64, tf.float32), input_datasets=inputs)
    iterator = iter(dataset)
    next(iterator)
    saver = tf.train.Checkpoint(iterator=iterator)
    path = saver.save(str(tmp_path / "run"))
    expected = [[each.numpy().tolist() for each in batch] for batch in iterator]
    assert [numbers for numbers, _ in expected] == [[2, 3], [4, 5], [6, 7], [8, 9], [10, 11]]
    saver.restore(path)
    assert [[each.numpy().tolist() for each in batch] for batch in iterator] == expected
