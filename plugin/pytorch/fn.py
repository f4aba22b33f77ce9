"""PyTorch's functions in pipelines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...engine.graph.declaration import docstring, signature
from ...engine.graph.nodes import add_node
from ...engine.graph.operator import OPERATORS

__all__ = ["torch_python_function"]

_OPERATOR = OPERATORS["_torch_python_function"]


def torch_python_function(
    *inputs: Any, function: Callable[..., Any], name: str | None = None, **arguments: Any
) -> Any:
    outputs = add_node(_OPERATOR, inputs, {"function": function, **arguments}, name=name)
    return outputs[0].node.operator.wrap(outputs) if outputs else None


torch_python_function.__doc__ = docstring(_OPERATOR)
torch_python_function.__signature__ = signature(_OPERATOR)  # type: ignore[attr-defined]
