"""One value for a variable, out of its values in the two branches of an `if`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ..errors import ArgumentError
from ..graph.branch_operators import Merge
from ..graph.branches import Branch
from ..graph.constants import ConstantOperator, data_array
from ..graph.nodes import DataNode, add_node, in_branch

NOTHING = object()
"""What a variable is that was not assigned, and the result of a branch without `return`."""

_INCONSISTENT = (
    "Encountered inconsistent outputs out of the `if/else` control flow statement. Variables need "
    "to be initialized in every code path (both `if` branches)."
)

_DIVERGENT = (
    "Divergent data found in different branches of `if/else` control flow statement. Variables in "
    "all code paths are merged into common output batches. The values assigned to a given variable "
    "need to have the same nesting structure in every code path (both `if` branches)."
)


class Unusable:
    """The value of a variable that has none after an `if`. Every use raises the error.

    Args:
        make_error: returns the error.
    """

    def __init__(self, make_error: Callable[[], Exception]) -> None:
        self.make_error = make_error

    def __getattr__(self, name: str) -> NoReturn:
        raise self.make_error()


def _use(self: Unusable, *_: object) -> NoReturn:
    raise self.make_error()


_ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")
_OTHERS = ("neg", "pos", "abs", "invert", "lt", "le", "gt", "ge", "bool", "iter", "len", "getitem")
_CONVERSIONS = ("setitem", "call", "contains", "array", "index", "int", "float", "str")
_BINARY = [f"{side}{name}" for name in _ARITHMETIC for side in ("", "r", "i")]
for _name in (*_BINARY, *_OTHERS, *_CONVERSIONS):
    setattr(Unusable, f"__{_name}__", _use)


class Merging:
    """Merges the values of one `if`.

    Args:
        if_true, if_false: the branches.
        line: of the `if`.
    """

    def __init__(self, if_true: Branch[DataNode], if_false: Branch[DataNode], line: str) -> None:
        self._branches = if_true, if_false
        self._line = line
        self._done: dict[tuple[int, int], tuple[Any, Any, Any]] = {}

    def value(self, label: str, if_true: Any, if_false: Any) -> Any:
        """Return the merged value, or an `Unusable` that says why there is none.

        Args:
            label: what has the value, for messages, such as "Variable 'x'".
            if_true, if_false: the values in the branches.
        """
        if if_true is if_false:
            return if_true
        for value, word in ((if_true, "if"), (if_false, "else")):
            if value is NOTHING:
                return self._missing(label, word)
        for value in (if_true, if_false):
            if isinstance(value, Unusable):
                return value
        try:
            return self._merged(label, if_true, if_false, (if_true, if_false))
        except (ArgumentError, ValueError, TypeError) as error:
            failure = error.with_traceback(None)
            return Unusable(lambda: failure)

    def _missing(self, label: str, word: str) -> Unusable:
        text = f"{_INCONSISTENT} {label} must also be initialized in the `{word}` branch"
        if label == RESULT_LABEL:
            text = f"{_INCONSISTENT} The `{word}` branch must also have a return statement"
        return Unusable(lambda: RuntimeError(f"{text}. The `if` is at {self._line}."))

    def _merged(self, label: str, first: Any, second: Any, whole: tuple[Any, Any]) -> object:
        if first is second:
            return first
        if type(first) is type(second) and isinstance(first, tuple | list):
            if len(first) == len(second):
                pairs = zip(first, second, strict=True)
                values = [
                    self._merged(f"{label}, element {i}", a, b, whole)
                    for i, (a, b) in enumerate(pairs)
                ]
                return _rebuilt(first, values)
        elif type(first) is type(second) and isinstance(first, dict):
            if first.keys() == second.keys():
                merged = {
                    key: self._merged(f"{label}, element {key!r}", first[key], second[key], whole)
                    for key in first
                }
                return type(first)(merged) if type(first) in (dict,) else _filled(first, merged)
        elif not any(isinstance(value, tuple | list | dict) for value in (first, second)):
            return self._leaf(label, first, second)
        raise ValueError(
            f"{_DIVERGENT} For example, if we define a variable as a tuple in one branch, it must "
            "be defined as a tuple of the same length in the other branch, and a dictionary with "
            f"the same keys. {label} of the `if` at {self._line} has two structures. The two "
            "structures don't have the same nested structure.\n"
            f"'If' output structure: {_structure(whole[0])}\n"
            f"'Else' output structure: {_structure(whole[1])}"
        )

    def _leaf(self, label: str, first: object, second: object) -> object:
        key = id(first), id(second)
        if key not in self._done:
            if _are_equal(first, second):
                merged: Any = first
            else:
                merged = self._node(label, first, second)
            self._done[key] = merged, first, second  # which keeps the ids
        return self._done[key][0]

    def _node(self, label: str, first: object, second: object) -> DataNode:
        values = (first, second)
        nodes = [self._as_node(label, value, values) for value in values]
        if any(node.device == "gpu" for node in nodes):
            for i, branch in enumerate(self._branches):
                with in_branch(branch):
                    nodes[i] = nodes[i].gpu()
        made = " and ".join(dict.fromkeys(node.node.made_at for node in nodes))
        what = f"{label[:1].lower()}{label[1:]} of the `if` at {self._line} (made at {made})"
        condition = self._branches[0].condition
        (merged,) = add_node(Merge, (condition, *nodes), {"what": what})
        return merged

    def _as_node(self, label: str, value: object, both: tuple[object, object]) -> DataNode:
        if isinstance(value, DataNode):
            return value
        array = None
        if not isinstance(value, str | bytes) and value is not None:
            try:
                array = data_array(value)
            except TypeError:
                array = None
        if array is None or array.dtype.kind not in "biuf":
            shown = [type(value).__name__ if value is not None else "None" for value in both]
            raise TypeError(
                f"{label} of the `if` at {self._line} is of type {shown[0]} in the `if` branch, "
                f"and {shown[1]} in the `else` branch. Only data, numbers, arrays of numbers, and "
                "tuples, lists and dicts of these can be merged"
            )
        (node,) = add_node(ConstantOperator, (), {"value": array})
        return node


RESULT_LABEL = "The result"


def _are_equal(first: object, second: object) -> bool:
    """Return whether values of Python's are the same, so that there is nothing to merge."""
    if type(first) is not type(second) or isinstance(first, DataNode | np.ndarray):
        return False
    try:
        return first == second is True or bool(first == second)
    except Exception:
        return False


def _rebuilt(like: Any, values: list[Any]) -> object:
    if isinstance(like, tuple) and hasattr(like, "_fields"):
        return type(like)(*values)
    return type(like)(values)


def _filled(like: dict[object, object], values: dict[object, object]) -> dict[object, object]:
    filled = like.copy()
    filled.update(values)
    return filled


def _structure(value: object) -> str:
    """Return the nesting of a value, with asterisks for all that is not nested."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {_structure(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_structure, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_structure, value)) + ("," * (len(value) == 1)) + ")"
    return "*"
