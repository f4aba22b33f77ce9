"""Parts of syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from .assigned import Place, walk_scope


def binds_or_yields(node: ast.AST) -> bool:
    """Return whether an expression cannot move into a function of its own."""
    kinds = ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Await
    return any(isinstance(child, kinds) for child in walk_scope([node]))


def expression(value: Any) -> ast.expr:
    if isinstance(value, ast.expr):
        return value
    if isinstance(value, list):
        return ast.Tuple([expression(item) for item in value], ast.Load())
    return ast.Constant(value)


def load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def attribute(name: str, attribute: str) -> ast.expr:
    return ast.Attribute(load(name), attribute, ast.Load())


def method(name: str, method: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(attribute(name, method), list(arguments), [])


def thunk(value: ast.expr) -> ast.expr:
    nothing = ast.arguments([], [], None, [], [], None, [])
    return ast.copy_location(ast.Lambda(nothing, value), value)


def assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def assign_to(place: ast.expr, value: ast.expr) -> ast.stmt:
    return ast.Assign([deepcopy(place)], value)


def unpack(names: Sequence[str], values: ast.expr) -> ast.stmt:
    targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in names]
    return ast.Assign([ast.Tuple(targets, ast.Store())], values)


def loaded(place: Place) -> ast.expr:
    place = deepcopy(place)
    place.ctx = ast.Load()
    return place


def deleted(place: Place) -> ast.expr:
    place = deepcopy(place)
    place.ctx = ast.Del()
    return place


def placed(node: ast.AST, new: Any) -> Any:
    """Give a new node, and all nodes in it without a position, the position of another node."""
    pending = [new]
    while pending:
        each = pending.pop()
        if isinstance(each, ast.expr | ast.stmt | ast.excepthandler):
            if hasattr(each, "lineno"):
                continue
            ast.copy_location(each, node)
        pending += ast.iter_child_nodes(each)
    return new
