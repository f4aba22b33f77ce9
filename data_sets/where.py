r"""Filters of samples: expressions such as `label in (1, 2) and image.size > 10000`.

An expression is Python's syntax for comparisons and nothing else: it is parsed to a tree, and a
node of any other kind is refused, so an expression from anywhere can do no harm. It may have

    key, and the names of components    numbers, texts
    label == 'cat', 'cat' in labels     the name of a class, if the data set has names
    NAME.size                           bytes of an encoded file, elements of an array, characters
    NAME.extension                      of an encoded file
    NAME.shape[0]                       an extent of an array
    numbers, 'texts', (1, 2, 3)
    == != < <= > >= in, not in          `'dog' in text` looks for a part of a text
    and, or, not, parentheses

A sample without a component that the expression names is left out. A number that is compared with
a text is an error, because the two are never equal.
"""

from __future__ import annotations

import ast
import copy
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ..engine.errors import ArgumentError
from .sample import Encoded, Sample
from .schema import ARRAY, ENCODED, FLOAT, INT, TEXT, ComponentType, Schema

_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], object]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
LABEL = "label"
LABELS = "labels"  # those of boxes
_ATTRIBUTES = ("size", "extension", "shape")
_LONGEST = 10_000


class Where:
    """A filter: an expression, or a function of a sample.

    >>> keep = Where("label == 3 and key != 'cat/007'")
    >>> keep(Sample("cat/001", {"label": 3})), keep(Sample("cat/007", {"label": 3}))
    (True, False)
    """

    def __init__(self, condition: str | Callable[[Sample], bool]) -> None:
        """Take the condition.

        Raises:
            ArgumentError: the expression is none, or does more than compare.
        """
        self.condition = condition
        self.names: set[str] = set()
        if isinstance(condition, str):
            try:
                self._check(_parsed(condition))
            except RecursionError:
                raise ArgumentError(f"where: {condition!r:.80}... is nested too deeply") from None

    def __call__(self, sample: Sample) -> bool:
        """Return whether to keep the sample."""
        if not isinstance(self.condition, str):
            return bool(self.condition(sample))
        if not self.names <= {"key", *sample.components}:
            return False
        try:
            return bool(_value(_parsed(self.condition), {"key": sample.key, **sample.components}))
        except (TypeError, ValueError, IndexError, AttributeError, RecursionError) as error:
            raise ArgumentError(f"where: {self.condition!r} fails: {error}") from None

    def for_samples(self, schema: Schema, classes: Sequence[str]) -> Where:
        """Return the filter for samples, with the numbers of classes in place of their names.

        Raises:
            ArgumentError: the expression names something that no sample has, or compares a number
                with a text that names no class.
        """
        if unknown := sorted(self.names - {"key", *schema}):
            hint = ""
            if unknown[0] in classes:
                hint = f"; the class is written in quotation marks: {LABEL} == {unknown[0]!r}"
            raise ArgumentError(
                f"where: the samples have no component {unknown[0]!r}; they have "
                f"key, {', '.join(schema)}{hint}"
            )
        if not isinstance(self.condition, str):
            return self
        tree = _parsed(self.condition)
        try:
            numbered = _Numbering(schema, classes).visit(copy.deepcopy(tree))
            same = ast.dump(numbered) == ast.dump(tree)
            return self if same else Where(ast.unparse(numbered))
        except RecursionError:
            raise ArgumentError(f"where: {self.condition!r:.80}... is nested too deeply") from None

    def __str__(self) -> str:
        """Return a text that identifies the condition."""
        if isinstance(self.condition, str):
            return self.condition
        name = getattr(self.condition, "__qualname__", type(self.condition).__qualname__)
        return f"{self.condition.__module__}.{name}"

    def _check(self, node: ast.expr) -> None:
        """Raise ArgumentError for a node that `_value` does not know; collect the names."""
        if isinstance(node, ast.Name):
            self.names.add(node.id)
        for child in _children(node):
            self._check(child)


