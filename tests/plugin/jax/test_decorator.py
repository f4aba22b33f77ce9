"""Definitions that are decorated: what each pipeline gets."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from penstock import ArgumentError, fn, pipeline_def

jax = pytest.importorskip("jax", reason="the plugin of JAX needs JAX")

from jax.sharding import Mesh, NamedSharding  # noqa: E402
from jax.sharding import PartitionSpec as P  # noqa: E402

from penstock.plugin.jax import GenericIterator, data_iterator  # noqa: E402


@pytest.fixture
def read(numbered_files):
    """Return a definition that reads 16 numbers."""

    def definition(shard_id=0, num_shards=1, first=0):
        _, labels = fn.readers.file(
            files=numbered_files, name="Reader", shard_id=shard_id, num_shards=num_shards
        )
        return labels + first

    return definition


def column(batch):
    return np.asarray(batch["x"]).ravel().tolist()


def test_one_pipeline(read):
    made = data_iterator(read, ["x"], reader_name="Reader")
    assert made.__name__ == "definition"
    with made(batch_size=4, first=100) as batches:
        assert column(next(batches)) == [100, 101, 102, 103]
        assert isinstance(batches, GenericIterator)

    @data_iterator(output_map=["x"], reader_name="Reader", batch_form="tuple")
    def again(offset):
        return read(first=offset)

    with again(7, batch_size=2, num_threads=1) as batches:
        (x,) = next(batches)
    assert x.tolist() == [[7], [8]]


def test_definitions_that_have_options(read, cpus):
    definition = pipeline_def(batch_size=8, num_threads=1, enable_conditionals=True)(read)
    with data_iterator(definition, ["x"], reader_name="Reader")(first=1) as batches:
        assert column(next(batches)) == list(range(1, 9))
    with data_iterator(definition, ["x"], reader_name="Reader", devices=cpus)() as batches:
        assert column(next(batches)) == [0, 1, 4, 5, 8, 9, 12, 13]


def test_devices(read, cpus):
    made = data_iterator(read, ["x"], reader_name="Reader", devices=cpus)
    with made(batch_size=8) as batches:
        batch = next(batches)
        assert (len(batches), batches.batch_size) == (2, 2)
    assert batch["x"].shape == (4, 2, 1)
    assert column(batch) == [0, 1, 4, 5, 8, 9, 12, 13]
    with data_iterator(read, ["x"], reader_name="Reader", devices=cpus[2:])(batch_size=8) as some:
        assert column(next(some)) == [0, 1, 2, 3, 8, 9, 10, 11]


@pytest.mark.parametrize(
    ("spec", "first", "pipelines"),
    [
        (P(("data", "model")), [0, 1, 4, 5, 8, 9, 12, 13], 4),
        (P("data"), [0, 1, 2, 3, 8, 9, 10, 11], 2),
        (P(), list(range(8)), 1),
    ],
)
def test_a_pipeline_for_each_part_of_the_rows(read, cpus, spec, first, pipelines):
    sharding = NamedSharding(Mesh(np.array(cpus).reshape(2, 2), ("data", "model")), spec)
    made = data_iterator(read, ["x"], reader_name="Reader", sharding=sharding)
    with made(batch_size=8) as batches:
        batch = next(batches)
        assert batches.batch_size == 8 // pipelines
    assert column(batch) == first
    assert batch["x"].sharding == sharding


def test_the_sharding_of_most_parts_decides(read, cpus):
    mesh = Mesh(np.array(cpus).reshape(2, 2), ("data", "model"))
    shardings = {"x": NamedSharding(mesh, P("data")), "y": NamedSharding(mesh, P(None, "model"))}

    @data_iterator(output_map=["x", "y"], reader_name="Reader", sharding=shardings)
    def definition(shard_id, num_shards):
        labels = read(shard_id, num_shards)
        return labels, fn.cat(labels, labels)

    with definition(batch_size=4) as batches:
        batch = next(batches)
    assert column(batch) == [0, 1, 8, 9]
    assert batch["y"].tolist() == [[0, 0], [1, 1], [8, 8], [9, 9]]
    assert {name: array.sharding for name, array in batch.items()} == shardings


@pytest.mark.parametrize("count", [1, 4])
def test_checkpoints(read, cpus, count):
    made = data_iterator(read, ["x"], reader_name="Reader", devices=cpus[:count])
    with made(batch_size=4) as batches:
        next(batches)
        saved = batches.checkpoints()
        rest = [column(batch) for batch in batches]
    with made(batch_size=4, checkpoints=saved) as again:
        assert [column(batch) for batch in again] == rest
    with pytest.raises(ArgumentError, match=r"number of checkpoints provided \(7\) should match"):
        made(batch_size=4, checkpoints=saved[:1] * 7)


def test_mistakes(read, cpus):
    def without_shards():
        return read()

    for definition, options, call, message in [
        (read, {"devices": cpus, "sharding": NamedSharding}, {}, "Only one of `sharding` and"),
        (without_shards, {"devices": cpus}, {"batch_size": 4}, "must have the arguments shard_id"),
        (read, {"devices": cpus}, {"batch_size": 3}, "at least 4, but is 3"),
        (read, {"devices": cpus}, {}, "but is None"),
        (
            read,
            {"devices": cpus},
            {"batch_size": 4, "shard_id": 1},
            "the iterator chooses shard_id",
        ),
    ]:
        with pytest.raises(ArgumentError, match=message):
            data_iterator(definition, ["x"], reader_name="Reader", **options)(**call)


def test_the_decorator_has_the_arguments_of_the_iterator():
    of_iterator = inspect.signature(GenericIterator).parameters
    of_decorator = inspect.signature(data_iterator).parameters
    assert list(of_decorator)[1:9] == list(of_iterator)[1:9]
    assert of_iterator.keys() - of_decorator.keys() == {"pipelines", "unknown"}
    for name in of_decorator.keys() - {"pipeline_fn"}:
        assert f"{name}: " in data_iterator.__doc__
