"""Dynamic mode in programs of PyTorch: `ndd.pytorch.nodes` has nodes of torchdata."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ....engine.errors import MissingDependencyError


def __getattr__(name: str) -> Any:
    if name == "nodes":  # it needs torchdata
        try:
            return import_module(f"{__name__}.nodes")
        except MissingDependencyError as error:  # `hasattr` knows no other error than this one
            raise AttributeError(str(error)) from error
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