class _Numbering(ast.NodeTransformer):
    """Puts numbers in place of the names of classes, and refuses to compare numbers with texts."""

    def __init__(self, schema: Schema, classes: Sequence[str]) -> None:
        self._schema, self._classes = schema, classes

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Look at each pair of sides."""
        self.generic_visit(node)
        sides = [node.left, *node.comparators]
        for number, op in enumerate(node.ops):
            self._check_pair(sides[number], op, sides[number + 1])
            for at, other in ((number, number + 1), (number + 1, number)):
                sides[at] = self._fitting(sides[at], sides[other])
        return ast.Compare(sides[0], node.ops, sides[1:])

    def _check_pair(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> None:
        """Refuse comparisons that cannot be made, or never hold."""
        is_in = isinstance(op, ast.In | ast.NotIn)
        name = ast.unparse(left)
        if is_in and self._kind(left) is float and isinstance(right, ast.Constant):
            raise ArgumentError(
                f"where: {name} is a number; write {name} == {ast.unparse(right)}, or {name} in "
                f"({ast.unparse(right)}, ...)"
            )
        for side in (left, right):
            kind, text = self._component(side).type, ast.unparse(side)
            if kind == ARRAY and not (is_in and side is right):
                raise ArgumentError(
                    f"where: {text} is an array; a condition may have 1 in {text}, {text}.size and "
                    f"{text}.shape[0]"
                )
            if kind == ENCODED:
                raise ArgumentError(
                    f"where: {text} is an encoded file; a condition may have {text}.size and "
                    f"{text}.extension"
                )

    def _component(self, node: ast.expr) -> ComponentType:
        """Return the type of a component that a node names; without a type for other nodes."""
        nothing = ComponentType("")
        return self._schema.get(node.id, nothing) if isinstance(node, ast.Name) else nothing

    def _fitting(self, side: ast.expr, other: ast.expr) -> ast.expr:
        """Return a side of a comparison, with constants that fit the other side."""
        if isinstance(side, ast.Tuple | ast.List):
            return type(side)([self._fitting(element, other) for element in side.elts], side.ctx)
        kind = self._kind(other)
        if not isinstance(side, ast.Constant) or kind is None:
            return side
        value = side.value
        is_label = isinstance(other, ast.Name) and other.id in (LABEL, LABELS)
        if isinstance(value, str) and kind is not str and is_label and value in self._classes:
            return ast.Constant(self._classes.index(value))
        if isinstance(value, str) == (kind is str) or value is None:
            return side
        known = ""
        if is_label and isinstance(value, str):
            listed = ", ".join(filter(None, self._classes[:20]))
            known = f"; the classes are {listed}" if listed else "; its classes have no names"
        raise ArgumentError(
            f"where: {ast.unparse(other)} is a {_KINDS[kind]}, which is never equal to the "
            f"{_KINDS.get(type(value), 'value')} {value!r:.100}{known}"
        )

    def _kind(self, node: ast.expr) -> type | None:
        """Return whether a node is a text, `str`, or a number, `float`; None if it may be both."""
        if isinstance(node, ast.Name):
            kinds: dict[str, type] = {TEXT: str, INT: float, FLOAT: float, ARRAY: float}
            return str if node.id == "key" else kinds.get(self._component(node).type)
        if isinstance(node, ast.Attribute):
            return {"size": float, "extension": str}.get(node.attr)
        if isinstance(node, ast.Subscript):
            return float if isinstance(node.value, ast.Attribute) else None
        return None


_KINDS: dict[type, str] = {str: "text", float: "number", int: "number", bool: "number"}


@lru_cache(maxsize=64)
def _parsed(text: str) -> ast.expr:
    if len(text) > _LONGEST:
        raise ArgumentError(f"where: {len(text)} characters; at most {_LONGEST} are read")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        hint = "; equality is written ==" if re.search("[^=<>!]=[^=]", text) else ""
        raise ArgumentError(f"where: {text!r} is no condition: {error.msg}{hint}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise ArgumentError(f"where: {text!r} is no condition: {error}") from None


def _children(node: ast.expr) -> list[ast.expr]:
    """Return the nodes below one; raise ArgumentError for nodes that no condition may have."""
    if isinstance(node, ast.BoolOp):
        return node.values
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        return [node.operand]
    if isinstance(node, ast.Compare) and all(type(op) in _COMPARISONS for op in node.ops):
        return [node.left, *node.comparators]
    if isinstance(node, ast.Tuple | ast.List):
        return node.elts
    if isinstance(node, ast.Subscript):
        return [node.value, node.slice]
    if isinstance(node, ast.Attribute) and node.attr in _ATTRIBUTES:
        return [node.value]
    if isinstance(node, ast.Name | ast.Constant):
        return []
    raise ArgumentError(
        f"where: {ast.unparse(node)[:80]!r} is no comparison; a condition has names of components, "
        f"{', '.join('.' + name for name in _ATTRIBUTES)}, constants, comparisons, and, or, not"
    )


def _value(node: ast.expr, values: Mapping[str, Any]) -> Any:
    """Return the value of a node that `_children` knows."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.BoolOp):
        results = (_value(operand, values) for operand in node.values)
        return all(results) if isinstance(node.op, ast.And) else any(results)
    if isinstance(node, ast.UnaryOp):
        operand = _value(node.operand, values)
        return not operand if isinstance(node.op, ast.Not) else -operand
    if isinstance(node, ast.Tuple | ast.List):
        return [_value(element, values) for element in node.elts]
    if isinstance(node, ast.Subscript):
        return _value(node.value, values)[_value(node.slice, values)]
    if isinstance(node, ast.Attribute):
        return _attribute(_value(node.value, values), node.attr)
    assert isinstance(node, ast.Compare)
    sides = [_value(operand, values) for operand in (node.left, *node.comparators)]
    pairs = zip(node.ops, sides, sides[1:], strict=False)
    return all(_COMPARISONS[type(op)](left, right) for op, left, right in pairs)


def _attribute(value: object, name: str) -> object:
    if name == "size" and isinstance(value, Encoded):
        return len(value.data)
    if name == "size" and isinstance(value, str):
        return len(value)
    return getattr(value, name)
