"""Operators as functions that add nodes to the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import ArgumentError
from .callers import warn_of_deprecation
from .declaration import docstring, signature
from .nodes import DataNode, add_node, set_of_call
from .operator import Operator


def apply(
    operator_class: type[Operator],
    inputs: tuple[Any, ...],
    arguments: dict[str, Any],
    name: str | None,
) -> Any:
    """Add the operator to the graph; return its output, or a list, or None if it has none.

    For lists of several nodes as inputs, return a list of each output's results.
    """
    called = operator_class.called
    if operator_class.positional and inputs:
        arguments = {**_by_name(operator_class, inputs), **arguments}
        inputs = ()
    lists = [value for value in inputs if _is_list_of_nodes(value)]
    if lists:
        if len(set(map(len, lists))) > 1:
            raise ArgumentError(
                f"All argument lists for Multiple Input Sets used with operator "
                f"'{called.removeprefix('fn.')}' must have the same length. They have "
                f"{[*map(len, lists)]} nodes"
            )
        sets = [
            tuple(value[i] if _is_list_of_nodes(value) else value for value in inputs)
            for i in range(len(lists[0]))
        ]
        if len(sets) == 1:
            return apply(operator_class, sets[0], arguments, name)
        call, results = object(), []
        for i, each in enumerate(sets):
            with set_of_call(call):
                own_name = None if name is None else f"{name}[{i}]"
                results.append(apply(operator_class, each, arguments, own_name))
        several = isinstance(results[0], list)
        return [[*outputs] for outputs in zip(*results, strict=True)] if several else results
    given = operator_class.by_current_names(
        {key: value for key, value in arguments.items() if value is not None}
    )
    while inputs and inputs[-1] is None:
        inputs = inputs[:-1]
    outputs = add_node(operator_class, inputs, given, name=name)
    return _result(outputs[0].node.operator, outputs) if outputs else None


def _result(operator: Operator, outputs: tuple[DataNode, ...]) -> Any:
    """Return what `wrap` makes of the operator's own outputs, with those that a base adds."""
    names = operator.added_outputs()
    own = len(outputs) - len(names)
    result = operator.wrap(outputs[:own])
    if not names:
        return result
    if isinstance(result, dict):
        return result | dict(zip(names, outputs[own:], strict=True))
    return [*(result if isinstance(result, list) else [result]), *outputs[own:]]


def _is_list_of_nodes(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(member, DataNode) for member in value)


def _by_name(operator_class: type[Operator], values: tuple[object, ...]) -> dict[str, Any]:
    names = operator_class.positional
    if len(values) > len(names):
        raise ArgumentError(
            f"{operator_class.called} takes {', '.join(names)} by position, but was given "
            f"{len(values)} values"
        )
    return dict(zip(names, values, strict=False))


def _function(operator_class: type[Operator], called: str) -> Callable[..., object]:
    def function(*inputs: object, name: str | None = None, **arguments: object) -> Any:
        if called != operator_class.name:
            warn_of_deprecation(f"fn.{called} is deprecated; use fn.{operator_class.name}")
        return apply(operator_class, inputs, arguments, name)

    *groups, last = called.split(".")
    function.__name__ = function.__qualname__ = last
    function.__module__ = ".".join((_FN, *groups))  # where programs find it, and pickle does
    function.__doc__ = docstring(operator_class)
    vars(function)["__signature__"] = signature(operator_class)
    return function


_FN = f"{__name__.partition('.')[0]}.fn"
_FUNCTIONS: dict[tuple[type[Operator], str], Callable[..., Any]] = {}


def function_of(operator_class: type[Operator], called: str = "") -> Callable[..., DataNode]:
    """Return the function that an operator is in `fn`, with its docstring and signature.

    Type checkers do not know it as an attribute of `fn`, unless the operator is Penstock's. For an
    operator with several outputs the function returns a list of nodes, for one without outputs
    None: give its name a type of your own.

    Args:
        operator_class: the operator.
        called: one of its names; the function of an older one warns of each call.
    """
    key = operator_class, called or operator_class.name
    if key not in _FUNCTIONS:
        _FUNCTIONS[key] = _function(*key)
    return _FUNCTIONS[key]
