"""Pipelines whose batches are known: numbered files, and batches made by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from penstock import ArgumentError, Pipeline, fn
from penstock.engine.graph.inputs import FedInput
from penstock.engine.graph.nodes import add_node

Rows = NDArray[Any] | list[NDArray[Any]]
Numbers = Callable[..., Pipeline]
Feed = Callable[..., Pipeline]

MOST = 16


@pytest.fixture(scope="session")
def numbered_files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Files of which file i holds the byte i."""
    folder = tmp_path_factory.mktemp("numbered")
    for i in range(MOST):
        (folder / str(i)).write_bytes(bytes([i]))
    return [str(folder / str(i)) for i in range(MOST)]


@pytest.fixture
def pipelines() -> Iterator[list[Pipeline]]:
    """Pipelines to be closed after the test."""
    made: list[Pipeline] = []
    yield made
    for pipeline in made:
        pipeline.close()


@pytest.fixture
def numbers(numbered_files: list[str], pipelines: list[Pipeline]) -> Numbers:
    """Makes a pipeline that outputs the number of each of `count` files, int32 (batch, 1)."""

    def make(
        count: int, batch_size: int, rank: int = 0, ranks: int = 1, **options: Any
    ) -> Pipeline:
        checkpoint = options.pop("checkpoint", None)
        pipeline = Pipeline(batch_size, num_threads=1, seed=1, checkpoint=checkpoint)
        with pipeline:
            _, label = fn.readers.file(
                files=numbered_files[:count],
                name="Reader",
                shard_id=rank,
                num_shards=ranks,
                **options,
            )
            pipeline.set_outputs(label)
        pipelines.append(pipeline)
        return pipeline

    return make


@pytest.fixture
def feed(pipelines: list[Pipeline]) -> Feed:
    """Makes a pipeline that outputs the given batches, then ends."""

    def make(batches: Sequence[Rows], batch_size: int = 4, rewinds: bool = True) -> Pipeline:
        class Batches(FedInput):
            name = "_batches"

            def open(self, batch_size: int, state: Any) -> None:
                self.taken = 0

            def feed(self, data: Any, layout: str | None, cuda_stream: Any) -> None:
                raise ArgumentError("this source has its batches already")

            def fetch(self, number: int, batch_size: int) -> int:
                if self.taken == len(batches):
                    raise StopIteration
                self.taken += 1
                return len(batches[self.taken - 1])

            def batch(self, batch: Any) -> Any:
                return batches[self.taken - 1]

            def reset(self) -> None:
                self.taken = 0 if rewinds else self.taken

            def output_layouts(self) -> tuple[str, ...]:
                return ("",)

        pipeline = Pipeline(batch_size=batch_size, num_threads=1)
        pipeline.define(lambda: add_node(Batches, (), {}))
        pipelines.append(pipeline)
        return pipeline

    return make


@pytest.fixture
def feed_numbers(pipelines: list[Pipeline]) -> Feed:
    """Makes a pipeline over a source of numbers: a function of the batch's number, or items.

    It outputs batches of 4 copies of each number below 3, int64 (batch, 1), then ends.
    """

    def make(source: Any, **options: Any) -> Pipeline:
        def batch(number: Any) -> NDArray[Any]:
            if number >= 3:
                raise StopIteration
            return np.full((4, 1), number)

        data = (lambda i: batch(source(i))) if callable(source) else map(batch, source)
        pipeline = Pipeline(batch_size=4, num_threads=1, **options)
        with pipeline:
            pipeline.set_outputs(fn.external_source(source=data, name="source"))
        pipelines.append(pipeline)
        return pipeline

    return make


def column(values: Sequence[int]) -> NDArray[np.int32]:
    """Return `values` as int32 of shape (len(values), 1)."""
    return np.array(values, np.int32)[:, np.newaxis]
