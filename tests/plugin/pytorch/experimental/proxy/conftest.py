"""Pipelines and data sets that call a proxy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the proxy is a part of PyTorch's plugin")

from penstock import Pipeline, fn  # noqa: E402  (only where PyTorch is)
from penstock.plugin.pytorch.experimental import proxy  # noqa: E402


class Items(torch.utils.data.Dataset):
    """Item i is what a function makes of i."""

    def __init__(self, function: Callable[[int], Any], size: int = 10) -> None:
        self.function = function
        self.size = size

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, i: int) -> Any:
        return self.function(i)


@pytest.fixture
def items() -> type[Items]:
    return Items


@pytest.fixture
def serve() -> Iterator[Callable[..., proxy.DALIServer]]:
    """Makes servers of definitions; closes the pipelines after the test."""
    pipelines: list[Pipeline] = []

    def make(
        define: Callable[[], Any] = doubled,
        batch_size: int = 4,
        deterministic: bool = False,
        **options: Any,
    ) -> proxy.DALIServer:
        pipeline = Pipeline(batch_size, num_threads=1, seed=5, **options)
        pipelines.append(pipeline)
        with pipeline:
            outputs = define()
            pipeline.set_outputs(*(outputs if isinstance(outputs, tuple) else (outputs,)))
        return proxy.DALIServer(pipeline, deterministic)

    yield make
    for pipeline in pipelines:
        pipeline.close()


def doubled() -> Any:
    return fn.external_source(name="numbers") * 2


def row(i: int) -> np.ndarray[Any, Any]:
    """Return the array of item i, int32 (3,)."""
    return np.full(3, i, np.int32)


@pytest.fixture(name="row")
def row_of() -> Callable[[int], np.ndarray[Any, Any]]:
    return row
