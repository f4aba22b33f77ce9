"""Pipelines for NVIDIA Triton: which one of a module is stored.

    from penstock.plugin.triton import autoserialize

    @autoserialize
    @pipeline_def(batch_size=16, num_threads=2)
    def inference(): ...

`invoke_autoserialize` stores the pipeline. `penstock serve export` writes a whole model for Triton.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, TypeVar

from ...engine.pipeline.definition import decorator_options

__all__ = ["autoserialize", "invoke_autoserialize"]

_MARK = "_is_autoserialize"

Function = TypeVar("Function", bound=Callable[..., Any])


def autoserialize(dali_pipeline: Function) -> Function:
    """Mark the function whose pipeline `invoke_autoserialize` stores.

    Args:
        dali_pipeline: a function with the decorator `pipeline_def`. The call needs no arguments.

    Raises:
        TypeError: `dali_pipeline` is no such function.
    """
    if decorator_options(dali_pipeline) is None:
        raise TypeError("Only `@pipeline_def` can be decorated with `@triton.autoserialize`.")
    setattr(dali_pipeline, _MARK, True)
    return dali_pipeline


def invoke_autoserialize(head_module: ModuleType, filename: str | os.PathLike[str]) -> None:
    """Store the pipeline that is marked in a module, or in the modules which that one has imported.

    Args:
        head_module: the module.
        filename: of the file to write: see `Pipeline.serialize`.

    Raises:
        RuntimeError: not exactly one function is marked.
        SerializationError: the pipeline cannot be stored.
    """
    marked = list({id(function): function for function in _marked_functions(head_module)}.values())
    if len(marked) != 1:
        names = ", ".join(f"{function.__module__}.{function.__qualname__}" for function in marked)
        raise RuntimeError(
            "Precisely one autoserialize function must exist in the module. Found "
            + (f"{len(marked)}: {names}." if marked else "none.")
        )
    marked[0]().serialize(filename=filename)


def _marked_functions(head: ModuleType) -> Iterator[Callable[..., Any]]:
    found, waiting = {id(head)}, [head]
    while waiting:
        for value in list(vars(waiting.pop()).values()):
            if isinstance(value, ModuleType) and id(value) not in found:
                found.add(id(value))
                waiting.append(value)
            elif getattr(value, "__dict__", {}).get(_MARK) is True:
                yield value
