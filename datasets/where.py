r"""Filters of samples: expressions such as `label in (1, 2) and image.size > 10000`.

An expression is Python's syntax for comparisons and nothing else: it is parsed to a tree, and a
node of any other kind is refused, so an expression from anywhere can do no harm. It may have

    key, and the names of components    numbers, texts
    NAME.size                           bytes of an encoded file, elements of an array, characters
    NAME.extension                      of an encoded file
    NAME.shape[0]                       an extent of an array
    numbers, 'texts', (1, 2, 3)
    == != < <= > >= in, not in          `'dog' in text` looks for a part of a text
    and, or, not, parentheses

A sample without a component that the expression names is left out.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from ..engine.errors import ArgumentError
from .sample import Encoded, Sample
from .schema import Schema

_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
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

    def check_names(self, schema: Schema) -> None:
        """Raise ArgumentError if the expression names something that no sample has."""
        if unknown := sorted(self.names - {"key", *schema}):
            raise ArgumentError(
                f"where: the samples have no component {unknown[0]!r}; they have "
                f"key, {', '.join(schema)}"
            )

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


@lru_cache(maxsize=64)
def _parsed(text: str) -> ast.expr:
    if len(text) > _LONGEST:
        raise ArgumentError(f"where: {len(text)} characters; at most {_LONGEST} are read")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
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
        results = (_value(each, values) for each in node.values)
        return all(results) if isinstance(node.op, ast.And) else any(results)
    if isinstance(node, ast.UnaryOp):
        operand = _value(node.operand, values)
        return not operand if isinstance(node.op, ast.Not) else -operand
    if isinstance(node, ast.Tuple | ast.List):
        return [_value(each, values) for each in node.elts]
    if isinstance(node, ast.Subscript):
        return _value(node.value, values)[_value(node.slice, values)]
    if isinstance(node, ast.Attribute):
        return _attribute(_value(node.value, values), node.attr)
    assert isinstance(node, ast.Compare)
    sides = [_value(each, values) for each in (node.left, *node.comparators)]
    pairs = zip(node.ops, sides, sides[1:], strict=False)
    return all(_COMPARISONS[type(op)](left, right) for op, left, right in pairs)


def _attribute(value: Any, name: str) -> Any:
    if name == "size" and isinstance(value, Encoded):
        return len(value.data)
    if name == "size" and isinstance(value, str):
        return len(value)
    return getattr(value, name)
