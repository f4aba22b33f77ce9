"""The read-only properties of a pipeline."""

from __future__ import annotations

import pytest

from penstock import ArgumentError, OperatorConcurrency, Pipeline, StreamPolicy, types
from penstock.engine.pipeline.properties import PipelineProperties

from ..toys import Numbers, call, make

KEYS = {
    "epoch_size",
    "epoch_size_padded",
    "number_of_shards",
    "shard_id",
    "pad_last_batch",
    "stick_to_shard",
}


def readers(**options):
    one = call(Numbers, size=20, name="one", **{"num_shards": 2, "shard_id": 1, **options})
    return one[0], call(Numbers, size=7, name="two")[1]


def test_arguments_can_be_read_but_not_changed():
    pipe = make(readers, batch_size=3, num_threads=2, seed=11, prefetch_queue_depth=4)
    assert isinstance(pipe, PipelineProperties)
    assert (pipe.batch_size, pipe.max_batch_size, pipe.num_threads) == (3, 3, 2)
    assert (pipe.seed, pipe.prefetch_queue_depth, pipe.device_id) == (11, 4, None)
    assert (pipe.exec_async, pipe.exec_pipelined) == (True, True)
    for name in ("batch_size", "seed", "num_outputs", "is_restored_from_checkpoint"):
        with pytest.raises(AttributeError):
            setattr(pipe, name, 1)


def test_a_drawn_seed_is_shown():
    pipe = Pipeline(batch_size=1, num_threads=1)
    assert pipe.seed == pipe.seed
    assert pipe.seed >= 0


def test_readers_are_described_by_name_and_build_the_pipeline():
    with make(readers, batch_size=3) as pipe:
        metas = pipe.reader_meta()
        assert set(metas) == {"one", "two"}
        assert set(metas["one"]) == KEYS
        one = pipe.reader_meta("one")
        assert (one["epoch_size"], one["number_of_shards"], one["shard_id"]) == (20, 2, 1)
        assert pipe.epoch_size() == {"one": 20, "two": 7}
        assert pipe.epoch_size("two") == 7
        assert pipe.class_names() == {"one": {}, "two": {}}
        assert pipe.num_outputs == 2


def test_padding_counts_in_the_size_of_an_epoch():
    with make(lambda: readers(pad_last_batch=True, num_shards=3)) as pipe:
        assert pipe.reader_meta("one")["epoch_size"] == 20
        assert pipe.epoch_size()["one"] == 21


def test_an_unknown_reader_is_refused_with_the_names_that_there_are():
    with make(readers) as pipe:
        for ask in (pipe.reader_meta, pipe.epoch_size):
            with pytest.raises(ArgumentError, match=r"named 'three'; there are \['one', 'two'\]"):
                ask("three")


def test_a_restored_pipeline_says_so():
    with make(readers) as pipe:
        pipe.run()
        saved = pipe.checkpoint()
        assert not pipe.is_restored_from_checkpoint
    assert make(readers, checkpoint=saved).is_restored_from_checkpoint


def test_arguments_without_effect_can_be_read_with_dali_s_defaults():
    pipe = Pipeline(batch_size=1, num_threads=1)
    assert (pipe.cpu_queue_size, pipe.gpu_queue_size) == (2, 2)
    assert (pipe.exec_dynamic, pipe.exec_separated, pipe.enable_memory_stats) == (
        True,
        False,
        False,
    )
    assert (pipe.max_streams, pipe.default_cuda_stream_priority) == (-1, 0)
    assert (pipe.py_num_workers, pipe.py_start_method, pipe.set_affinity) == (1, "fork", False)
    assert (pipe.stream_policy, pipe.concurrency) == (None, None)


def test_arguments_without_effect_are_shown_as_given():
    pipe = Pipeline(
        batch_size=1,
        num_threads=1,
        prefetch_queue_depth={"cpu_size": 3, "gpu_size": 4},
        exec_dynamic=False,
        max_streams=5,
        default_cuda_stream_priority=-1,
        py_num_workers=2,
        py_start_method="spawn",
        set_affinity=True,
        stream_policy=StreamPolicy.PER_OPERATOR,
        concurrency=OperatorConcurrency.FULL,
    )
    assert (pipe.cpu_queue_size, pipe.gpu_queue_size, pipe.exec_separated) == (3, 4, True)
    assert (pipe.exec_dynamic, pipe.max_streams, pipe.default_cuda_stream_priority) == (
        False,
        5,
        -1,
    )
    assert (pipe.py_num_workers, pipe.py_start_method, pipe.set_affinity) == (2, "spawn", True)
    assert pipe.stream_policy is StreamPolicy.PER_OPERATOR
    assert pipe.concurrency is OperatorConcurrency.FULL
    assert not Pipeline(batch_size=1, experimental_exec_dynamic=False).exec_dynamic
    assert not Pipeline(batch_size=1, exec_pipelined=False).exec_dynamic


def test_declared_outputs_can_be_asked_for():
    pipe = make(readers, output_dtype=[types.INT64, None], output_ndim=1)
    assert pipe.output_dtype() == [types.INT64, None]
    assert pipe.output_ndim() == [1, 1]
    assert make(readers).output_dtype() == [None, None]
    with pytest.raises(ArgumentError, match="output_ndim lists 3 values for 2 outputs"):
        make(readers, output_ndim=[1, 2, 3]).output_ndim()
