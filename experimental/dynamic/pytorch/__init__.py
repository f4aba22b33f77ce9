"""Dynamic mode in programs of PyTorch: `ndd.pytorch.nodes` has nodes of torchdata."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    if name == "nodes":  # it needs torchdata
        return import_module(f"{__name__}.nodes")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
