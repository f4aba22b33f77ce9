"""TensorFlow with two devices, both of them the CPU."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from penstock import Pipeline, fn, types

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

with suppress(ImportError):
    import tensorflow as tf

    CPUS = [tf.config.LogicalDeviceConfiguration()] * 2
    tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], CPUS)


@pytest.fixture
def pairs(numbered_files: list[str], pipelines: list[Pipeline]) -> Callable[..., Pipeline]:
    """Makes a pipeline that outputs a number as float32 (batch, 1), and twice that number.

    The reader is called "Reader".
    """

    def make(count: int = 12, batch_size: int = 4, **options: Any) -> Pipeline:
        reader = {k: options.pop(k) for k in ("shard_id", "num_shards") if k in options}
        pipeline = Pipeline(batch_size, num_threads=1, seed=1, **options)
        with pipeline:
            _, label = fn.readers.file(
                files=numbered_files[:count], name="Reader", random_shuffle=True, **reader
            )
            number = fn.cast(label, dtype=types.FLOAT)
            pipeline.set_outputs(number, number * np.float32(2))
        pipelines.append(pipeline)
        return pipeline

    return make


def values(dataset: Any, output: int = 0) -> list[list[float]]:
    """Return the numbers of an output, batch by batch."""
    return [np.ravel(batch[output]).tolist() for batch in dataset]


def flat(batches: list[list[float]]) -> list[float]:
    """Return the numbers of all batches."""
    return [number for batch in batches for number in batch]
