"""Arguments of the iterators that contradict their pipelines, and the messages."""

from __future__ import annotations

import pytest

from penstock import ArgumentError, Pipeline
from penstock.plugin.arguments import as_names
from penstock.plugin.arrays import ClassificationIterator, GenericIterator


def test_names():
    assert as_names("one", []) == ["one"]
    assert as_names(("a", "b"), []) == ["a", "b"]
    with pytest.raises(ArgumentError, match="must differ"):
        as_names(["a", "a"], [])


@pytest.fixture
def named(pipelines):
    """Makes a pipeline whose definition returns a dict."""

    def make(**outputs):
        pipeline = Pipeline(batch_size=2, num_threads=1)
        pipeline.define(lambda: outputs)
        pipelines.append(pipeline)
        return pipeline

    return make


def test_names_of_the_pipeline(named):
    (batch,) = next(GenericIterator(named(image=5, label=[1, 2])))
    assert {name: array.tolist() for name, array in batch.items()} == {
        "image": [5, 5],
        "label": [[1, 2], [1, 2]],
    }
    (batch,) = next(GenericIterator(named(image=5, label=6), ["x", "y"]))
    assert list(batch) == ["x", "y"]
    (batch,) = next(ClassificationIterator(named(image=5, target=6)))
    assert list(batch) == ["data", "label"]
    with pytest.raises(ArgumentError, match="with_valid=True adds 'valid', a name that"):
        GenericIterator(named(valid=5), with_valid=True)


def test_pipelines_with_other_names(named):
    with pytest.raises(ArgumentError, match=r"same output_names.*\('a',\), \('b',\)"):
        GenericIterator([named(a=1), named(b=1)], size=4)


def test_outputs_without_names(numbers):
    with pytest.raises(ArgumentError, match=r"have no names: give output_map.* or return a dict"):
        GenericIterator(numbers(4, 2))


@pytest.mark.parametrize("pipelines", [None, [], "pipeline", [None]])
def test_no_pipelines(pipelines):
    with pytest.raises(ArgumentError, match="must be a Pipeline or a list"):
        GenericIterator(pipelines, ["label"])


@pytest.mark.parametrize("size", [0, -2])
def test_sizes_that_are_none(numbers, size):
    with pytest.raises(ArgumentError, match="size must be the number of samples"):
        GenericIterator(numbers(5, 2), ["label"], size=size)


@pytest.mark.parametrize("also", [{"size": 5}, {"last_batch_padded": True}])
def test_a_reader_tells_the_size_by_itself(numbers, also):
    with pytest.raises(ArgumentError, match="omit these"):
        GenericIterator(numbers(5, 2), ["label"], reader_name="Reader", **also)


def test_a_reader_that_is_not_there(numbers):
    with pytest.raises(ArgumentError, match="no reader named 'Raeder'"):
        GenericIterator(numbers(5, 2), ["label"], reader_name="Raeder")


def test_several_pipelines_of_unknown_size(numbers):
    with pytest.raises(ArgumentError, match="give reader_name or size"):
        GenericIterator([numbers(5, 2), numbers(5, 2)], ["label"])


def test_pipelines_with_different_batch_sizes(numbers):
    with pytest.raises(ArgumentError, match=r"same batch_size, but they have \[2, 3\]"):
        GenericIterator([numbers(5, 2), numbers(5, 3)], ["label"], size=10)


@pytest.mark.parametrize(
    ("second", "named"),
    [
        ({"count": 7}, "epoch_size"),
        ({"ranks": 3}, "number_of_shards"),
        ({"pad_last_batch": True}, "pad_last_batch"),
        ({"stick_to_shard": True}, "stick_to_shard"),
    ],
)
def test_readers_that_disagree(numbers, second, named):
    other = numbers(**{"count": 6, "batch_size": 2, "rank": 1, "ranks": 2, **second})
    with pytest.raises(ArgumentError, match=f"same {named} in reader 'Reader'"):
        GenericIterator([numbers(6, 2, 0, 2), other], ["label"], reader_name="Reader")
