"""Penstock reads deep-learning data sets, decodes them on CPU or GPU, and hands out batches.

    from penstock import fn, pipeline_def, types

The names and arguments are those of NVIDIA DALI, so a pipeline ports by changing its import.
"""

import os as _os
import sys as _sys
from importlib import import_module as _import_module
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING as _TYPE_CHECKING

from .engine import backend, tensors, types
from .engine.errors import (
    ArgumentError,
    CheckpointError,
    DecodeError,
    LayoutError,
    MissingDependencyError,
    PenstockError,
    PipelineStopped,
    SerializationError,
    SourceError,
    WorkerError,
)
from .engine.graph import nodes as data_node
from .engine.graph.index_keys import newaxis
from .engine.graph.nodes import DataNode
from .engine.graph.operator import OPERATORS as _OPERATORS
from .engine.pipeline import definition as pipeline
from .engine.pipeline.definition import pipeline_def
from .engine.pipeline.pipeline import Pipeline
from .engine.run import pickling
from .engine.run.config import PipelineConfig
from .engine.run.policies import OperatorConcurrency, StreamPolicy
from .operators.elementwise import math_functions as math
from .plugin import native_plugins as plugin_manager

# By default CUDA has eight connections to a device. A pipeline has more streams, so some shared a
# connection with the model's stream, and waited for all work that the model had queued.
_os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "32")

# The modules that pipelines import by DALI's names. A file types.py or math.py at the root of a
# checkout would shadow Python's own for every program started there, and the others are not
# worth one each: all have another home and get their public names here.
_sys.modules |= {
    f"{__name__}.{name}": module
    for name, module in {
        "backend": backend,
        "backend_impl": backend,
        "data_node": data_node,
        "math": math,
        "pickling": pickling,
        "pipeline": pipeline,
        "pipeline.experimental": pipeline.experimental,
        "plugin_manager": plugin_manager,
        "sysconfig": plugin_manager,
        "tensors": tensors,
        "types": types,
    }.items()
}
backend_impl = backend
sysconfig = plugin_manager

_OPERATORS.modules = tuple(
    f"{__name__}.{part}.table" for part in ("composite", "decoders", "operators", "readers")
)

from . import fn, ops, tfrecord  # noqa: E402

if _TYPE_CHECKING:
    from . import auto_aug, extend

__version__ = "0.1.0"

__all__ = [
    "ArgumentError",
    "CheckpointError",
    "DataNode",
    "DecodeError",
    "LayoutError",
    "MissingDependencyError",
    "OperatorConcurrency",
    "PenstockError",
    "Pipeline",
    "PipelineConfig",
    "PipelineStopped",
    "SerializationError",
    "SourceError",
    "StreamPolicy",
    "WorkerError",
    "__version__",
    "auto_aug",
    "backend",
    "backend_impl",
    "data_node",
    "extend",
    "fn",
    "math",
    "newaxis",
    "ops",
    "pickling",
    "pipeline",
    "pipeline_def",
    "plugin_manager",
    "sysconfig",
    "tensors",
    "tfrecord",
    "types",
]


def __getattr__(name: str) -> _ModuleType:
    if name in ("auto_aug", "extend"):  # they need operators that not every process needs
        return _import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
