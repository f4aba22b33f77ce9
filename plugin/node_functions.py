"""Operators as functions of a plugin, beside those of `fn`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.graph.declaration import docstring, signature
from ..engine.graph.nodes import add_node
from ..engine.graph.operator import Operator


def node_function(operator_class: type[Operator]) -> Callable[..., Any]:
    """Return a function that adds the operator to the graph, and returns its outputs."""

    def function(*inputs: Any, name: str | None = None, **arguments: Any) -> Any:
        given = {key: value for key, value in arguments.items() if value is not None}
        outputs = add_node(operator_class, inputs, given, name=name)
        return outputs[0].node.operator.wrap(outputs) if outputs else None

    function.__name__ = function.__qualname__ = operator_class.called.rpartition(".")[2]
    function.__doc__ = docstring(operator_class)
    function.__signature__ = signature(operator_class)  # type: ignore[attr-defined]
    return function
