"""Pages of the public names of modules, made from their docstrings.

The operators have pages of their own, and dynamic mode has the same operators.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from operator_pages import blocks  # type: ignore[import-not-found]  # beside this file

import penstock

MODULES = (
    "penstock",
    *("penstock.types", "penstock.math", "penstock.tfrecord", "penstock.auto_aug"),
    *("penstock.tensors", "penstock.backend", "penstock.datasets", "penstock.extend"),
    *("penstock.experimental.dynamic", "penstock.experimental.dynamic.math"),
    "penstock.experimental.dynamic.pytorch",
    *("penstock.experimental.torchvision", "penstock.experimental.torchvision.v2.functional"),
    *("penstock.plugin.arrays", "penstock.plugin.base_iterator", "penstock.plugin.pytorch"),
    *("penstock.plugin.pytorch.fn", "penstock.plugin.pytorch.loader_evaluator"),
    *("penstock.plugin.pytorch.experimental", "penstock.plugin.pytorch.experimental.proxy"),
    *("penstock.plugin.numba", "penstock.plugin.numba.experimental", "penstock.plugin.numba.fn"),
    *("penstock.plugin.numba.fn.experimental", "penstock.plugin.triton"),
    *("penstock.plugin_manager", "penstock.pickling", "penstock.testing"),
    *(f"penstock.testing.{suite}" for suite in ("operators", "readers", "writers", "decoders")),
    "penstock.testing.iterators",
)
"""Those that import without a framework but PyTorch."""

TABLE = Path(__file__).resolve().parent.parent / "frameworks.md"
IN_TABLE = re.findall(
    r"^\| [^|]+ \| `(penstock\.plugin\.[\w.]+)`", TABLE.read_text(encoding="utf-8"), re.M
)
FRAMEWORKS = (
    *(module for module in dict.fromkeys(IN_TABLE) if module not in MODULES),
    *("penstock.plugin.jax.fn", "penstock.plugin.jax.clu", "penstock.plugin.tf.experimental"),
    *("penstock.plugin.pytorch.accelerate", "penstock.plugin.pytorch.hugging_face"),
)
"""Those that need another framework; their files are read, but not imported."""

INDEX_HEAD = """\
# Modules

The public names, one page a module. Operators have [pages](../operators/index.md) of their own."""

SHARED = "Those of [all iterators](../iterator_arguments.md)."
"""What stands for the description that an import puts in the place of `{arguments}`."""


def pages() -> dict[str, str]:
    """Return a page for each module, by the module's name: its public names with docstrings."""
    texts = {}
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        parts = [f"# {module_name}", *text_of(module)]
        for name in names_of(module):
            parts += [f"## {name}", *facts_of(getattr(module, name))]
        texts[module_name] = "\n\n".join(parts) + "\n"
    for module_name in FRAMEWORKS:
        tree = tree_of(module_name)
        parts = [f"# {module_name}", *markdown(ast.get_docstring(tree))]
        for name in listed(tree):
            parts += [f"## {name}", *facts_read(defined(module_name, name))]
        texts[module_name] = "\n\n".join(parts) + "\n"
    return texts


def index(texts: dict[str, str]) -> str:
    """Return the page that lists the modules, each with its names."""
    names = "\n".join(texts)
    lines = [INDEX_HEAD]
    for module_name, text in texts.items():
        found = ", ".join(f"`{name}`" for name in re.findall(r"^## (\S+)$", text, re.M))
        lines.append(f"[{module_name}]({module_name}.md)\n: {found}")
    return "\n\n".join([*lines, f"```{{toctree}}\n:hidden:\n\n{names}\n```"]) + "\n"


def write(folder: Path) -> None:
    """Write the pages and their index into a folder."""
    texts = pages()
    for name, text in {**texts, "index": index(texts)}.items():
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{name}.md"
        if not file.exists() or file.read_text(encoding="utf-8") != text:  # see build.write
            file.write_text(text, encoding="utf-8")


def names_of(module: ModuleType) -> list[str]:
    """Return the public names of a module that are documented on its page."""
    names = getattr(module, "__all__", None)
    if names is None:
        names = [name for name, value in vars(module).items() if name[0] != "_" and owned(value)]
    return sorted(name for name in names if module is penstock or name != "annotations")


