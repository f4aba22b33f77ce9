"""Functions with calls of `runtime` in place of `if`, `and`, `or`, `not`, `assert` and calls.

A rewritten `if` is

    _if_1 = runtime.If(test, line, names, places)
    if _if_1.enters_body(runtime.locals()):
        BODY
    if _if_1.enters_orelse(runtime.locals()):
        if _if_1.is_traced: a, b = _if_1.restored
        ORELSE
    if _if_1.ends(runtime.locals()):
        a, b = _if_1.merged

If the test is a value of Python's, one of the branches runs, as always. If the test is a node, both
run: the variables `a` and `b`, which the branches assign, get the values from before the `if`
again, and at the end the values of both branches are merged.

Everything stays in the user's function, at its line, so tracebacks and debuggers show the user's
program.
"""

from __future__ import annotations
import __future__

import ast
import inspect
from collections.abc import Iterable, Sequence
from copy import deepcopy
from types import CodeType
from typing import Any

from .assigned import assigned_names, assigned_places, walk_scope
from .returns import (
    RESULT,
    blocks_at_the_end,
    falls_through,
    normalized,
    returns,
    returns_in_if,
)
from .source import FunctionNode
from .syntax import (
    assign,
    assign_to,
    attribute,
    binds_or_yields,
    deleted,
    expression,
    load,
    loaded,
    method,
    placed,
    thunk,
    unpack,
)

_SCOPE = "_penstock_scope"


