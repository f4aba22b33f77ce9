"""Writes what follows from the operators' declarations: fn.pyi, ops.pyi, docs/operators.md.

python docs/generate.py            write the three files
python docs/generate.py --check    only say whether they are up to date
"""

from __future__ import annotations

import argparse
import inspect
import sys
import textwrap
from pathlib import Path

from penstock import fn, ops  # noqa: F401  (they enter all operators)
from penstock.engine.declaration import camel_case, docstring, signature
from penstock.engine.operator import OPERATORS, Operator, public_operators

ROOT = Path(__file__).resolve().parent.parent

STUB_HEAD = '''"""Signatures of the operators; made by docs/generate.py from their declarations."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any

from numpy.typing import ArrayLike, DTypeLike

from .engine.graph import DataNode
from .engine.types import DALIDataType, DALIImageType, DALIInterpType
'''

COMPOSE = '''class Compose:
    """Operators applied one after the other: `Compose([a, b])(x)` is `b(a(x))`."""

    def __init__(self, op_list: Sequence[Callable[..., Any]]) -> None: ...
    def __call__(self, *inputs: Any) -> Any: ...
'''

Tree = dict[str, list[tuple[str, type[Operator]]]]


def operators() -> Tree:
    """Return (name, operator) pairs by group ("" for the top), aliases included."""
    tree: Tree = {}
    for groups, name, kind in sorted(public_operators(), key=lambda found: (*found[0], found[1])):
        tree.setdefault(".".join(groups), []).append((name, kind))
    return tree


def returned(kind: type[Operator]) -> str:
    """Return the type of what the operator's function returns."""
    if kind.num_outputs is not Operator.num_outputs or kind.wrap is not Operator.wrap:
        return "Any"
    one = "DataNode"
    return {0: "None", 1: one}.get(kind.outputs, f"tuple[{', '.join([one] * kind.outputs)}]")


def parameters(kind: type[Operator], first: str = "") -> str:
    """Return the parameter list of a stub; values of defaults are left to the docstring."""
    parts = [first] if first else []
    star = False
    positional = False
    for parameter in signature(kind).parameters.values():
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            parts.append(f"*{parameter.name}: {parameter.annotation}")
            star = True
            continue
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not star:
            parts += ["/", "*"] if positional else ["*"]
            star = True
        positional |= parameter.kind is inspect.Parameter.POSITIONAL_ONLY
        default = "" if parameter.default is inspect.Parameter.empty else " = ..."
        optional = positional and not star and default and "None" not in parameter.annotation
        annotation = parameter.annotation + (" | None" if optional else "")
        parts.append(f"{parameter.name}: {annotation}{default}")
    return ",\n".join(parts)


def function_stub(name: str, kind: type[Operator], indent: str) -> str:
    """Return one function with its docstring."""
    text = f"def {name}(\n{textwrap.indent(parameters(kind), '    ')},\n) -> {returned(kind)}:\n"
    text += textwrap.indent(f'"""{docstring(kind)}\n"""\n', "    ")
    if indent:
        text = "@staticmethod\n" + text
    return textwrap.indent(text, indent)


def fn_stub() -> str:
    """Return fn.pyi."""
    parts = [STUB_HEAD]
    for group, members in operators().items():
        if group:
            parts.append(_class_head(group))
        parts += [
            function_stub(name, kind, "    " * len(group.split(".")) if group else "")
            for name, kind in members
        ]
    return "\n".join(parts)


def _class_head(group: str) -> str:
    lines = [f"{'    ' * depth}class {part}:" for depth, part in enumerate(group.split("."))]
    return "\n".join(lines)


def ops_stub() -> str:
    """Return ops.pyi."""
    parts = [STUB_HEAD, COMPOSE]
    for group, members in operators().items():
        indent = "    " * len(group.split(".")) if group else ""
        if group:
            parts.append(_class_head(group))
        for name, kind in members:
            body = f"def __init__(\n{textwrap.indent(keywords(kind), '    ')},\n) -> None: ...\n"
            body += "def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...\n"
            head = f'"""`fn.{kind.name}` as a class."""\n\n'
            text = f"class {camel_case(name)}:\n" + textwrap.indent(head + body, "    ")
            parts.append(textwrap.indent(text, indent))
    return "\n".join(parts)


def keywords(kind: type[Operator]) -> str:
    """Return the parameter list of a constructor: all arguments, none required."""
    names = [
        f"{p.name}: {p.annotation} = ..."
        for p in signature(kind).parameters.values()
        if p.kind is inspect.Parameter.KEYWORD_ONLY
    ]
    return ",\n".join(["self", "*", *names])


def reference() -> str:
    """Return docs/operators.md."""
    lines = ["# Operators", "", "Made from the operators' declarations by `docs/generate.py`.", ""]
    canonical = sorted({kind.name: kind for kind in OPERATORS.values()}.items())
    public = [(name, kind) for name, kind in canonical if not name.startswith("_")]
    lines += ["| operator | devices | what it does |", "|---|---|---|"]
    for name, kind in public:
        summary = inspect.cleandoc(kind.__doc__ or "").split("\n")[0]
        anchor = f"fn{name.replace('.', '')}"
        lines.append(f"| [`fn.{name}`](#{anchor}) | {', '.join(kind.devices)} | {summary} |")
    for name, kind in public:
        older = f"\nOlder names: {', '.join(f'`{a}`' for a in kind.aliases)}.\n"
        lines += ["", f"## fn.{name}", older if kind.aliases else ""]
        lines += ["```text", docstring(kind), "```"]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write or check the files; return the exit status."""
    parser = argparse.ArgumentParser(description="Write fn.pyi, ops.pyi and docs/operators.md.")
    parser.add_argument("--check", action="store_true", help="only compare")
    check = parser.parse_args().check
    stale = []
    for path, text in {
        ROOT / "fn.pyi": fn_stub(),
        ROOT / "ops.pyi": ops_stub(),
        ROOT / "docs" / "operators.md": reference(),
    }.items():
        if check and (not path.exists() or path.read_text(encoding="utf-8") != text):
            stale.append(path.name)
        elif not check:
            path.write_text(text, encoding="utf-8")
    if stale:
        print(f"{', '.join(stale)}: not up to date; run `make stubs`", file=sys.stderr)
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main())
