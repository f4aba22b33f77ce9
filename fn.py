"""The operators as functions: `fn.readers.file(...)`, `fn.resize(images, ...)`.

Each takes nodes of the graph and returns one, or a tuple where the operator has several
outputs. A list of nodes in place of an input applies the operator to each of its members.
The functions are made from the operators' declarations; `fn.pyi` holds their signatures.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from . import decoders as _decoders
from . import operators as _operators
from . import readers as _readers
from .engine.declaration import docstring, signature
from .engine.errors import ArgumentError
from .engine.graph import DataNode, add_node
from .engine.names import not_among, unknown
from .engine.operator import Operator, public_operators


class Namespace(SimpleNamespace):
    """A group of operators, as in `fn.readers`."""

    def __repr__(self) -> str:
        return f"<operators {', '.join(sorted(vars(self)))}>"

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"there is no operator {not_among(name, vars(self))}", name=name, obj=self
        )


def apply(
    kind: type[Operator], inputs: tuple[Any, ...], arguments: dict[str, Any], name: str | None
) -> Any:
    """Add the operator to the graph; return its output, or a tuple, or None if it has none.

    For lists of several nodes as inputs, return a list of such results.
    """
    if kind.positional and inputs:
        arguments = {**_by_name(kind, inputs), **arguments}
        inputs = ()
    lists = [value for value in inputs if _is_list_of_nodes(value)]
    if lists:
        if len(set(map(len, lists))) > 1:
            raise ArgumentError(
                f"fn.{kind.name}: lists of inputs must have one length, not {[*map(len, lists)]}"
            )
        sets = [
            tuple(value[i] if _is_list_of_nodes(value) else value for value in inputs)
            for i in range(len(lists[0]))
        ]
        results = [apply(kind, each, arguments, None) for each in sets]
        return results if len(results) > 1 else results[0]
    given = {key: value for key, value in arguments.items() if value is not None}
    while inputs and inputs[-1] is None:
        inputs = inputs[:-1]
    outputs = add_node(kind, inputs, given, name=name)
    return outputs[0].node.operator.wrap(outputs) if outputs else None


def _is_list_of_nodes(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(member, DataNode) for member in value)


def _by_name(kind: type[Operator], values: tuple[Any, ...]) -> dict[str, Any]:
    if len(values) > len(kind.positional):
        raise ArgumentError(
            f"fn.{kind.name} takes {', '.join(kind.positional)} by position, but was given "
            f"{len(values)} values"
        )
    return dict(zip(kind.positional, values, strict=False))


def _function(kind: type[Operator]) -> Callable[..., Any]:
    def function(*inputs: Any, name: str | None = None, **arguments: Any) -> Any:
        return apply(kind, inputs, arguments, name)

    function.__name__ = function.__qualname__ = kind.name.rpartition(".")[2]
    function.__doc__ = docstring(kind)
    function.__signature__ = signature(kind)  # type: ignore[attr-defined]
    return function


_FUNCTIONS: dict[type[Operator], Callable[..., Any]] = {}


def function_of(kind: type[Operator]) -> Callable[..., Any]:
    """Return the function that an operator is here, with its docstring and signature."""
    if kind not in _FUNCTIONS:
        _FUNCTIONS[kind] = _function(kind)
    return _FUNCTIONS[kind]


def _publish() -> list[str]:
    public = set()
    for groups, name, kind in public_operators():
        holder = globals()
        for group in groups:
            holder = vars(holder.setdefault(group, Namespace()))
        holder[name] = function_of(kind)
        public.add((*groups, name)[0])
    return sorted(public)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"there is no operator {unknown(name, __all__)}")


__all__ = _publish()

_ = (_decoders, _operators, _readers)  # imported for their operators
