"""Write the files that follow from the code: stubs, groups of operators, docs/operators.md.

python docs/generate.py            write the files
python docs/generate.py --check    report files that are not up to date
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path

import dynamic_stubs as dynamic_mode  # type: ignore[import-not-found]  # beside this file

from penstock import fn, ops  # noqa: F401  (these imports register all operators)
from penstock.engine.graph.declaration import camel_case, docstring, signature
from penstock.engine.graph.operator import Operator, public_operators
from penstock.engine.pipeline.pipeline import Pipeline
from penstock.engine.run.config import PipelineConfig

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "docs" / "site"))

import operator_pages  # type: ignore[import-not-found]  # noqa: E402

STUBS = ROOT / "src" / "penstock"

STUB_HEAD = '''"""Signatures of the operators; made by docs/generate.py from their declarations."""

import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike

from penstock import {module} as _{module}
from penstock.engine.graph.nodes import DataNode
from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType
'''

# What functions return whose number of outputs depends on the arguments. By operator: what it
# always returns, or the argument that decides, with the returned type by the argument's.
ONE, SEVERAL = "DataNode", "list[DataNode]"
SWITCHED_OFF = {"Literal[False] | None": ONE, "Literal[True]": SEVERAL}
RESULTS: dict[str, str | tuple[str, dict[str, str]]] = {
    "decoders.numpy": ONE,
    "decoders.video": ("audio", SWITCHED_OFF),
    "element_extract": ("element_map", {"int": ONE}),
    "external_source": ("num_outputs", {"None": ONE, "int": SEVERAL}),
    "python_function": ("num_outputs", {"Literal[1] | None": ONE}),
    "random_bbox_crop": SEVERAL,
    "readers.coco": SEVERAL,
    "readers.file": SEVERAL,
    "readers.fits": ("hdu_indices", {"int | None": ONE}),
    "readers.map_dataset": ("num_outputs", {"Literal[1] | None": ONE}),
    "readers.mds": ("columns", {"str": ONE}),
    "readers.parquet": ("columns", {"str": ONE}),
    "readers.sequence": ONE,
    "readers.tfrecord": "dict[str, DataNode]",
    "readers.webdataset": ("ext", {"str": ONE}),
    "resize": ("save_attrs", SWITCHED_OFF),
    "segmentation.random_object_bbox": (
        "format",
        {"Literal['anchor_shape', 'start_end'] | None": SEVERAL},
    ),
}

OPTIONS_HEAD = '''"""Types of a pipeline's arguments; made by docs/generate.py."""

import os
from collections.abc import Callable, Mapping
from typing import Any, Literal, ParamSpec, Protocol, TypedDict, overload

from ..run.policies import OperatorConcurrency, StreamPolicy
from .pipeline import Pipeline

P = ParamSpec("P")

class FurtherOptions(TypedDict, total=False):
    """Arguments of `Pipeline` that have no position."""

{further}

class PipelineOptions(FurtherOptions, total=False):
    """Arguments of `Pipeline`."""

{positional}

class PipelineFunction(Protocol[P]):
    """Makes pipelines. Its arguments are those of the definition, and those of `Pipeline`.

    A type cannot say "the arguments P, and these options". So where a call gives an option, no
    other argument of the call is checked.
    """

    __name__: str
    __qualname__: str
    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Pipeline: ...
{calls}
    def __get__(self, instance: object, owner: type | None = None) -> Callable[..., Pipeline]: ...
'''

COMPOSE = '''class Compose:
    """Operators applied one after the other: `Compose([a, b])(x)` is `b(a(x))`."""

    def __init__(self, op_list: _abc.Sequence[_abc.Callable[..., Any]]) -> None: ...
    def __call__(self, *inputs: Any) -> Any: ...

def Reload() -> None: ...
def cpu_ops() -> set[str]: ...
def gpu_ops() -> set[str]: ...
def mixed_ops() -> set[str]: ...
'''

GROUP = '''"""Operators of `{name}`; made by docs/generate.py."""

import sys as _sys

