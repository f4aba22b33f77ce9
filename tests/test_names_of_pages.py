"""The programs of all pages: each name that one uses is bound there, or in a program before it."""

from __future__ import annotations

import ast
import builtins
import re
import symtable
import textwrap

import pytest

from penstock.tests.checkout import ROOT

PAGES = [ROOT / "README.md", ROOT / "SKILL.md", *sorted((ROOT / "docs").glob("*.md"))]
PROGRAM = re.compile(r"^ *```python[^\n]*\n(.*?)^ *```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_programs_use_no_name_without_a_meaning(page):
    bound = {*dir(builtins), "__file__", "__name__"}
    missing = {}
    for program in PROGRAM.findall(page.read_text(encoding="utf-8")):
        unbound = names_without_meaning(textwrap.dedent(program), bound)
        if unbound:
            missing[program.splitlines()[0]] = sorted(unbound)
    assert not missing


def test_such_names_are_found():
    program = """
a, b = b, 1
def call(x):
    y = x
    return [z for z in (x, y, later, nowhere)]
later = 2
"""
    assert names_without_meaning(program, set()) == {"b", "nowhere"}


def names_without_meaning(program, bound):
    """Return the names that end a program in a NameError; add those that it binds to `bound`.

    A statement needs names of the lines before it, and a function's body those of all lines.
    """
    missing = set()
    later = set()
    for statement in ast.parse(program).body:
        top = symtable.symtable(ast.unparse(statement), "program", "exec")
        own = {symbol.get_name() for symbol in top.get_symbols() if binds(symbol)}
        compound = isinstance(statement, (ast.For, ast.While, ast.With, ast.If, ast.Try))
        used = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_referenced()}
        missing |= used - bound - (own if compound else set())
        bound |= own
        for scope in top.get_children():
            later |= globals_of(scope)
    return missing | later - bound


def binds(symbol):
    return symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()


def globals_of(scope):
    own = {symbol.get_name() for symbol in scope.get_symbols() if symbol.is_global()}
    return own.union(*(globals_of(inner) for inner in scope.get_children()))
