"""The operators that the first call of a definition made, matched with those of later calls.

Operators are matched by their order. Copies between devices and constants have no state, and do
not count. A definition may return early. It may not call other operators than the first time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

from ..errors import ArgumentError
from ..graph.constants import ConstantOperator
from ..graph.nodes import DataNode, Node
from ..graph.operator import Operator
from ..graph.params import ANY
from .given_data import GivenBatch

_PLAIN = (str, bytes, int, float, np.generic, Enum, type(None))


@dataclass(eq=False)
class Call:
    """One call of an operator.

    Attributes:
        node: of the first batch.
        operators: by the layouts of their inputs.
        number: of the call among all calls, for random numbers.
    """

    node: Node
    operators: dict[tuple[str, ...], Operator] = field(default_factory=dict)
    number: int = 0


class CallRecord:
    """The calls of one definition.

    Attributes:
        is_complete: whether a call of the definition has ended.
    """

    def __init__(self) -> None:
        self.is_complete = False
        self._calls: list[Call] = []
        self._count = 0

    def begin(self) -> None:
        """Begin a call of the definition."""
        self._count = 0

    def end(self) -> None:
        """End a call of the definition."""
        self.is_complete = True

    def match(self, node: Node) -> Call:
        """Return the call that made a node, and give the node the operator of that call.

        Raises:
            ArgumentError: the first call of the definition made another operator here, or the
                same operator with other inputs or arguments.
        """
        number, self._count = self._count, self._count + 1
        if number < len(self._calls):
            call = self._calls[number]
            _check(call.node, node)
        elif self.is_complete:
            raise _unexpected(node, "did not call another operator")
        else:
            call = Call(node)
            self._calls.append(call)
        node.operator = call.operators.setdefault(node.operator.layouts, node.operator)
        return call


def _unexpected(node: Node, instead: str) -> ArgumentError:
    return ArgumentError(
        f"Unexpected operator '{_name(node)}' (at {node.made_at}). Debug mode does not "
        "support changing the order of operators executed within the pipeline. The first run "
        f"{instead} here"
    )


def _check(first: Node, node: Node) -> None:
    """Raise ArgumentError if a call differs from the first one."""
    if type(node.operator) is not type(first.operator):
        raise _unexpected(node, f"called '{_name(first)}' (at {first.made_at})")
    difference = _difference(first, node)
    if difference:
        raise ArgumentError(f"{difference} (at {node.made_at}; created at {first.made_at})")


def _difference(first: Node, node: Node) -> str:
    """Return how a call of the same operator differs from the first one, or ""."""
    operator = f"operator '{_name(node)}'"
    then, now = _arguments(first), _arguments(node)
    for what, expected, count in (
        ("inputs", len(first.inputs), len(node.inputs)),
        ("keyword arguments", len(then), len(now)),
    ):
        if expected != count:
            return (
                f"Trying to use {operator} with different number of {what} than when it was built. "
                f"Expected: {expected} {what}, got {count}"
            )
    if set(then) != set(now):
        return (
            f"Trying to use {operator} with other keyword arguments than when it was built. "
            f"Expected: {', '.join(then)}; got {', '.join(now)}"
        )
    inputs = zip(first.inputs, node.inputs, strict=True)
    pairs = [(f"Input {i}", *pair) for i, pair in enumerate(inputs)]
    pairs += [(f"Argument {name}", then[name], value) for name, value in now.items()]
    for what, before, data in pairs:
        types = _type_of(before), _type_of(data)
        if types[0] != types[1]:
            return f"{what} for {operator} is {types[1]} but was {types[0]} when created."
        if types[0] != "a constant" and before.device != data.device:
            return (
                f"{what} for {operator} is on '{data.device}' but was on '{before.device}' when "
                "created."
            )
    if first.operator.device != node.operator.device:
        return (
            f"{operator} is on '{node.operator.device}' but was on '{first.operator.device}' when "
            "created."
        )
    for name, value in node.operator._constants.items():
        declared = node.operator.params.get(name)
        if not _is_same(then[name], value) and not (declared and declared.type is ANY):
            return (
                f"Argument '{name}' for {operator} unexpectedly changed value from "
                f"'{then[name]}' to '{value}'"
            )
    return ""


def _name(node: Node) -> str:
    """Return an operator's name in `fn`."""
    return node.operator.called.removeprefix("fn.")


def _arguments(node: Node) -> Mapping[str, Any]:
    return {**node.operator._constants, **node.arguments}


def _type_of(value: Any) -> str:
    if not isinstance(value, DataNode) or isinstance(value.node.operator, ConstantOperator):
        return "a constant"
    operator = value.node.operator
    is_array = isinstance(operator, GivenBatch) and operator.form == "array"
    return "an array" if is_array else "a batch"


def _is_same(then: Any, now: Any) -> bool:
    """Return whether two values are equal.

    Functions and other objects that each call of the definition makes anew count as equal: the
    first ones stay in use.
    """
    if isinstance(then, np.ndarray) or isinstance(now, np.ndarray):
        then, now = np.asarray(then), np.asarray(now)
        floats = then.dtype.kind == now.dtype.kind == "f"
        return np.array_equal(then, now, equal_nan=floats)
    if isinstance(then, Mapping) and isinstance(now, Mapping):
        return set(then) == set(now) and all(_is_same(then[key], now[key]) for key in then)
    if isinstance(then, list | tuple) and isinstance(now, list | tuple):
        return len(then) == len(now) and all(map(_is_same, then, now))
    if isinstance(then, float) and isinstance(now, float) and math.isnan(then):
        return math.isnan(now)
    if isinstance(then, _PLAIN) or isinstance(now, _PLAIN):
        return bool(then == now)
    return True
