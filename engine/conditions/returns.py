"""`return` in an `if`: what follows the `if` moves into the branches that do not return.

A `return` is then the last statement of its branch. So both branches can be followed to their ends,
and the two results are merged like the values of a variable.
"""

from __future__ import annotations

import ast
from copy import deepcopy

from .assigned import walk_scope

RESULT = "_penstock_result"
"""The variable that a `return` in an `if` sets."""


def returns(node: ast.AST) -> bool:
    """Return whether a statement may return from its function."""
    return any(isinstance(statement, ast.Return) for statement in walk_scope([node]))


def returns_in_if(statements: list[ast.stmt]) -> bool:
    """Return whether an `if` among statements may return from its function."""
    return any(
        isinstance(statement, ast.If) and returns(statement) for statement in walk_scope(statements)
    )


def normalized(statements: list[ast.stmt]) -> list[ast.stmt]:
    """Move what follows an `if` with a `return` into the branches of the `if`."""
    for i, statement in enumerate(statements):
        rest = statements[i + 1 :]
        if isinstance(statement, ast.If) and returns(statement):
            body_goes_on = falls_through(statement.body)
            if falls_through(statement.orelse):
                statement.orelse += deepcopy(rest) if body_goes_on else rest
            if body_goes_on:
                statement.body += rest
            statement.body = normalized(statement.body)
            statement.orelse = normalized(statement.orelse)
            return statements[: i + 1]
        if not rest or not falls_through([statement]):
            for block in blocks_at_the_end(statement):
                block[:] = normalized(block)
    return statements


def blocks_at_the_end(statement: ast.stmt) -> list[list[ast.stmt]]:
    """Return the blocks of a statement after which the statement ends, but not those of `if`."""
    if isinstance(statement, ast.With):
        return [statement.body]
    if isinstance(statement, ast.Try):
        own = [statement.orelse] if statement.orelse else [statement.body]
        return own + [handler.body for handler in statement.handlers]
    if isinstance(statement, ast.Match):
        return [case.body for case in statement.cases]
    return []


def falls_through(statements: list[ast.stmt]) -> bool:
    """Return whether the end of statements may be reached."""
    return not any(map(_never_ends, statements))


def _never_ends(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Return | ast.Raise | ast.Break | ast.Continue):
        return True
    if isinstance(statement, ast.If):
        return not falls_through(statement.body) and not falls_through(statement.orelse)
    if isinstance(statement, ast.Try) and not falls_through(statement.finalbody):
        return True
    if isinstance(statement, ast.With | ast.Try):
        return not any(map(falls_through, blocks_at_the_end(statement)))
    return False
