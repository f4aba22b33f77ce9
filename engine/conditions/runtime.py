"""What rewritten functions call in place of `if`, `and`, `or`, `not`, `assert` and calls."""

from __future__ import annotations

import operator
import sys
from builtins import AssertionError, globals, locals
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..errors import ArgumentError
from ..graph.branch_operators import Assertion, Truth
from ..graph.branches import Branch
from ..graph.constants import ConstantOperator, data_array
from ..graph.nodes import DataNode, add_node, current_branch, enter_branch, in_branch
from . import conversion
from .merging import NOTHING, RESULT_LABEL, Merging, Unusable
from .returns import RESULT

__all__ = ["NOTHING", "AssertionError", "globals", "locals"]

scope = current_branch
restore = enter_branch

Thunk = Callable[[], Any]
Sides = tuple[Branch[DataNode], Branch[DataNode]]

_COMPARISONS: dict[str, Callable[[Any, Any], object]] = {
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Is": operator.is_,
    "IsNot": operator.is_not,
    "In": lambda a, b: a in b,
    "NotIn": lambda a, b: a not in b,
}


def converted(function: object) -> Any:
    """Return a function as it is called here: see `conversion`."""
    return conversion.converted(function, sys.modules[__name__])


def value(of: Any) -> Any:
    """Return a variable's value; raise the error of a variable that has none."""
    if type(of) is Unusable:
        raise of.make_error()
    return of


def returned(result: object) -> Any:
    """Return a function's result, which branches have set."""
    return None if result is NOTHING else value(result)


def truth(data: DataNode, word: str, side: str, line: str, *, negated: bool = False) -> DataNode:
    """Return the truth value of each sample, on the CPU."""
    arguments = {"word": word, "side": side, "negated": negated, "line": line}
    (result,) = add_node(Truth, (data.cpu(),), arguments)
    return result


def _branches(data: DataNode, word: str, side: str, line: str) -> Sides:
    condition, outer = truth(data, word, side, line), current_branch()
    statement = f"the `{word}` at {line}"
    return Branch(condition, True, outer, statement), Branch(condition, False, outer, statement)


class If:
    """An `if` at work: see `rewriting`.

    Args:
        test: its condition.
        line: its file and line.
        names: the names that its branches bind.
        places: the attributes and elements that its branches assign, as they are written.
        readers: return the values of these.

    Attributes:
        is_traced: whether both branches run, because the condition is data.
        restored: the value of each name before the `if`.
        merged: the value of each name after the `if`.
    """

    restored: tuple[object, ...]
    merged: tuple[Any, ...]

    def __init__(
        self,
        test: Any,
        line: str,
        names: Sequence[str],
        places: Sequence[str],
        readers: Sequence[Thunk],
    ) -> None:
        self._line, self._names, self._places, self._readers = line, names, places, readers
        self.is_traced = isinstance(test, DataNode)
        self._test = True
        if not self.is_traced:
            self._test = bool(test)
            return
        self._outer = current_branch()
        self._branches = _branches(test, "if", "", line)
        self._old: dict[str, object] = {}
        self._of_body: dict[str, object] = {}

    def enters_body(self, variables: Mapping[str, object]) -> bool:
        """Return whether the `if` branch runs."""
        if self.is_traced:
            self._old = self._state(variables)
            enter_branch(self._branches[0])
        return self._test

    def enters_orelse(self, variables: Mapping[str, object]) -> bool:
        """Return whether the `else` branch runs."""
        if not self.is_traced:
            return not self._test
        self._of_body = self._state(variables)
        unbound = {name: _unbound(name) for name in self._names}
        self.restored = tuple(self._old.get(name, unbound[name]) for name in self._names)
        enter_branch(self._branches[1])
        return True

    def ends(self, variables: Mapping[str, object]) -> bool:
        """Return whether there are merged values, at the end of the `if`."""
        if not self.is_traced:
            return False
        after = self._state(variables)
        enter_branch(self._outer)
        merging = Merging(*self._branches, self._line)
        self._merged_places: dict[str, object] = {}
        values = []
        for name in (*self._names, *self._places):
            label = RESULT_LABEL if name == RESULT else f"Variable {name!r}"
            both = self._of_body.get(name, NOTHING), after.get(name, NOTHING)
            if name == RESULT and all(value is None or value is NOTHING for value in both):
                both = None, None  # `return`, and the end of the function
            if name in self._places:
                self._merged_places[name] = merging.value(label, *both)
            elif all(value is NOTHING for value in both):
                values.append(NOTHING if name == RESULT else _unbound(name))
            else:
                values.append(merging.value(label, *both))
        self.merged = tuple(values)
        return True

    def _state(self, variables: Mapping[str, object]) -> dict[str, object]:
        state = {
            name: variables[name]
            for name in self._names
            if name in variables and not isinstance(variables[name], _Unbound)
        }
        for place, reader in zip(self._places, self._readers, strict=True):
            try:
                state[place] = reader()
            except (NameError, AttributeError, LookupError, TypeError):
                continue
        return state

    def existed(self, number: int) -> bool:
        """Return whether an attribute or element was there before the `if`."""
        return self._places[number] in self._old

    def exists(self, number: int) -> bool:
        """Return whether an attribute or element is there after the `if` branch."""
        return self._places[number] in self._of_body

    def old_place(self, number: int) -> object:
        """Return the value of an attribute or element before the `if`."""
        return self._old[self._places[number]]

    def is_merged(self, number: int) -> bool:
        """Return whether an attribute or element has a value after the `if`."""
        return self._merged_places[self._places[number]] is not NOTHING

    def merged_place(self, number: int) -> object:
        """Return the value of an attribute or element after the `if`."""
        return self._merged_places[self._places[number]]