def rewritten(tree: FunctionNode, code: CodeType, class_name: str, runtime: str) -> CodeType:
    """Return the code of a rewritten function.

    Args:
        tree: the function.
        code: its code.
        class_name: the class whose private names (`__name`) the function uses, or "".
        runtime: the name of a free variable of the function, which holds the module `runtime`.
    """
    tree = deepcopy(tree)
    rewriter = _Rewriter(code, class_name, runtime)
    tree.args.defaults, tree.args.kw_defaults = [], [None] * len(tree.args.kwonlyargs)
    for argument in ast.walk(tree.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
            argument.arg = rewriter.mangled(argument.arg)
    if isinstance(tree, ast.Lambda):
        tree.body = rewriter.visit(tree.body)
        inner: ast.stmt = ast.Return(tree)
    else:
        tree.decorator_list, tree.returns = [], None
        if hasattr(tree, "type_params"):
            tree.type_params = []
        tree.body = rewriter.body(tree.body)
        inner = tree
    arguments = [ast.arg(name) for name in (*code.co_freevars, runtime)]
    body: list[ast.stmt] = [inner]
    if isinstance(inner, ast.FunctionDef) and inner.name not in code.co_freevars:
        body = [ast.Global([inner.name]), inner]  # what the function calls by this name is global
    factory = ast.FunctionDef(
        name="_penstock_factory",
        args=ast.arguments([], arguments, None, [], [], None, []),
        body=body,
        decorator_list=[],
    )
    if hasattr(factory, "type_params"):
        factory.type_params = []
    ast.copy_location(inner, tree)
    ast.copy_location(factory, tree)
    module = ast.fix_missing_locations(ast.Module([factory], []))
    flags = code.co_flags & __future__.annotations.compiler_flag
    compiled = compile(module, code.co_filename, "exec", flags, dont_inherit=True)
    (made,) = (constant for constant in compiled.co_consts if isinstance(constant, CodeType))
    (function,) = (constant for constant in made.co_consts if isinstance(constant, CodeType))
    return function.replace(co_firstlineno=code.co_firstlineno, co_qualname=code.co_qualname)


class _Rewriter(ast.NodeTransformer):
    """Rewrites the statements and expressions of one function, but not of functions in it."""

    def __init__(self, code: CodeType, class_name: str, runtime: str) -> None:
        self._runtime_name = runtime
        self._file = code.co_filename
        self._class_name = class_name.lstrip("_")
        in_class = "__class__" in code.co_freevars and code.co_argcount
        self._super = ["__class__", code.co_varnames[0]] if in_class else []
        self._checked: set[str] = set(code.co_freevars)  # names that may have no value
        self._globals: set[str] = set()
        self._is_generator = bool(code.co_flags & inspect.CO_GENERATOR)
        self._keeps_scope = False
        self._count = 0
        self._ifs: list[str] = []  # around the statement
        self._ifs_outside_loop = 0
        self._tail = False  # nothing follows the statement in the function

    # Functions

    def body(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """Return the rewritten statements of a function."""
        for node in walk_scope(statements):
            if isinstance(node, ast.Global):
                self._globals |= set(node.names)
            elif isinstance(node, ast.If):
                self._checked |= set(assigned_names([*node.body, *node.orelse]))
        has_if = any(isinstance(node, ast.If) for node in walk_scope(statements))
        # A generator goes on whenever its user asks, and so must not change the user's branch.
        self._keeps_scope = has_if and not self._is_generator
        has_result = returns_in_if(statements)
        if has_result:
            statements = normalized(statements)
        first = statements[0]
        rest = statements
        doc: list[ast.stmt] = []
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            doc, rest = [first], statements[1:]
        result = self._block(rest, tail=has_result)
        if has_result:
            last = statements[-1]
            self._checked.add(RESULT)
            start = assign(RESULT, self._runtime("NOTHING"))
            end = ast.Return(self._call("returned", load(RESULT)))
            result = [placed(first, start), *result, placed(last, end)]
        if self._keeps_scope:
            start = assign(_SCOPE, self._call("scope"))
            restore = ast.Expr(self._call("restore", load(_SCOPE)))
            guarded = ast.Try(result or [ast.Pass()], [], [], [restore])
            result = [placed(first, start), placed(first, guarded)]
        return doc + result or [ast.copy_location(ast.Pass(), first)]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> object:
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        node.args.defaults = [self.visit(default) for default in node.args.defaults]
        node.args.kw_defaults = [
            default and self.visit(default) for default in node.args.kw_defaults
        ]
        return node

    def visit_Lambda(self, node: ast.Lambda) -> object:
        node.args.defaults = [self.visit(default) for default in node.args.defaults]
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> object:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> object:
        return node

    # Statements

    def _block(self, statements: Iterable[ast.stmt], *, tail: bool) -> list[ast.stmt]:
        statements = list(statements)
        outer, result = self._tail, []
        for i, statement in enumerate(statements):
            self._tail = tail and (i == len(statements) - 1 or not falls_through([statement]))
            new = self.visit(statement)
            result += new if isinstance(new, list) else [new]
        self._tail = outer
        return result

    def visit_If(self, node: ast.If) -> list[ast.stmt]:
        tail = self._tail
        test = self.visit(node.test)
        both = [*node.body, *node.orelse]
        names = [self.mangled(name) for name in assigned_names(both) if not name.startswith("_if_")]
        if tail and RESULT not in names and any(map(returns, both)):
            names.append(RESULT)
        places = [deepcopy(place) for place in assigned_places(both, names)]
        self._count += 1
        own = f"_if_{self._count}"
        self._ifs.append(own)
        body = self._block(node.body, tail=tail)
        orelse = self._block(node.orelse, tail=tail)
        self._ifs.pop()
        readers = [thunk(loaded(place)) for place in places]
        state = self._call("locals")
        if self._globals & set(names):
            state = self._call("with_globals", self._call("globals"), state, names)
        made = self._call(
            "If",
            test,
            self._line(node),
            names,
            [ast.unparse(place) for place in places],
            ast.Tuple(readers, ast.Load()),
        )
        restoring: list[ast.stmt] = [unpack(names, attribute(own, "restored"))] if names else []
        for i, place in enumerate(places):
            existed = method(own, "existed", ast.Constant(i))
            exists = method(own, "exists", ast.Constant(i))
            old = assign_to(place, method(own, "old_place", ast.Constant(i)))
            delete = ast.If(exists, [ast.Delete([deleted(place)])], [])
            restoring.append(ast.If(existed, [old], [delete]))
        merging: list[ast.stmt] = [unpack(names, attribute(own, "merged"))] if names else []
        for i, place in enumerate(places):
            merged = assign_to(place, method(own, "merged_place", ast.Constant(i)))
            merging.append(ast.If(method(own, "is_merged", ast.Constant(i)), [merged], []))
        if restoring:
            orelse = [ast.If(attribute(own, "is_traced"), restoring, []), *orelse]
        result = [
            assign(own, made),
            ast.If(method(own, "enters_body", state), body or [ast.Pass()], []),
            ast.If(method(own, "enters_orelse", state), orelse or [ast.Pass()], []),
            ast.If(method(own, "ends", state), merging or [ast.Pass()], []),
        ]
        return [placed(node, statement) for statement in result]

    def visit_Return(self, node: ast.Return) -> object:
        value = ast.Constant(None) if node.value is None else self.visit(node.value)
        if self._ifs and self._tail:
            return placed(node, assign(RESULT, value))
        if self._ifs:
            value = self._leaving("return", value, self._ifs)
        return placed(node, ast.Return(value))

    def visit_Break(self, node: ast.Break) -> object:
        return self._jump(node, "break")

    def visit_Continue(self, node: ast.Continue) -> object:
        return self._jump(node, "continue")

    def _jump(self, node: ast.stmt, word: str) -> object:
        inside = self._ifs[self._ifs_outside_loop :]
        if not inside:
            return node
        return [placed(node, ast.Expr(self._leaving(word, ast.Constant(None), inside))), node]

    def _leaving(self, word: str, value: ast.expr, ifs: Sequence[str]) -> ast.expr:
        return self._call("leaving", ast.Constant(word), value, *map(load, ifs))

    def visit_For(self, node: ast.For) -> object:
        node.target, node.iter = self.visit(node.target), self.visit(node.iter)
        return self._loop(node)

    def visit_While(self, node: ast.While) -> object:
        node.test = self.visit(node.test)
        return self._loop(node)

    def _loop(self, node: ast.For | ast.While) -> ast.AST:
        outside, self._ifs_outside_loop = self._ifs_outside_loop, len(self._ifs)
        node.body = self._block(node.body, tail=False)
        self._ifs_outside_loop = outside
        node.orelse = self._block(node.orelse, tail=False)
        return node

    def visit_With(self, node: ast.With) -> list[ast.stmt]:
        node.items = [self.visit(item) for item in node.items]
        node.body = self._block(node.body, tail=self._tail)
        return self._with_scope(node, after=True)

    def visit_Try(self, node: ast.Try) -> list[ast.stmt]:
        tail = self._tail
        at_end = [id(block) for block in blocks_at_the_end(node)]
        final = self._block(node.finalbody, tail=False)
        node.body = self._block(node.body, tail=tail and id(node.body) in at_end)
        node.orelse = self._block(node.orelse, tail=tail and id(node.orelse) in at_end)
        for handler in node.handlers:
            handler.type = handler.type and self.visit(handler.type)
            handler.body = self._block(handler.body, tail=tail)
        node.finalbody = final
        return self._with_scope(node)

    def _with_scope(self, node: ast.With | ast.Try, *, after: bool = False) -> list[ast.stmt]:
        """Let what follows an exception that the statement catches work in the right branch."""
        if not self._keeps_scope:
            return [node]
        self._count += 1
        scope = f"_if_scope_{self._count}"
        start = placed(node, assign(scope, self._call("scope")))

        def restore() -> ast.stmt:
            call: ast.stmt = placed(node, ast.Expr(self._call("restore", load(scope))))
            return call

        if isinstance(node, ast.Try):
            for handler in node.handlers:
                handler.body.insert(0, restore())
            if node.finalbody:
                node.finalbody.insert(0, restore())
        return [start, node, restore()] if after else [start, node]

    def visit_Match(self, node: ast.Match) -> Any:
        tail = self._tail
        node.subject = self.visit(node.subject)
        for case in node.cases:
            case.guard = case.guard and self.visit(case.guard)
            case.body = self._block(case.body, tail=tail)
        return node

    def visit_Assert(self, node: ast.Assert) -> object:
        test = self.visit(node.test)
        message = ast.Constant(None) if node.msg is None else self.visit(node.msg)
        if binds_or_yields(message):
            message = ast.Constant(None)
        fails = self._call("fails", test, thunk(message), self._line(node))
        error = ast.Call(self._runtime("AssertionError"), [] if node.msg is None else [message], [])
        return placed(node, ast.If(fails, [ast.Raise(error, None)], []))

    # Expressions

    def visit_IfExp(self, node: ast.IfExp) -> object:
        self.generic_visit(node)
        if binds_or_yields(node):
            return node
        values = thunk(node.body), thunk(node.orelse)
        return placed(node, self._call("if_expression", node.test, *values, self._line(node)))

    def visit_BoolOp(self, node: ast.BoolOp) -> object:
        self.generic_visit(node)
        if binds_or_yields(node):
            return node
        word = "and" if isinstance(node.op, ast.And) else "or"
        thunks = map(thunk, node.values)
        return placed(node, self._call("logical", ast.Constant(word), self._line(node), *thunks))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> object:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not):
            return node
        return placed(node, self._call("negated", node.operand, self._line(node)))

    def visit_Compare(self, node: ast.Compare) -> object:
        self.generic_visit(node)
        if len(node.ops) == 1 or binds_or_yields(node):
            return node
        names = [type(operator).__name__ for operator in node.ops]
        thunks = map(thunk, node.comparators)
        return placed(node, self._call("compared", names, node.left, *thunks))

    def visit_Call(self, node: ast.Call) -> object:
        # With arguments, `super` works in functions that take the place of expressions, too.
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            node.args = [placed(node, load(name)) for name in self._super]
        self.generic_visit(node)
        node.func = placed(node.func, self._call("converted", node.func))
        return node

    def visit_Yield(self, node: ast.Yield) -> object:
        self.generic_visit(node)
        if self._ifs:
            value = node.value or ast.Constant(None)
            node.value = placed(node, self._leaving("yield", value, self._ifs))
        return node

    def visit_Attribute(self, node: ast.Attribute) -> object:
        self.generic_visit(node)
        node.attr = self.mangled(node.attr)
        return node

    def visit_Name(self, node: ast.Name) -> object:
        node.id = self.mangled(node.id)
        if isinstance(node.ctx, ast.Load) and node.id in self._checked - {"__class__"}:
            return placed(node, self._call("value", node))
        return node

    def mangled(self, name: str) -> str:
        """Return a name as the compiler stores it in a class: private names with the class."""
        private = name.startswith("__") and not name.endswith("__")
        return f"_{self._class_name}{name}" if private and self._class_name else name

    # Parts

    def _runtime(self, name: str) -> ast.expr:
        return attribute(self._runtime_name, name)

    def _call(self, name: str, *arguments: object) -> ast.expr:
        return ast.Call(self._runtime(name), [expression(argument) for argument in arguments], [])

    def _line(self, node: ast.stmt | ast.expr) -> ast.expr:
        return ast.Constant(f"{self._file}:{node.lineno}")
