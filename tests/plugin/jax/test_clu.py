"""Iterators that show the next batch before it is taken."""

from __future__ import annotations

import importlib
import json
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from penstock import ArgumentError, fn
from penstock.engine.errors import CheckpointError, MissingDependencyError

jax = pytest.importorskip("jax", reason="the plugin of JAX needs JAX")
dataset_iterator = pytest.importorskip(
    "clu.data.dataset_iterator", reason="iterators with a look ahead need CLU"
)

from jax.sharding import Mesh, NamedSharding  # noqa: E402
from jax.sharding import PartitionSpec as P  # noqa: E402

from penstock.plugin.jax import clu  # noqa: E402
from penstock.plugin.jax.clu import (  # noqa: E402
    DALIGenericPeekableIterator,
    PeekableIterator,
    peekable_data_iterator,
)


def peekable(pipeline, **options):
    return PeekableIterator(pipeline, ["x"], reader_name="Reader", **options)


def values(batch):
    return np.asarray(batch["x"]).ravel().tolist()


EPOCH = [[0, 1], [2, 3], [4, 5]]


def test_a_peek_takes_nothing(numbers):
    batches = peekable(numbers(6, 2))
    assert values(batches.peek()) == values(batches.peek()) == EPOCH[0]
    for expected in EPOCH:
        assert values(batches.peek()) == expected
        assert values(batches.peek_async().result()) == expected
        assert values(next(batches)) == expected
    with pytest.raises(StopIteration):
        batches.peek()
    batches.close()


@pytest.mark.parametrize("look", [lambda it: it.peek(), lambda it: it.element_spec])
def test_loops_begin_with_the_batch_that_was_shown(numbers, look):
    with peekable(numbers(6, 2), auto_reset=True) as batches:
        for _ in range(3):
            look(batches)
            assert len(batches) == 3
            assert [values(batch) for batch in batches] == EPOCH


def test_the_last_batch_may_be_shown(numbers):
    batches = peekable(numbers(6, 2))
    assert [values(next(batches)) for _ in range(2)] == EPOCH[:2]
    assert values(batches.peek()) == EPOCH[2]
    assert [values(batch) for batch in batches] == EPOCH[2:]
    assert [values(batch) for batch in batches] == EPOCH


def test_reset(numbers):
    batches = peekable(numbers(6, 2))
    batches.peek()
    batches.reset()
    assert [values(batch) for batch in batches] == EPOCH
    for batch in batches:
        assert values(batch) == EPOCH[0]
        batches.peek()
        break
    batches.reset()
    assert [values(batch) for batch in batches] == EPOCH


def test_element_spec(numbers):
    spec = dataset_iterator.ArraySpec(dtype=jax.numpy.int32, shape=(2, 1))
    batches = peekable(numbers(6, 2), batch_form="tuple", with_valid=True)
    assert batches.element_spec == (spec, dataset_iterator.ArraySpec(np.bool_, (2,)))
    assert peekable(numbers(6, 2)).element_spec == {"x": spec}


@pytest.mark.parametrize("second", [np.zeros((4, 3)), np.zeros((4, 2), np.uint8)])
def test_two_shapes_are_refused(feed, second):
    batches = PeekableIterator(feed([np.zeros((4, 2)), second]), ["x"])
    next(batches)
    with pytest.raises(ValueError, match="shape or type of the output changed between iterations"):
        batches.peek()


def test_clu_takes_it(numbers):
    batches = peekable(numbers(6, 2))
    assert isinstance(batches, dataset_iterator.DatasetIterator)
    wrapped = dataset_iterator.PeekableDatasetIterator(batches)
    assert values(wrapped.peek()) == EPOCH[0]
    assert [values(batch) for batch in wrapped] == EPOCH
    wrapped.reset()
    assert values(next(wrapped)) == EPOCH[0]


def test_checkpoints(numbers, tmp_path):
    batches = peekable(numbers(6, 2))
    next(batches)
    batches.save(tmp_path / "state")
    batches.peek()
    with pytest.raises(RuntimeError, match="not supported for peekable iterators with peeked data"):
        batches.checkpoints()
    again = peekable(numbers(6, 2))
    again.peek()
    again.restore(str(tmp_path / "state"))
    assert [values(batch) for batch in again] == EPOCH[1:]
    for text in ("{", json.dumps({"x": 1})):
        (tmp_path / "state").write_text(text)
        with pytest.raises(CheckpointError):
            again.restore(tmp_path / "state")


@pytest.mark.parametrize(
    ("pads", "last"), [(True, [True, False, False]), (False, [True, False, False])]
)
def test_padding_is_marked(numbers, pads, last):
    batches = peekable(numbers(7, 3, pad_last_batch=pads))
    with pytest.raises(ArgumentError, match="none was taken yet"):
        _ = batches.is_nonpadding
    marks = []
    for _ in range(3):
        next(batches)
        marks.append(batches.is_nonpadding.tolist())
    assert marks == [[True] * 3] * 2 + [last]


def test_what_is_shown_changes_no_marks(numbers):
    batches = peekable(numbers(3, 2, pad_last_batch=True))
    next(batches)
    batches.peek()
    assert batches.is_nonpadding.tolist() == [True, True]


def test_marks_are_divided_as_the_outputs(numbers, cpus):
    pipelines = [numbers(7, 2, rank=i, ranks=2, pad_last_batch=True) for i in range(2)]
    sharding = NamedSharding(Mesh(np.array(cpus[:2]), ("batch",)), P("batch"))
    batches = peekable(pipelines, sharding=sharding)
    for _ in batches:
        marks = batches.is_nonpadding
    assert marks.sharding == sharding
    assert marks.tolist() == [True, False, True, True]


def test_threads_take_each_batch_once(numbers):
    with peekable(numbers(16, 1)) as batches, ThreadPoolExecutor(4) as threads:

        def take(i):
            batches.peek()
            return values(next(batches))

        taken = list(threads.map(take, range(16)))
    assert sorted(taken) == [[i] for i in range(16)]


def test_the_decorator(numbered_files):
    @peekable_data_iterator(output_map=["x"], reader_name="Reader")
    def definition(count):
        return fn.readers.file(files=numbered_files[:count], name="Reader")[1]

    with definition(6, batch_size=2) as batches:
        assert isinstance(batches, DALIGenericPeekableIterator)
        assert values(batches.peek()) == EPOCH[0]


def test_the_module_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "clu.data.dataset_iterator", None)
    with pytest.raises(MissingDependencyError, match=r"penstock\.plugin\.jax\.clu needs CLU"):
        importlib.reload(clu)
