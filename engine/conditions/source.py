"""The syntax tree of a function, found by the function's code."""

from __future__ import annotations

import ast
import linecache
from types import CodeType

FunctionNode = ast.FunctionDef | ast.Lambda
"""What can be rewritten."""

_Index = dict[tuple[int, str], list[FunctionNode]]

_indices: dict[str, tuple[list[str], _Index]] = {}


def tree_of(code: CodeType, module_globals: dict[str, object]) -> FunctionNode | None:
    """Return the syntax tree of a function; None if its file has no such function.

    The positions in the tree are those in the file.
    """
    lines = linecache.getlines(code.co_filename, module_globals)
    known = _indices.get(code.co_filename)
    if known is None or known[0] is not lines:
        known = _indices[code.co_filename] = lines, _index(lines)
    found = known[1].get((code.co_firstlineno, code.co_name), [])
    fitting = [node for node in found if _has_arguments(node, code) and _contains(node, code)]
    return min(fitting, key=_extent) if fitting else None


def _index(lines: list[str]) -> _Index:
    index: _Index = {}
    try:
        tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError):  # a notebook's cell may hold commands that are not Python
        return index
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            index.setdefault((first, node.name), []).append(node)
        elif isinstance(node, ast.Lambda):
            index.setdefault((node.lineno, "<lambda>"), []).append(node)
    return index


def _has_arguments(node: FunctionNode, code: CodeType) -> bool:
    """Return whether a function has the arguments of the code: the file may have changed since."""
    own = node.args
    several = [argument for argument in (own.vararg, own.kwarg) if argument]
    names = [argument.arg for argument in (*own.posonlyargs, *own.args, *own.kwonlyargs, *several)]
    count = code.co_argcount + code.co_kwonlyargcount + len(several)
    ours = [name if not name.startswith("__") else "" for name in names]
    theirs = code.co_varnames[:count]
    return len(names) == count and all(a in ("", b) for a, b in zip(ours, theirs, strict=True))


def _contains(node: FunctionNode, code: CodeType) -> bool:
    """Return whether the code's expressions lie in a lambda: several may begin in one line."""
    if isinstance(node, ast.FunctionDef):
        return True
    body = node.body
    first, last = (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)
    return all(
        first <= (line, column) and (end_line, end_column) <= last
        for line, end_line, column, end_column in code.co_positions()
        if line is not None and end_line is not None and column is not None and end_column
    )


def _extent(node: FunctionNode) -> tuple[int, int]:
    lines = (node.end_lineno or 0) - node.lineno
    return lines, (node.end_col_offset or 0) - node.col_offset
