"""Dynamic mode: operators without a pipeline, for tensors and batches that are there.

    from penstock.experimental import dynamic as ndd

    image = ndd.resize(ndd.imread("cat.jpg"), size=[224, 224])

The functions are the operators of `fn`. Each takes tensors, batches, arrays and numbers, runs at
once, and returns a tensor, a batch, or a tuple of them. Readers are classes, in `ndd.readers`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from ...engine.graph.declaration import camel_case
from ...engine.graph.index_keys import newaxis
from ...engine.graph.namespaces import Namespace
from ...engine.graph.operator import Operator
from . import capture, checkpoint, element_types
from .batch import Batch
from .contexts import EvalContext, get_current_stream, set_current_stream
from .conversion import as_batch, as_tensor, batch, tensor
from .cuda_streams import Stream, get_default_stream, set_default_stream, stream
from .devices import Device, device
from .element_types import DType, dtype, type_id
from .functions import function_of, is_here, is_reader
from .images import imread
from .math_functions import math_module
from .modes import EvalMode
from .reading import reader_class
from .sources import ExternalSource
from .tensor import Tensor
from .thread_pools import ThreadPool, get_num_threads, set_num_threads

__all__ = [
    "Batch",
    "DType",
    "Device",
    "EvalContext",
    "EvalMode",
    "ExternalSource",
    "Stream",
    "Tensor",
    "ThreadPool",
    "as_batch",
    "as_tensor",
    "batch",
    "capture",
    "checkpoint",
    "device",
    "dtype",
    "get_current_stream",
    "get_default_stream",
    "get_num_threads",
    "imread",
    "math",
    "newaxis",
    "set_current_stream",
    "set_default_stream",
    "set_num_threads",
    "stream",
    "tensor",
    "type_id",
]

globals().update({name: getattr(element_types, name) for name in element_types.NAMES})
__all__ += element_types.NAMES


class _Group(Namespace):
    """Operators as functions, and readers, which are classes."""

    home = __name__

    @staticmethod
    def member(operator_class: type[Operator], called: str) -> Any:
        """Return the class of a reader, or the function of another operator."""
        if is_reader(operator_class):
            return reader_class(operator_class)
        return function_of(operator_class, called)

    def _operators(self) -> dict[str, tuple[type[Operator], str] | None]:
        members = super()._operators().items()
        return {
            (camel_case(name) if member is not None and is_reader(member[0]) else name): member
            for name, member in members
            if member is None or is_here(*member)
        }

    def __getattr__(self, name: str) -> Any:
        if name == "pytorch" and not self._groups:  # only programs of PyTorch need it
            return import_module(f"{__name__}.pytorch")
        return super().__getattr__(name)

    def __dir__(self) -> list[str]:
        own = {"random": _OF_RANDOM, "": (*__all__, "pytorch")}.get(".".join(self._groups), ())
        return sorted({*super().__dir__(), *own})


_OF_RANDOM = ("RNG", "get_default_rng", "set_seed")
math: ModuleType = math_module(f"{__name__}.math")
sys.modules[math.__name__] = math
sys.modules[__name__].__class__ = _Group
