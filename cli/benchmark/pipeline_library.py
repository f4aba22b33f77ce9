"""The libraries whose pipelines are measured: Penstock and NVIDIA DALI."""

from __future__ import annotations

import importlib
import warnings
from dataclasses import dataclass
from typing import Any

from ...engine.errors import MissingDependencyError


@dataclass(frozen=True)
class PipelineLibrary:
    """The modules of Penstock or DALI that define a pipeline."""

    name: str
    fn: Any
    types: Any
    tfrecord: object
    pipeline_def: Any


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
