"""Keras, with the backend that KERAS_BACKEND names, or the first that is installed."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from penstock import Pipeline, fn, types

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
if "KERAS_BACKEND" not in os.environ:
    for name in ("torch", "jax", "tensorflow"):
        if importlib.util.find_spec(name) is not None:
            os.environ["KERAS_BACKEND"] = name
            break


@pytest.fixture
def pairs(numbered_files: list[str], pipelines: list[Pipeline]) -> Callable[..., Pipeline]:
    """Makes a pipeline that outputs a number as float32 (batch, 1), and twice that number.

    The reader is called "Reader".
    """

    def make(count: int = 12, batch_size: int = 4, **reader: Any) -> Pipeline:
        pipeline = Pipeline(batch_size, num_threads=1, seed=1)
        with pipeline:
            _, label = fn.readers.file(
                files=numbered_files[:count], name="Reader", random_shuffle=True, **reader
            )
            number = fn.cast(label, dtype=types.FLOAT)
            pipeline.set_outputs(number, number * np.float32(2))
        pipelines.append(pipeline)
        return pipeline

    return make
