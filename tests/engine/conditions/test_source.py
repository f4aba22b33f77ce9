"""The syntax tree of a function, found by its code."""

from __future__ import annotations

import ast
import functools
import linecache

import pytest

from penstock.engine.conditions.source import tree_of


def tree(function):
    return tree_of(function.__code__, function.__globals__)


def same(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


# fmt: off
def first(): return [lambda a: a + 1, lambda b: (b,
    2), lambda a: (lambda a: a - 1)]
# fmt: on


@same
@same
def decorated(a):
    return a


def test_functions_and_lambdas():
    assert tree(first).name == "first"
    one, two, three = first()
    assert ast.unparse(tree(one)) == "lambda a: a + 1"
    assert ast.unparse(tree(two)) == "lambda b: (b, 2)"
    assert ast.unparse(tree(three)) == "lambda a: lambda a: a - 1"
    assert ast.unparse(tree(three(0))) == "lambda a: a - 1"
    assert tree(decorated.__wrapped__.__wrapped__).name == "decorated"


def test_a_file_that_has_changed(tmp_path):
    file = tmp_path / "program.py"
    file.write_text("def f(a, b):\n    return a\n")
    namespace = {}
    exec(compile(file.read_text(), str(file), "exec"), namespace)
    code = namespace["f"].__code__
    assert tree_of(code, {}) is not None
    file.write_text("def f(a):\n    return a\n")
    linecache.checkcache(str(file))
    assert tree_of(code, {}) is None
    file.write_text("def f(a, b:\n")
    linecache.clearcache()
    assert tree_of(code, {}) is None


@pytest.mark.parametrize("text", ["def f(a): return a", "f = lambda a: a"])
def test_no_file(text):
    namespace = {}
    exec(text, namespace)
    assert tree_of(namespace["f"].__code__, {}) is None
