"""Types are precise: few errors that mypy shall ignore, and few values of which it knows nothing.

The list and the limit may only shrink: a test also fails if an exception is no longer needed, and
if the limit is further away than it has to be.
"""

from __future__ import annotations

import ast
import re
import tokenize

import pytest

from .test_architecture import FILES, PACKAGE

pytestmark = pytest.mark.slow  # a walk over all files

IGNORED = {
    "engine/graph/node_arithmetic.py": 2,
    "experimental/dynamic/pytorch/nodes.py": 2,
    "plugin/jax/clu.py": 1,
    "plugin/keras/backup.py": 1,
    "plugin/keras/dataset.py": 1,
    "plugin/pytorch/accelerate.py": 1,
    "plugin/tf/dataset.py": 1,
    "readers/storage/kept.py": 1,
}
"""Files, and how many of their lines mypy shall ignore: comparisons of nodes return nodes, and some
libraries whose classes are bases have no types."""

MOST_ANY = 11.5
"""Uses of `Any` in 1,000 lines."""

SLACK = 1.0
"""How far the rate may fall before the limit has to follow."""


def test_mypy_ignores_few_lines():
    found = {}
    for path in FILES:
        if "type: ignore" not in path.read_text(encoding="utf-8"):
            continue  # tokens take their time
        with tokenize.open(path) as file:
            tokens = list(tokenize.generate_tokens(file.readline))
        marks = [t for t in tokens if t.type == tokenize.COMMENT and "type: ignore" in t.string]
        if marks:
            found[str(path.relative_to(PACKAGE))] = len(marks)
    assert found == IGNORED


def test_any_is_rare():
    """`object` says that nothing is asked of a value, and a TypeVar that it is handed on."""
    texts = [path.read_text(encoding="utf-8") for path in FILES]
    uses = sum(uses_of_any(ast.parse(text)) for text in texts)
    rate = 1000 * uses / sum(text.count("\n") for text in texts)
    assert MOST_ANY - SLACK < rate <= MOST_ANY


def uses_of_any(tree):
    """Count the names, and those in the texts that `cast` takes for types."""
    uses = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            uses += node.id == "Any"
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "cast":
            uses += len(re.findall(r"\bAny\b", str(getattr(node.args[0], "value", ""))))
    return uses


def test_uses_in_casts_and_aliases_count():
    program = "from typing import Any\nJson = Any\nx: list[Any] = cast('dict[Any, int]', y)"
    assert uses_of_any(ast.parse(program)) == 3
