"""Batches on the CPU stay right while consumers hold them, copy them, and write into their own."""

from __future__ import annotations

import re
from contextlib import contextmanager

import numpy as np
import pytest

from penstock import fn, pipeline_def
from penstock.engine.processes import helper_processes
from penstock.engine.tensors import arena, memory
from penstock.readers import record_reader
from penstock.readers.npy import mapped_copies
from penstock.readers.reading import processes as reading_processes
from penstock.tests.engine.run.consumed_pipelines import (
    BATCH,
    BATCHES,
    CASES,
    given_batch,
    opened,
    stored_in,
)
from penstock.tests.engine.run.consumers import HostConsumer, alone, assert_same, views
from penstock.tests.readers.processes import assert_soon, settled_children

pytestmark = pytest.mark.usefixtures("importable_tests")


@pytest.fixture(autouse=True)
def tight_memory(tuned):
    """Let each request take the memory that came back last, and processes begin at once."""
    tuned(memory, SMALL=0, MAX_SIZE_FACTOR=float("inf"))
    tuned(helper_processes, WORTH_STARTING_SECONDS=0.0)


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    return stored_in(tmp_path_factory.mktemp("stored"))


@contextmanager
def closing_of(close):
    try:
        yield
    finally:
        close()


def compared(name, tree, root, **options):
    with opened(name, tree, root) as pipe:
        expected = alone(pipe.run, BATCHES)
    pipe = opened(name, tree, root, **options)
    assert_same(HostConsumer(pipe.run, pipe.close, views()).sums(BATCHES), expected)


@pytest.mark.parametrize("name", CASES)
def test_a_consumer_sees_what_a_pipeline_delivers_alone(name, photo_tree, stored):
    compared(name, photo_tree, stored)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["images", "whole images", "sounds", "windows of a cache"])
def test_results_of_worker_processes(name, photo_tree, stored):
    compared(name, photo_tree, stored, exec_processes=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["TFRecord", "RecordIO", "WebDataset", "LMDB", "large regions"])
def test_batches_that_processes_read(name, photo_tree, stored, tuned, monkeypatch):
    tuned(record_reader, MIN_CORES=1)
    tuned(mapped_copies, MIN_REGION_COST=0, MIN_LONG_RUNS_BYTES=0)
    monkeypatch.setattr(reading_processes, "processes_of_cores", lambda: 1)
    pipe = opened(name, photo_tree, stored)
    before = []

    def processes_read():
        before.append(len(pipe.run()))
        return re.search("of its own read|copied out of mapped files", str(pipe.stats()))

    with closing_of(pipe.close):
        assert_soon(processes_read)
        seen = HostConsumer(pipe.run, pipe.close, views()).sums(BATCHES)
    settled_children()
    with opened(name, photo_tree, stored) as pipe:
        assert_same(seen, alone(pipe.run, len(before) + BATCHES)[len(before) :])


@pytest.mark.parametrize("name", ["images", "arrays", "TFRecord", "a parallel function"])
def test_batches_beyond_the_arena_and_the_budget(name, photo_tree, stored, tuned):
    tuned(arena, MAX_ARENA_BYTES=1 << 21, MIN_ARENA_BYTES=1 << 18)
    compared(name, photo_tree, stored, prefetch_bytes=1)


@pytest.mark.parametrize("no_copy", [False, True])
def test_batches_that_are_fed(no_copy):
    @pipeline_def(batch_size=BATCH, num_threads=2)
    def define():
        data = fn.external_source(name="data", no_copy=no_copy)
        return data, fn.flip(data, vertical=1)

    def fed():
        pipe, numbers = define(), iter(range(BATCHES + 9))
        pipe.build()
        for _ in range(pipe.input_feed_count("data")):
            pipe.feed_input("data", given_batch(next(numbers)))
        pipe.schedule_run()

        def take():
            pipe.feed_input("data", given_batch(next(numbers)))
            pipe.schedule_run()
            return pipe.outputs()

        return take, pipe.close

    take, close = fed()
    with closing_of(close):
        expected = alone(take, BATCHES)
    assert_same(HostConsumer(*fed(), views()).sums(BATCHES), expected)


@pytest.mark.parametrize("name", ["images", "arrays of one shape", "a parallel source", "clips"])
def test_tensors_of_the_iterator(name, photo_tree, stored):
    pytest.importorskip("torch")
    from penstock.plugin.pytorch import DALIGenericIterator

    def iterated():
        pipe = opened(name, photo_tree, stored)
        pipe.build()
        names = [f"output {i}" for i in range(2 if name == "images" else 1)]
        iterator = DALIGenericIterator(pipe, names, dynamic_shape=True)
        return lambda: list(next(iterator)[0].values()), pipe.close

    take, close = iterated()
    with closing_of(close):
        expected = alone(take, BATCHES, list)
    assert_same(HostConsumer(*iterated(), [list]).sums(BATCHES), expected)


def test_batches_of_dynamic_mode(photo_tree):
    from penstock.experimental import dynamic as ndd

    def batches():
        reader = ndd.readers.File(file_root=photo_tree.root, random_shuffle=True, seed=1)
        while True:
            for encoded_files, labels in reader.next_epoch(batch_size=BATCH):
                yield ndd.resize(ndd.decoders.image(encoded_files), size=[120, 160]), labels

    shared_by = [
        lambda batch: [np.asarray(tensor) for tensor in batch.tensors],
        lambda batch: [np.from_dlpack(tensor) for tensor in batch.tensors],
    ]
    expected = alone(batches().__next__, BATCHES, shared_by[0])
    taken = batches()
    assert_same(HostConsumer(taken.__next__, taken.close, shared_by).sums(BATCHES), expected)


def test_a_source_that_writes_into_what_it_gave_away_is_noticed():
    arrays = list(np.zeros((BATCH, 64, 200), np.float32))

    def reused(number):
        for array in arrays:
            array.fill(number)
        return arrays

    @pipeline_def(batch_size=BATCH, num_threads=1)
    def define(no_copy):
        return fn.external_source(reused, no_copy=no_copy)

    with define(False) as pipe:
        expected = alone(pipe.run, BATCHES)
    pipe = define(True)
    seen = HostConsumer(pipe.run, pipe.close, views()).sums(BATCHES)
    with pytest.raises(AssertionError, match="samples differ: batch"):
        assert_same(seen, expected)
