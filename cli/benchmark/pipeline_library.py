"""The libraries whose pipelines are measured: Penstock and NVIDIA DALI."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Sequence, Sized
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Protocol

from ...engine.errors import MissingDependencyError

Node = Any
"""A node of a graph of Penstock or DALI."""


class Runnable(Protocol):
    """A pipeline of Penstock or DALI."""

    def build(self) -> None:
        """Get ready to run."""

    def run(self) -> Sequence[Sized]:
        """Return the outputs of the next batch."""

    def reset(self) -> None:
        """Start over after an epoch."""


@dataclass(frozen=True)
class PipelineLibrary:
    """The modules of Penstock or DALI that define a pipeline."""

    name: str
    fn: ModuleType
    types: ModuleType
    tfrecord: object
    pipeline_def: Callable[..., Callable[[Callable[[], tuple[Node, ...]]], Callable[[], Runnable]]]


def load(package: str) -> PipelineLibrary:
    """Import a library by the name of its package.

    Raises:
        MissingDependencyError: the library is not installed.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # DALI warns of missing drivers and of new NumPys
            root = importlib.import_module(package)
            fn, types, tfrecord = (
                importlib.import_module(f"{package}.{name}") for name in ("fn", "types", "tfrecord")
            )
    except ImportError as error:
        raise MissingDependencyError(
            f"--compare needs {package} ({error}): pip install nvidia-dali-cuda130"
        ) from error
    return PipelineLibrary(
        "Penstock" if package == "penstock" else "DALI", fn, types, tfrecord, root.pipeline_def
    )