class _Unbound(Unusable):
    """The value of a variable that is not assigned yet."""


def _unbound(name: str) -> _Unbound:
    text = f"cannot access local variable {name!r} where it is not associated with a value"
    return _Unbound(lambda: UnboundLocalError(text))


def with_globals(
    module: Mapping[str, object], variables: Mapping[str, object], names: Iterable[str]
) -> dict[str, object]:
    """Return variables together with the global variables of these names."""
    return {name: module[name] for name in names if name in module} | dict(variables)


def leaving(word: str, result: object, *ifs: If) -> object:
    """Return a value, or nothing, on the way out of branches; refuse it for those of data."""
    for condition in ifs:
        if condition.is_traced:
            raise ArgumentError(
                f"`{word}` in the `if` at {condition._line}, whose condition is data, leaves a "
                "loop, a `with` or a `try`. All samples go through the same statements: assign a "
                "variable in both branches instead"
            )
    return result


def if_expression(test: object, if_true: Thunk, if_false: Thunk, line: str) -> object:
    """Return `if_true() if test else if_false()`."""
    if not isinstance(test, DataNode):
        return if_true() if test else if_false()
    branches = _branches(test, "if", "", line)
    values = []
    for branch, thunk in zip(branches, (if_true, if_false), strict=True):
        with in_branch(branch):
            values.append(thunk())
    return value(Merging(*branches, line).value("The value", *values))


def logical(word: str, line: str, *thunks: Thunk) -> object:
    """Return `a and b and ...`, or the same with `or`; what is not needed is not computed."""
    result = thunks[0]()
    for thunk in thunks[1:]:
        if isinstance(result, DataNode):
            result = _lazy(word, line, result, thunk)
        elif bool(result) is (word == "or"):
            return result
        else:
            result = thunk()
    return result


def _lazy(word: str, line: str, left: DataNode, right: Thunk) -> DataNode:
    branches = if_true, if_false = _branches(left, word, "left", line)
    with in_branch(if_true if word == "and" else if_false):
        other = right()
        if not isinstance(other, DataNode):
            (other,) = add_node(ConstantOperator, (), {"value": data_array(other)})
        other = truth(other, word, "right", line)
    values = (other, if_true.condition) if word == "and" else (if_true.condition, other)
    merged: DataNode = value(Merging(*branches, line).value(f"The value of `{word}`", *values))
    return merged


def negated(data: object, line: str) -> object:
    """Return `not data`."""
    if not isinstance(data, DataNode):
        return not data
    return truth(data, "not", "", line, negated=True)


def compared(names: Sequence[str], left: object, *thunks: Thunk) -> object:
    """Return `a < b < c`."""
    result: Any = None
    for name, thunk in zip(names, thunks, strict=True):
        right = thunk()
        both = _COMPARISONS[name](left, right)
        if isinstance(result, DataNode):
            both = result & both
        elif isinstance(both, DataNode) and result is not None:
            both = both & bool(result)
        if not isinstance(both, DataNode) and not both:
            return both
        result, left = both, right
    return result


def fails(test: object, message: Thunk, line: str) -> bool:
    """Return whether an assertion fails; for data, have each sample checked."""
    if not isinstance(test, DataNode):
        return not test
    condition = truth(test, "assert", "", line)
    text = message()
    text = f"the assertion at {line} failed" if text is None else str(text)
    add_node(Assertion, (condition,), {"message": text, "preserve": True})
    return False