from {above} import {kind}
{more}
_sys.modules[__name__].__class__ = {kind}
'''
GROUPS_OF = {  # the class of a module's groups
    "fn": "_Functions",
    "ops": "_Classes",
    "experimental/dynamic": "_Group",
}
MEMBERS = {  # what a group has besides operators
    "experimental/dynamic/random": (
        "from ..generators import RNG, get_default_rng, set_seed  # noqa: F401\n"
    ),
}

Tree = dict[str, list[tuple[str, type[Operator]]]]


def operators() -> Tree:
    """Return (name, operator class) pairs by group, with aliases; the top group is ""."""
    tree: Tree = {}
    for groups, name, member in sorted(public_operators(), key=lambda entry: (*entry[0], entry[1])):
        tree.setdefault(".".join(groups), []).append((name, member))
    return tree


def overloads(operator_class: type[Operator]) -> list[tuple[dict[str, str], str]]:
    """Return the return types of the operator's function, with the arguments that decide."""
    decided_later = operator_class.num_outputs is not Operator.num_outputs
    if not decided_later and operator_class.wrap is Operator.wrap:
        return [({}, {0: "None", 1: ONE}.get(operator_class.outputs, SEVERAL))]
    result = RESULTS.get(operator_class.name, "Any")
    if isinstance(result, str):
        return [({}, result)]
    argument, kinds = result
    return [*(({argument: kind}, returned) for kind, returned in kinds.items()), ({}, "Any")]


def qualified(annotation: str) -> str:
    """Return a type that means the same in a module with a class `Sequence` of its own."""
    return re.sub(r"\b(Callable|Mapping|Sequence)\b", r"_abc.\1", annotation)


def parameters(form: inspect.Signature, kinds: Mapping[str, str]) -> str:
    """Return the parameter list of a stub; only the docstring shows the values of defaults.

    Args:
        form: the signature of the function.
        kinds: types of arguments that decide which overload it is. Without None, the argument must
            be given, by its name.
    """
    texts: list[str] = []
    given = {name for name, kind in kinds.items() if "None" not in kind}
    star = False
    positional = False
    every = form.parameters.values()
    for parameter in sorted(every, key=lambda each: each.name in given):
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            texts.append(f"*{parameter.name}: {qualified(parameter.annotation)}")
            star = True
            continue
        by_name = parameter.kind is inspect.Parameter.KEYWORD_ONLY or parameter.name in given
        if by_name and not star:
            texts += ["/", "*"] if positional else ["*"]
            star = True
        positional |= parameter.kind is inspect.Parameter.POSITIONAL_ONLY
        required = parameter.default is inspect.Parameter.empty or parameter.name in given
        default = "" if required else " = ..."
        optional = positional and not star and default and "None" not in parameter.annotation
        annotation = qualified(kinds.get(parameter.name, parameter.annotation))
        annotation += " | None" if optional else ""
        texts.append(f"{parameter.name}: {annotation}{default}")
    return ",\n".join(texts)


def function_stub(name: str, operator_class: type[Operator]) -> str:
    """Return one function, of which the first overload has the docstring."""
    forms = overloads(operator_class)
    text = ""
    for kinds, returned in forms:
        inside = textwrap.indent(parameters(signature(operator_class), kinds), "    ")
        text += "@overload\n" if len(forms) > 1 else ""
        text += f"def {name}(\n{inside},\n) -> {returned}:"
        if (kinds, returned) == forms[0]:
            text += "\n" + textwrap.indent(f'"""{docstring(operator_class)}\n"""\n', "    ")
        else:
            text += " ...\n"
    return text


def class_stub(name: str, operator_class: type[Operator]) -> str:
    """Return one class of `ops`."""
    inside = textwrap.indent(keywords(operator_class), "    ")
    body = f'"""`fn.{operator_class.name}` as a class."""\n\n'
    body += f"def __init__(\n{inside},\n) -> None: ...\n"
    body += "def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...\n"
    return f"class {name}:\n" + textwrap.indent(body, "    ")


def operator_stubs(
    module: str,
    stub: Callable[[str, type[Operator]], str],
    spelled: Callable[[str], str] = str,
    first: str = "",
) -> dict[Path, str]:
    """Return the stubs of `fn` or `ops` and of their groups, which are modules.

    Args:
        module: "fn" or "ops".
        stub: makes the text for an operator.
        spelled: turns an operator's name into the member's.
        first: what the module holds besides.
    """
    tree = operators()
    groups = {".".join(group.split(".")[:depth]) for group in tree for depth in range(4)}
    stubs = {}
    for group in sorted(groups):
        inner = sorted(
            group_inside
            for group_inside in groups
            if group_inside and group_inside.rpartition(".")[0] == group
        )
        names = [group_inside.rpartition(".")[2] for group_inside in inner]
        texts = [STUB_HEAD.format(module=module)]
        texts += [f"from . import {name} as {name}\n" for name in names]
        texts += [] if group else [first]
        for name, operator_class in tree.get(group, []):
            *home, own = operator_class.name.split(".")
            if (group, name) == (".".join(home), own):
                texts.append(stub(spelled(name), operator_class))
            else:
                texts.append(f"{spelled(name)} = {'.'.join((f'_{module}', *home, spelled(own)))}\n")
        folders = group.split(".") if group else []
        stubs[STUBS.joinpath(module, *folders, "__init__.pyi")] = "\n".join(texts)
    return stubs


def keywords(operator_class: type[Operator]) -> str:
    """Return the parameter list of a constructor: all arguments, none required."""
    names = [
        f"{p.name}: {qualified(p.annotation)} = ..."
        for p in signature(operator_class).parameters.values()
        if p.kind is inspect.Parameter.KEYWORD_ONLY
    ]
    return ",\n".join(["self", "*", *names])


def module_stubs() -> dict[Path, str]:
    """Return the stubs of all public modules that have no file, or another file, at their names.

    Each is a folder: Pyright warns of a file without its source.
    """
    stubs = operator_stubs("fn", function_stub)
    stubs |= operator_stubs("ops", class_stub, camel_case, COMPOSE)
    for name, module in sorted(sys.modules.items()):
        home = getattr(module, "__name__", name)
        if name.startswith("penstock.") and home != name:
            path = STUBS.joinpath(*name.split(".")[1:], "__init__.pyi")
            stubs[path] = f"from {home} import *\n"
    return stubs


def dynamic_stubs() -> dict[Path, str]:
    """Return the stubs of dynamic mode, which stand beside its modules."""
    folder = ROOT / "experimental" / "dynamic"
    stubs: dict[Path, str] = dynamic_mode.stubs(operators(), overloads, parameters, folder)
    return stubs


def group_modules(stubs: Mapping[Path, str]) -> dict[Path, str]:
    """Return the modules of the groups that have stubs, by path.

    Args:
        stubs: texts by path, with those of the groups.
    """
    modules = {}
    for path in stubs:
        folder = path.parent.relative_to(STUBS if path.is_relative_to(STUBS) else ROOT)
        for home, kind in GROUPS_OF.items():
            inside = folder.parts[len(Path(home).parts) :]
            if not folder.is_relative_to(home) or not inside or inside == ("math",):
                continue
            modules[path.with_suffix(".py")] = GROUP.format(
                name=".".join((home.rpartition("/")[2], *inside)).replace("dynamic", "ndd"),
                above="." * (len(inside) + 1),
                kind=kind,
                more=MEMBERS.get(str(folder), ""),
            )
    return modules


def options_stub() -> str:
    """Return the stub of the types of a pipeline's arguments."""
    options = [(field.name, field.type) for field in fields(PipelineConfig)]
    named = set(inspect.signature(Pipeline.__init__).parameters)
    entries = {name: f"    {name}: {kind}" for name, kind in options}
    calls = (
        f"    @overload\n    def __call__(self, *args: Any, {name}: {kind}, **others: Any)"
        " -> Pipeline: ..."
        for name, kind in options
    )
    return OPTIONS_HEAD.format(
        further="\n".join(text for name, text in entries.items() if name not in named),
        positional="\n".join(text for name, text in entries.items() if name in named),
        calls="\n".join(calls),
    )


def files() -> dict[Path, str]:
    """Return all generated files."""
    stubs = module_stubs() | dynamic_stubs()
    return {
        ROOT / "engine" / "pipeline" / "options.pyi": options_stub(),
        ROOT / "docs" / "operators.md": operator_pages.index(operator_pages.public(), linked=False),
        **stubs,
        **group_modules(stubs),
    }


def main() -> int:
    """Write or check the files; return the exit status."""
    parser = argparse.ArgumentParser(description="Write the files that follow from the code.")
    parser.add_argument("--check", action="store_true", help="only compare")
    check = parser.parse_args().check
    stale = []
    for path, text in files().items():
        if check and (not path.exists() or path.read_text(encoding="utf-8") != text):
            stale.append(str(path.relative_to(ROOT)))
        elif not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if stale:
        print(f"{', '.join(stale)}: not up to date; run `make stubs`", file=sys.stderr)
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main())