def owned(value: Any) -> bool:
    """Return whether a value is a class or function of the package."""
    return str(getattr(value, "__module__", "")).startswith("penstock")


def facts_of(value: Any) -> list[str]:
    """Return the call of a name and its docstring, or the value of a constant."""
    if isinstance(value, ModuleType):
        return [f"The module `{value.__name__}`.", *text_of(value)[:1]]
    if not (inspect.isclass(value) or inspect.isroutine(value)):
        shown = repr(value)
        return [f"`{shown}`"] if " at 0x" not in shown else [f"Of type `{type(value).__name__}`."]
    parts = []
    with suppress(TypeError, ValueError):
        parts.append(f"```python\n{value.__name__}{form_of(inspect.signature(value))}\n```")
    return [*parts, *text_of(value)]


def form_of(signature: inspect.Signature) -> str:
    """Return a signature as text: in lines of one argument each, if it is long."""
    text = re.sub(r" at 0x[0-9a-f]+", "", str(signature))
    text = re.sub(r"<(?:class|function|built-in function) '?([\w.]+)'?>", r"\1", text)
    text = re.sub(r"(: |-> )([\"'])(.*?)\2(?=[,) ]|$)", r"\1\3", text)
    return in_lines(text, signature.parameters)


def in_lines(text: str, names: Iterable[str]) -> str:
    """Return the text of a signature, whose arguments have these names, in lines if it is long."""
    if len(text) < 80:
        return text
    pattern = rf"(?<=[(,])( ?)(?=(?:\*, )?\*{{0,2}}(?:{'|'.join(names)})[:,=)])"
    return re.sub(pattern, "\n    ", text)


def text_of(value: Any) -> list[str]:
    """Return the docstring of a value as Markdown, whose sections are no headings."""
    return markdown(getattr(value, "__doc__", None))


def markdown(docstring: str | None) -> list[str]:
    """Return a docstring as Markdown, whose sections are no headings."""
    text = inspect.cleandoc(docstring or "")
    return [re.sub(r"^## (\w+)", r"**\1**", part) for part in blocks(text)] if text else []


def tree_of(module_name: str) -> ast.Module:
    """Return a module of the package as it stands in its file."""
    path = Path(penstock.__file__).parent.joinpath(*module_name.split(".")[1:])
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(file.read_text(encoding="utf-8"))


def listed(tree: ast.Module) -> list[str]:
    """Return the names in `__all__`."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return sorted(ast.literal_eval(node.value))
    raise LookupError("a module has no __all__")


def defined(module_name: str, name: str) -> ast.AST:
    """Return where a name of a module is defined, there or in the module that it comes from."""
    for node in ast.walk(tree_of(module_name)):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == name:
            return node
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            return node
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return defined(origin(module_name, node), alias.name)
    raise LookupError(f"{module_name} does not define {name}")


def origin(module_name: str, node: ast.ImportFrom) -> str:
    """Return the module that an import takes names from."""
    path = Path(penstock.__file__).parent.joinpath(*module_name.split(".")[1:])
    above = node.level - path.is_dir()
    base = module_name.split(".")[: -above or None] if node.level else []
    return ".".join([*base, *([node.module] if node.module else [])])


def facts_read(node: ast.AST) -> list[str]:
    """Return the call of a definition and its docstring, or the value that is assigned."""
    if not isinstance(node, (ast.ClassDef, ast.FunctionDef)):
        assert isinstance(node, ast.Assign)
        return [f"`{ast.unparse(node.value)}`"]
    call = node
    if isinstance(node, ast.ClassDef):
        methods = [statement for statement in node.body if isinstance(statement, ast.FunctionDef)]
        call = next((method for method in methods if method.name == "__init__"), node)
    parts = []
    if isinstance(call, ast.FunctionDef):
        given = call.args
        every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
        text = re.sub(r"^self(, )?", "", ast.unparse(given))
        text = re.sub(r"(?<=\S)=(?=\S)", " = ", text)  # as inspect writes annotated arguments
        returned = f" -> {ast.unparse(call.returns)}" if call.returns and call is node else ""
        names = [argument.arg for argument in every if argument]
        parts.append(f"```python\n{node.name}{in_lines(f'({text}){returned}', names)}\n```")
    parts += markdown(ast.get_docstring(node))
    return [part.replace("{arguments}", SHARED) for part in parts]
