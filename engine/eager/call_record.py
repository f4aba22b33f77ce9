"""The operators that the first call of a definition made, matched with those of later calls.

Operators are matched by their order. Copies between devices and constants have no state, and do
not count. A definition may return early. It may not call other operators than the first time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

import numpy as np

from ..errors import ArgumentError
from ..graph.constants import ConstantOperator
from ..graph.nodes import DataNode, Node
from ..graph.operator import Operator
from ..graph.params import ANY
from .given_data import GivenBatch

_PLAIN = (str, bytes, int, float, np.generic, Enum, type(None))


class CallFacts(NamedTuple):
    """What the calls of an operator must agree in. It keeps no data alive.

    Attributes:
        operator: the operator's class.
        name: of the operator in `fn`.
        device: on which it runs.
        made_at: file and line of the call.
        data: the form and the device of each input, and of each argument that is data or a
            constant, by the words of messages.
        constants: the values of the arguments that are no data.
        inputs, arguments: the numbers of these.
    """

    operator: type[Operator]
    name: str
    device: str
    made_at: str
    data: Mapping[str, tuple[str, str]]
    constants: Mapping[str, object]
    inputs: int
    arguments: tuple[str, ...]


def facts_of(node: Node) -> CallFacts:
    """Return the facts of the call that made a node."""
    operator = node.operator
    constants = operator._constants
    data = {f"Input {i}": _form_of(each) for i, each in enumerate(node.inputs)}
    data |= {f"Argument {name}": _form_of(each) for name, each in node.arguments.items()}
    data |= {f"Argument {name}": ("a constant", "") for name in constants}
    return CallFacts(
        type(operator),
        operator.called.removeprefix("fn."),
        operator.device,
        node.made_at,
        data,
        constants,
        len(node.inputs),
        (*constants, *node.arguments),
    )


def _form_of(data: DataNode) -> tuple[str, str]:
    operator = data.node.operator
    if isinstance(operator, ConstantOperator):
        return "a constant", ""
    is_array = isinstance(operator, GivenBatch) and operator.form == "array"
    return ("an array" if is_array else "a batch"), data.device


@dataclass(eq=False)
class Call:
    """One call of an operator.

    Attributes:
        facts: of the call in the first batch.
        operators: by the layouts of their inputs.
        number: of the call among all calls, for random numbers.
    """

    facts: CallFacts
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
        self._numbers: dict[object, int] = {}

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
        facts = facts_of(node)
        if number < len(self._calls):
            call = self._calls[number]
            _check(call.facts, facts)
        elif self.is_complete:
            raise _unexpected(facts, "did not call another operator")
        else:
            call = Call(facts)
            self._calls.append(call)
        node.operator = call.operators.setdefault(node.operator.layouts, node.operator)
        return call

    def number_of(self, node: Node) -> int:
        """Return the number of a node's call among the calls of the first batch."""
        return self._numbers.setdefault(node.call, len(self._numbers))


def _unexpected(facts: CallFacts, instead: str) -> ArgumentError:
    return ArgumentError(
        f"Unexpected operator '{facts.name}' (at {facts.made_at}). Debug mode does not support "
        "changing the order of operators executed within the pipeline. The first run "
        f"{instead} here"
    )


def _check(first: CallFacts, now: CallFacts) -> None:
    """Raise ArgumentError if a call differs from the first one."""
    if now.operator is not first.operator:
        raise _unexpected(now, f"called '{first.name}' (at {first.made_at})")
    difference = _difference(first, now)
    if difference:
        raise ArgumentError(f"{difference} (at {now.made_at}; created at {first.made_at})")


def _difference(first: CallFacts, now: CallFacts) -> str:
    """Return how a call of the same operator differs from the first one, or ""."""
    operator = f"operator '{now.name}'"
    for what, expected, count in (
        ("inputs", first.inputs, now.inputs),
        ("keyword arguments", len(first.arguments), len(now.arguments)),
    ):
        if expected != count:
            return (
                f"Trying to use {operator} with different number of {what} than when it was built. "
                f"Expected: {expected} {what}, got {count}"
            )
    if set(first.arguments) != set(now.arguments):
        return (
            f"Trying to use {operator} with other keyword arguments than when it was built. "
            f"Expected: {', '.join(first.arguments)}; got {', '.join(now.arguments)}"
        )
    for what, (form, device) in now.data.items():
        before = first.data[what]
        if form != before[0]:
            return f"{what} for {operator} is {form} but was {before[0]} when created."
        if device != before[1]:
            return f"{what} for {operator} is on '{device}' but was on '{before[1]}' when created."
    if first.device != now.device:
        return f"{operator} is on '{now.device}' but was on '{first.device}' when created."
    for name, value in now.constants.items():
        declared = now.operator.params.get(name)
        then = first.constants[name]
        if not _is_same(then, value) and not (declared and declared.type is ANY):
            return (
                f"Argument '{name}' for {operator} unexpectedly changed value from '{then}' to "
                f"'{value}'"
            )
    return ""


def _is_same(then: object, now: object) -> bool:
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
