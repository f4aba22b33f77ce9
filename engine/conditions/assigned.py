"""What statements assign: names, attributes and elements."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

Place = ast.Attribute | ast.Subscript
"""An attribute or an element of an object."""

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def walk_scope(
    nodes: Iterable[ast.AST], inner: tuple[type[ast.AST], ...] = _SCOPES
) -> Iterator[ast.AST]:
    """Yield all nodes of a scope: functions and classes in it, too, but not their bodies."""
    pending = list(nodes)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, inner):
            pending += ast.iter_child_nodes(node)


def assigned_names(statements: Iterable[ast.stmt]) -> list[str]:
    """Return the names that statements may bind, in order."""
    names: set[str] = set()
    loops: set[str] = set()
    for node in walk_scope(statements):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
            names.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            names.add(node.rest)
        elif isinstance(node, _COMPREHENSIONS):
            targets = [generator.target for generator in node.generators]
            loops |= {name.id for name in walk_scope(targets) if isinstance(name, ast.Name)}
    own = {
        node.id
        for node in walk_scope(statements, (*_SCOPES, *_COMPREHENSIONS))
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    return sorted(names - (loops - own) - {"*"})


def assigned_places(statements: Iterable[ast.stmt], names: Iterable[str]) -> list[Place]:
    """Return the attributes and elements of objects that statements assign, such as `o.v`.

    Args:
        statements: the statements.
        names: names that the statements bind. Objects with these names are not the same later.
    """
    places: dict[str, Place] = {}
    for node in walk_scope(statements):
        if (
            isinstance(node, ast.Attribute | ast.Subscript)
            and isinstance(node.ctx, ast.Store)
            and _root(node) not in {None, *names}
        ):
            places.setdefault(ast.unparse(node), node)
    return list(places.values())


def _root(node: ast.expr) -> str | None:
    """Return the name with which a place begins; None if to evaluate the place may do anything."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return _root(node.value)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name | ast.Constant):
        return _root(node.value)
    return None
