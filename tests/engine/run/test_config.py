"""The pipeline's arguments."""

from __future__ import annotations

import os

import numpy as np
import pytest

from penstock import ArgumentError
from penstock.engine.run.config import PipelineConfig

DEPTHS = {"cpu_size": 1, "gpu_size": 2}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("batch_size", 0),
        ("batch_size", True),
        ("batch_size", 2.0),
        ("num_threads", 0),
        ("num_threads", "4"),
        ("prefetch_queue_depth", 0),
        ("prefetch_queue_depth", {"cpu_size": 1}),
        ("prefetch_queue_depth", {"cpu_size": 1, "gpu_size": 0}),
        ("prefetch_bytes", -1),
        ("prefetch_device_bytes", 0),
        ("on_error", "ignore"),
        ("seed", "today"),
        ("seed", 1.5),
        ("seed", 2**70),
        ("device_id", "0"),
        ("device_id", True),
        ("exec_pipelined", "no"),
        ("exec_async", "yes"),
        ("exec_processes", "never"),
        ("prefetch_bytes", 0.5),
        ("quarantine_log", 5),
    ],
)
def test_what_does_not_fit_is_named(name, value):
    with pytest.raises(ArgumentError, match=name):
        PipelineConfig(**{"batch_size": 4, name: value})


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("batch_size", np.int64(2), 2),
        ("num_threads", np.int32(2), 2),
        ("device_id", np.uint8(0), 0),
        ("seed", np.int64(5), 5),
        ("prefetch_queue_depth", np.int64(3), 3),
        ("prefetch_queue_depth", {"cpu_size": np.int8(1), "gpu_size": 2}, DEPTHS),
        ("prefetch_bytes", 1e9, 10**9),
        ("exec_pipelined", np.bool_(False), False),
        ("exec_async", 0, False),
    ],
)
def test_numbers_of_numpy_are_taken(name, value, wanted):
    result = getattr(PipelineConfig(**{"batch_size": 4, name: value}), name)
    assert result == wanted
    assert type(result) is type(wanted)


def test_how_many_batches_are_begun_ahead():
    both = {"cpu_size": 2, "gpu_size": 3}
    assert PipelineConfig(4).ahead(uses_gpu=False) == 2
    assert PipelineConfig(4).ahead(uses_gpu=True) == 4
    assert PipelineConfig(4, prefetch_queue_depth=both).ahead(uses_gpu=False) == 2
    assert PipelineConfig(4, prefetch_queue_depth=both).ahead(uses_gpu=True) == 5
    assert PipelineConfig(4, exec_async=False, prefetch_queue_depth=5).ahead(uses_gpu=True) == 1
    assert PipelineConfig(4, exec_pipelined=False).ahead(uses_gpu=False) == 1


def test_defaults():
    config = PipelineConfig(4)
    assert config.threads() == len(os.sched_getaffinity(0))
    assert config.log_path() is None
    assert config.chosen_seed() != config.chosen_seed()
    assert PipelineConfig(4, seed=0).chosen_seed() == 0
    assert PipelineConfig(4, seed=-1).chosen_seed() >= 0
